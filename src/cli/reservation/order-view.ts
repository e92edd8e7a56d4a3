/** An Order as `everynode orders` shows it: what it wants, what it has, and why the two differ. Pure. */
import { orderPlan } from '../../core/api/kinds/reservation/order-plan.ts';
import { ORDER_CONDITIONS } from '../../core/api/names.ts';
import type { Order } from '../../core/api/types/korder-v1alpha1.ts';
import { findCondition } from '../../core/kube/conditions.ts';
import { formatGoDuration } from '../../core/kube/go-duration.ts';
import type { Condition } from '../../core/kube/meta-v1.ts';
import { count, printable, table } from '../component/text.ts';
import { timeLeft } from './times.ts';

/** One word for the state of an Order; docs/reservations.md explains each. */
type OrderState =
  | 'ready'
  | 'progressing'
  | 'waiting'
  | 'ended'
  | 'paused'
  | 'no-nodes'
  | 'no-room'
  | 'failed'
  | 'unobserved'
  | 'deleting';

export interface OrderView {
  readonly namespace: string;
  readonly name: string;
  readonly mode: 'daemonSet' | 'replicas';
  readonly state: OrderState;
  /** Absent until a controller has counted. */
  readonly wanted?: number;
  readonly available?: number;
  readonly updated?: number;
  readonly finished?: number;
  readonly strategy: string;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly refresh: string;
  /** How long Tickets hold their room; absent: without end. */
  readonly duration?: string;
  readonly lastTick?: string;
  readonly nextTick?: string;
  /** Tickets that bear the name of the Order and have no controller; absent where there are none, or nobody counted. */
  readonly orphans?: number;
  /** Sentences; empty where all is well. */
  readonly whyNot: readonly string[];
  /** Other Orders that want the same nodes; absent where there are none. */
  readonly overlaps?: string;
}

export function orderView(order: Order, orphans = 0): OrderView {
  const { metadata, spec, status } = order;
  const plan = orderPlan(spec);
  const { durationMs } = plan.ticket;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const overlap = findCondition(status?.conditions, ORDER_CONDITIONS.overlaps);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    mode: plan.daemonSet ? 'daemonSet' : 'replicas',
    state: stateOf(order, isSeen),
    ...(status?.replicas === undefined ? {} : { wanted: status.replicas }),
    ...(status?.availableReplicas === undefined ? {} : { available: status.availableReplicas }),
    ...(status?.updatedReplicas === undefined ? {} : { updated: status.updatedReplicas }),
    ...(status?.terminalReplicas === undefined ? {} : { finished: status.terminalReplicas }),
    strategy: plan.strategy,
    ...(plan.schedule === undefined ? {} : { schedule: plan.schedule }),
    ...(plan.timeZone === undefined ? {} : { timeZone: plan.timeZone }),
    refresh: plan.refresh,
    ...(durationMs === undefined ? {} : { duration: shortDuration(durationMs) }),
    ...(status?.lastScheduleTime === undefined ? {} : { lastTick: status.lastScheduleTime }),
    ...(status?.nextScheduleTime === undefined ? {} : { nextTick: status.nextScheduleTime }),
    ...(orphans === 0 ? {} : { orphans }),
    whyNot: whyNot(order, isSeen),
    ...(overlap?.status === 'True' ? { overlaps: printable(overlap.message) } : {}),
  };
}

/** `8h` for `8h0m0s`. */
const shortDuration = (ms: number): string => formatGoDuration(ms).replace(/(?<=[hm])(?:0m)?0s$/, '');

function stateOf(order: Order, isSeen: boolean): OrderState {
  const { metadata, spec, status } = order;
  const is = (type: string, value: string): boolean => findCondition(status?.conditions, type)?.status === value;
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if (!isSeen) return 'unobserved';
  if (orderPlan(spec).paused) return 'paused';
  if (is(ORDER_CONDITIONS.failure, 'True')) return 'failed';
  if (is(ORDER_CONDITIONS.nodesEligible, 'False')) return 'no-nodes';
  if (is(ORDER_CONDITIONS.ready, 'True')) return 'ready';
  if (is(ORDER_CONDITIONS.fits, 'False')) return 'no-room';
  if (reasonOf(order, ORDER_CONDITIONS.ready) === 'TicketsEnded') return 'ended';
  return WAITING.has(reasonOf(order, ORDER_CONDITIONS.progressing)) ? 'waiting' : 'progressing';
}

/** Reasons of Progressing: only the time brings more Tickets, or their guardians. */
const WAITING: ReadonlySet<string | undefined> = new Set(['WaitingForTick', 'WaitingForStart']);

