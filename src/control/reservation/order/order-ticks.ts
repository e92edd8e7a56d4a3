/**
 * The ticks of an Order's schedule. A tick is open from its time until its work is done, which `status.lastScheduleTime` records:
 * a controller that was away, or crashed amid the work, finds the most recent tick open and acts on it once.
 */
import type { OrderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { mostRecent, type ReadSchedule, readSchedule } from '../../../core/kube/cron/schedule.ts';

/** The schedule of an Order as read, with the time from which its ticks count. Replaced when the schedule changes. */
export interface KnownSchedule {
  readonly text: string;
  readonly zone: string | undefined;
  readonly read: ReadSchedule;
  /** Epoch ms: a schedule that was changed has no ticks before the change. -Infinity for the first one seen. */
  readonly since: number;
}

/** Times in epoch ms. */
export interface Ticks {
  /** The last tick whose work is done or being done; undefined before the first. */
  readonly last: number | undefined;
  /** Whether the work of `last` may not be done yet. */
  readonly isOpen: boolean;
  readonly next: number | undefined;
}

export const NO_TICKS: Ticks = Object.freeze({ last: undefined, isOpen: false, next: undefined });

/** The same record while the plan has the same schedule; undefined where the plan has none. */
export function scheduleOf(plan: OrderPlan, known: KnownSchedule | undefined, now: number): KnownSchedule | undefined {
  const { schedule: text, timeZone: zone, strategy } = plan;
  if (strategy === 'OneTime' || text === undefined) return undefined;
  if (known !== undefined && known.text === text && known.zone === zone) return known;
  return { text, zone, read: readSchedule(text, zone), since: known === undefined ? -Infinity : now };
}

/** @param done the last tick whose work is done. @param created creation of the Order: no tick before it counts. */
export function ticksOf(
  schedule: KnownSchedule | undefined,
  done: number | undefined,
  created: number,
  now: number,
): Ticks {
  if (schedule === undefined || !schedule.read.ok) return NO_TICKS;
  const times = schedule.read.schedule;
  const earliest = Math.max(done ?? created, schedule.since);
  const due = mostRecent(times, earliest, now).time;
  const last = due ?? done;
  const next = times.next(due ?? earliest);
  return { last, isOpen: due !== undefined, next: next === undefined || next > now ? next : times.next(now) };
}
