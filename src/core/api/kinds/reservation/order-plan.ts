/**
 * What an Order asks for, whichever of its shapes it is written in. The first published shape (strategy, duration) is canonical;
 * the later one (refreshPolicy beside strategy, window, lifecycle) is read too. Validation refuses values that contradict each
 * other, so a plan may take whichever is there. Controllers, printers and the classifier of daemons read plans, never the fields.
 */
import { parseGoDuration } from '../../../kube/go-duration.ts';
import { parseTime } from '../../../kube/time.ts';
import type { OrderSpec, TicketSpec } from '../../types/korder-v1alpha1.ts';

/** When Tickets are made. `OneTime`: at once. `Scheduled`: at ticks of the schedule only. `Recurring`: at once, and again at ticks. */
export type OrderStrategyType = 'OneTime' | 'Scheduled' | 'Recurring';
/** What follows a Ticket that was claimed or has expired; docs/reservations.md has the whole table. */
export type RefreshPolicy = 'Always' | 'OnClaim' | 'Never';

export const STRATEGY_TYPES: readonly OrderStrategyType[] = ['OneTime', 'Scheduled', 'Recurring'];
export const REFRESH_POLICIES: readonly RefreshPolicy[] = ['Always', 'OnClaim', 'Never'];
export const CLEANUP_POLICIES = ['Delete', 'Retain'] as const;

const DEFAULT_DURATION_MS = 24 * 3_600_000;
const DEFAULT_TTL_SECONDS = 3600;
/** Times in a status are whole seconds, so no shorter duration can be kept. */
export const SHORTEST_MS = 1000;

export interface OrderPlan {
  /** One Ticket on every eligible node; otherwise `replicas` Tickets anywhere. */
  readonly daemonSet: boolean;
  readonly replicas: number;
  readonly paused: boolean;
  readonly minReadySeconds: number;
  readonly strategy: OrderStrategyType;
  /** Set for Scheduled and Recurring. */
  readonly schedule: string | undefined;
  /** Time zone of the schedule; undefined: UTC, or the one that the schedule names itself. */
  readonly timeZone: string | undefined;
  readonly refresh: RefreshPolicy;
  /** Of the Tickets that the Order makes. `durationMs` has the Order's default. */
  readonly ticket: TicketPlan;
}

export interface TicketPlan {
  /** How long room is held; undefined: without end. */
  readonly durationMs: number | undefined;
  /** Epoch ms before which no guardian is made; undefined: at once. With a start, the end is start plus duration. */
  readonly startMs: number | undefined;
  /** Seconds a finished Ticket is kept; undefined: until somebody deletes it. */
  readonly ttlSeconds: number | undefined;
}

const orderPlans = new WeakMap<object, OrderPlan>();
const ticketPlans = new WeakMap<object, TicketPlan>();
const EMPTY: OrderSpec & TicketSpec = Object.freeze({});

/** Remembered by the identity of the spec. Never throws: a value of the wrong type counts as absent. */
export function orderPlan(spec: OrderSpec): OrderPlan {
  const key = objectOr(spec, EMPTY);
  let plan = orderPlans.get(key);
  if (plan === undefined) orderPlans.set(key, (plan = readOrder(key)));
  return plan;
}

function readOrder(spec: OrderSpec): OrderPlan {
  const { strategy, template } = spec;
  const refresh = oneOf(REFRESH_POLICIES, strategy?.refreshPolicy ?? spec.refreshPolicy) ?? 'OnClaim';
  const ticket = ticketPlan(template?.spec ?? EMPTY);
  const isOpen = ticket.durationMs === undefined && refresh !== 'Never';
  return {
    daemonSet: spec.daemonSet === true,
    replicas: count(spec.replicas) ?? 1,
    paused: spec.paused === true,
    minReadySeconds: count(spec.minReadySeconds) ?? 0,
    strategy: oneOf(STRATEGY_TYPES, strategy?.type) ?? 'OneTime',
    schedule: text(strategy?.schedule),
    timeZone: text(strategy?.timeZone) ?? text(template?.spec?.window?.timeZone),
    refresh,
    ticket: isOpen ? { ...ticket, durationMs: DEFAULT_DURATION_MS } : ticket,
  };
}

/**
 * A Ticket by itself: without a duration it holds its room until it is deleted. Remembered by the identity of the spec; never
 * throws.
 */
export function ticketPlan(spec: TicketSpec): TicketPlan {
  const key = objectOr(spec, EMPTY);
  let plan = ticketPlans.get(key);
  if (plan === undefined) ticketPlans.set(key, (plan = readTicket(key)));
  return plan;
}

function readTicket(spec: TicketSpec): TicketPlan {
  const { lifecycle, window } = spec;
  const duration = text(spec.duration) ?? text(window?.duration);
  const start = text(spec.startTime) ?? text(window?.startTime);
  const isRetained = (text(spec.cleanupPolicy) ?? text(lifecycle?.cleanupPolicy)) === 'Retain';
  const ttl = count(spec.ttlSecondsAfterFinished) ?? count(lifecycle?.ttlSecondsAfterFinished);
  const durationMs = duration === undefined ? undefined : parseGoDuration(duration);
  return {
    // Where nothing refuses a duration of zero, Tickets must not end as fast as they are made.
    durationMs: durationMs === undefined ? undefined : Math.max(durationMs, SHORTEST_MS),
    startMs: start === undefined ? undefined : parseTime(start),
    ttlSeconds: isRetained ? undefined : (ttl ?? DEFAULT_TTL_SECONDS),
  };
}

const objectOr = <T extends object>(value: T, otherwise: T): T =>
  typeof value === 'object' && value !== null ? value : otherwise;

const text = (value: string | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

const count = (value: number | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined;

const oneOf = <T extends string>(values: readonly T[], value: string | undefined): T | undefined =>
  values.find((each) => each === value);
