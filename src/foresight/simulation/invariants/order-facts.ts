/**
 * Facts about Orders and Tickets that follow from a committed state, computed plainly and apart from the controllers' own rules:
 * the oracle that the invariants of reservations share.
 */
import { RESERVATION_ANNOTATIONS, TICKET_PHASES, UNRESERVED_TAINT } from '../../../core/api/names.ts';
import { orderPlan, ticketPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { mostRecent, type ReadSchedule, readSchedule } from '../../../core/kube/cron/schedule.ts';
import { parseGoDuration } from '../../../core/kube/go-duration.ts';
import { parseTime } from '../../../core/kube/time.ts';
import { isGoing } from '../cluster-view.ts';
import { selects, tolerates } from './daemon-facts.ts';

/** Name of the actor that keeps Orders, Tickets and the taint of unreserved nodes. */
export const RESERVATION = 'reservation';

/** How an Order stands to a node. */
export interface Standing {
  /** The node gets a Ticket if it has none. */
  readonly isWanted: boolean;
  /** A Ticket that is there goes at once. */
  readonly isUnwanted: boolean;
  /** Not Ready, unreachable or cordoned: a Ticket that is there stays for the grace period. */
  readonly isAway: boolean;
  /** Epoch ms until which a Ticket that is there tolerates the taints of the node. */
  readonly until: number;
}

const OF_READINESS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
const OF_CORDON = 'node.kubernetes.io/unschedulable';

const isReadyNode = ({ status }: Node): boolean =>
  status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;

const UNWANTED: Standing = { isWanted: false, isUnwanted: true, isAway: false, until: 0 };

export function standing({ spec: { template } }: Order, node: Node): Standing {
  const spec = template?.spec ?? {};
  const isElsewhere = (spec.nodeName ?? '') !== '' && spec.nodeName !== node.metadata.name;
  if (isElsewhere || !selects(spec, node)) return UNWANTED;
  let isAway = node.spec.unschedulable === true || !isReadyNode(node);
  let isClosed = false;
  let until = Infinity;
  for (const taint of node.spec.taints ?? []) {
    if (taint.effect === 'PreferNoSchedule' || taint.key === UNRESERVED_TAINT) continue;
    const isEvicting = taint.effect === 'NoExecute';
    const toleration = spec.tolerations?.find((each) => tolerates(each, taint));
    if (taint.key === OF_CORDON || (OF_READINESS.has(taint.key) && toleration === undefined)) isAway = true;
    else if (toleration === undefined && isEvicting) return UNWANTED;
    else if (toleration === undefined) isClosed = true;
    else if (isEvicting && toleration.tolerationSeconds !== undefined)
      until = Math.min(until, addedAt(taint) + Math.max(0, toleration.tolerationSeconds) * 1000);
  }
  return { isWanted: !isAway && !isClosed && until === Infinity, isUnwanted: false, isAway, until };
}

/** Epoch ms; 0 where the taint does not say. */
const addedAt = ({ timeAdded }: Taint): number => (timeAdded === undefined ? 0 : (parseTime(timeAdded) ?? 0));

export const graceOf = ({ metadata }: Order): number =>
  parseGoDuration(metadata.annotations?.[RESERVATION_ANNOTATIONS.nodeGrace] ?? '5m') ?? 300_000;

export const phaseOf = ({ status }: Ticket): string => status?.phase ?? TICKET_PHASES.pending;

/** The slot was used, or its time is over: the Ticket holds no room any more and needs no guardian. */
export const isFinished = (ticket: Ticket): boolean =>
  phaseOf(ticket) === TICKET_PHASES.expired || phaseOf(ticket) === TICKET_PHASES.released;

/** A pod has the slot, or is getting it. */
export const isTaken = (ticket: Ticket): boolean =>
  phaseOf(ticket) === TICKET_PHASES.claiming || phaseOf(ticket) === TICKET_PHASES.claimed;

/** Waits for room or holds it. */
export const isOpen = (ticket: Ticket): boolean => !isFinished(ticket) && !isTaken(ticket) && !isGoing(ticket);

export const isReserved = (ticket: Ticket): boolean => phaseOf(ticket) === TICKET_PHASES.reserved;

/** Epoch ms; undefined: never. */
export const expiryOf = ({ status }: Ticket): number | undefined =>
  status?.expirationTime === undefined ? undefined : parseTime(status.expirationTime);

/** A Ticket of this Order that has expired gets a successor, which takes over the guardian. */
export function renewsExpired(order: Order): boolean {
  const { paused, refresh, strategy } = orderPlan(order.spec);
  return !paused && !isGoing(order) && refresh !== 'Never' && strategy !== 'Scheduled';
}

const schedules = new Map<string, ReadSchedule>();

/** The last time of the Order's schedule in this span (epoch ms); undefined without one. */
function tickBetween(order: Order, after: number, until: number): number | undefined {
  const { schedule, timeZone } = orderPlan(order.spec);
  if (schedule === undefined) return undefined;
  const key = `${timeZone ?? ''} ${schedule}`;
  let read = schedules.get(key);
  if (read === undefined) schedules.set(key, (read = readSchedule(schedule, timeZone)));
  return read.ok ? mostRecent(read.schedule, after, until).time : undefined;
}

export interface Extension {
  /** Epoch ms. */
  readonly tick: number;
  /** Epoch ms. */
  readonly until: number;
}

/**
 * The last tick after `changed` that has come and extends the Ticket; undefined where the Order does not extend Tickets, or no tick
 * has come since the Ticket was last extended.
 */
export function extensionOf(order: Order, { status }: Ticket, changed: number, wall: number): Extension | undefined {
  const { refresh, strategy, ticket } = orderPlan(order.spec);
  if (strategy !== 'Recurring' || refresh !== 'Always' || ticket.durationMs === undefined) return undefined;
  const since = parseTime(status?.renewedTime ?? status?.activationTime ?? '');
  const tick = since === undefined ? undefined : tickBetween(order, Math.max(since, changed), wall);
  return tick === undefined ? undefined : { tick, until: tick + ticket.durationMs };
}

/** The end of a Ticket that was to start at a time, whether or not it did. */
export function startedExpiry({ spec }: Ticket): number | undefined {
  const { startMs, durationMs } = ticketPlan(spec);
  return startMs === undefined || durationMs === undefined ? undefined : startMs + durationMs;
}

/** The Ticket is as the Order's template makes them, pin aside. */
export function isOfTemplate({ spec: { template } }: Order, { metadata, spec }: Ticket): boolean {
  const { affinity: _, nodeName: __, ...wanted } = template?.spec ?? {};
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  return (
    Object.entries(wanted).every(([field, value]) => isSame(spec[field as keyof Ticket['spec']], value)) &&
    Object.entries(template?.metadata?.labels ?? {}).every(([key, value]) => metadata.labels?.[key] === value)
  );
}