const reasonOf = ({ status }: Order, type: string): string | undefined =>
  findCondition(status?.conditions, type)?.reason;

/** Conditions that say why not, with the status in which they do; the gravest first. */
const TELLING: readonly (readonly [type: string, status: string])[] = [
  [ORDER_CONDITIONS.failure, 'True'],
  [ORDER_CONDITIONS.nodesEligible, 'False'],
  [ORDER_CONDITIONS.fits, 'False'],
];

function whyNot(order: Order, isSeen: boolean): readonly string[] {
  const { metadata, status } = order;
  if (!isSeen && metadata.deletionTimestamp === undefined) return [UNSEEN];
  const conditions = status?.conditions;
  const told: Condition[] = [];
  for (const [type, value] of TELLING) {
    const condition = findCondition(conditions, type);
    if (condition?.status === value) told.push(condition);
  }
  const ready = findCondition(conditions, ORDER_CONDITIONS.ready);
  if (ready !== undefined && ready.status !== 'True' && told.length === 0) told.push(ready);
  // Orders that share nodes are no trouble where the nodes are large enough for all of them.
  const overlap = findCondition(conditions, ORDER_CONDITIONS.overlaps);
  const isShort = told.some(({ type }) => type === ORDER_CONDITIONS.fits) && overlap?.status === 'True';
  if (overlap !== undefined && (isShort || overlap.reason === 'NodesTooSmall')) told.push(overlap);
  return told.map(({ reason, message }) => printable(message || reason)).filter((text) => text !== '');
}

const UNSEEN = 'no controller has acted on the newest spec yet: the controller `reservation` of everynode must run';

const HEADINGS = ['NAME', 'MODE', 'STATE', 'WANTED', 'AVAILABLE', 'STRATEGY', 'REFRESH', 'NEXT-TICK'];
const WIDE = ['UPDATED', 'FINISHED', 'DURATION', 'SCHEDULE', 'LAST-TICK'];

export interface TableOptions {
  readonly now: number;
  readonly isWide: boolean;
  /** Whether the namespace is a column. */
  readonly withNamespace: boolean;
}

export function ordersTable(views: readonly OrderView[], options: TableOptions): string {
  const { isWide, withNamespace } = options;
  const first = withNamespace ? ['NAMESPACE'] : [];
  const rows = views.map((view) => rowOf(view, options));
  return table([[...first, ...HEADINGS, ...(isWide ? WIDE : [])], ...rows]);
}

function rowOf(view: OrderView, { now, isWide, withNamespace }: TableOptions): readonly string[] {
  const number = (value: number | undefined): string => (value === undefined ? '-' : String(value));
  const { nextTick, lastTick, schedule, timeZone } = view;
  return [
    ...(withNamespace ? [view.namespace] : []),
    view.name,
    view.mode,
    view.state,
    number(view.wanted),
    number(view.available),
    view.strategy,
    view.refresh,
    nextTick === undefined ? '-' : isWide ? nextTick : timeLeft(nextTick, now),
    ...(isWide
      ? [
          number(view.updated),
          number(view.finished),
          view.duration ?? 'endless',
          schedule === undefined ? '-' : printable(timeZone === undefined ? schedule : `${schedule} ${timeZone}`),
          lastTick ?? '-',
        ]
      : []),
  ];
}

/** States in which a look at single Tickets helps. */
const UNFINISHED: ReadonlySet<OrderState> = new Set<OrderState>(['progressing', 'no-room', 'failed']);

const orphanNote = (name: string, namespace: string, orphans: number): string =>
  `${count(orphans, 'Ticket')} without a controller ${orphans === 1 ? 'bears' : 'bear'} its name: everynode tickets ${name} -n ${namespace} says what to do`;

/** The sentences of all Orders, one a line, each with the name of its Order. */
export function orderNotes(views: readonly OrderView[], isWide: boolean): readonly string[] {
  return views.flatMap(
    ({ namespace, name, whyNot: sentences, overlaps, state, orphans = 0, wanted = 0, available = 0 }) => {
      const shared = isWide && overlaps !== undefined && !sentences.includes(overlaps) ? [overlaps] : [];
      const left = orphans === 0 ? [] : [orphanNote(name, namespace, orphans)];
      const lines = [...sentences, ...shared, ...left].map((sentence) => `${namespace}/${name}: ${sentence}`);
      if (!UNFINISHED.has(state) || available >= wanted) return lines;
      return [...lines, `${namespace}/${name}: node by node: everynode tickets ${name} -n ${namespace}`];
    },
  );
}
