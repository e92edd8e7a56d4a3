/** The status of an Order: counted by the engine, written only when counts, times or conditions have changed. */
import { ORDERS } from '../../../core/api/registry/resources.ts';
import type { Order, OrderStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { AVAILABLE, UPDATED, WANTED } from '../../../core/daemons/ticket-rules.ts';
import { FINISHED } from '../../../core/daemons/ticket-child.ts';
import { findCondition, setCondition } from '../../../core/kube/conditions.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import type { Condition } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { writeStatus } from '../../../machinery/children/write-status.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { KnownOrder } from './known-order.ts';
import { type NewCondition, ONLY_OF_NODES } from './order-conditions.ts';
import type { OrderView } from './order-registry.ts';

export type Counts = Required<
  Pick<
    OrderStatus,
    'replicas' | 'availableReplicas' | 'unavailableReplicas' | 'updatedReplicas' | 'terminalReplicas' | 'selector'
  >
>;

export function countsOf({ selector }: KnownOrder, view: OrderView): Counts {
  const wanted = view.count(WANTED);
  const available = view.count(AVAILABLE);
  return {
    replicas: wanted,
    availableReplicas: available,
    unavailableReplicas: wanted - available,
    updatedReplicas: view.count(UPDATED),
    terminalReplicas: view.ofRevision(FINISHED),
    selector: formatLabelSelector(selector),
  };
}

/** Times of the schedule (epoch ms). */
export interface ScheduleTimes {
  readonly last: number | undefined;
  readonly next: number | undefined;
}

/** Everything that a reconcile found out. Undefined counts are left as they are: an Order that is not acted on is not counted. */
export interface NewStatus {
  readonly counts: Counts | undefined;
  readonly times: ScheduleTimes;
  readonly conditions: readonly NewCondition[];
}

/** The status with all of it; the same one where nothing changes. */
function nextStatus(status: OrderStatus, generation: number, found: NewStatus, now: string): OrderStatus {
  const { lastScheduleTime: last, nextScheduleTime: next, ...rest } = status;
  const lastScheduleTime = later(last, found.times.last);
  const nextScheduleTime = found.times.next === undefined ? undefined : formatTime(found.times.next);
  const conditions = nextConditions(status.conditions, found.conditions, now);
  const isSame =
    last === lastScheduleTime &&
    next === nextScheduleTime &&
    status.conditions === conditions &&
    (status.observedGeneration ?? 0) >= generation &&
    (found.counts === undefined || KEYS.every((key) => (status[key] ?? EMPTY[key]) === found.counts?.[key]));
  if (isSame) return status;
  return {
    ...rest,
    ...found.counts,
    observedGeneration: generation,
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(nextScheduleTime === undefined ? {} : { nextScheduleTime }),
    conditions,
  };
}

const NO_STATUS: OrderStatus = Object.freeze({});
const EMPTY: Counts = {
  replicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
  updatedReplicas: 0,
  terminalReplicas: 0,
  selector: '',
};
const KEYS = Object.keys(EMPTY) as readonly (keyof Counts)[];

/** A tick that is done is not undone by a status written late. */
function later(text: string | undefined, time: number | undefined): string | undefined {
  const found = time === undefined ? undefined : formatTime(time);
  return found === undefined || (text !== undefined && text > found) ? text : found;
}

/** Conditions of nodes that the Order does not have (any more) go; those of other controllers stay. */
function nextConditions(
  conditions: readonly Condition[] | undefined,
  wanted: readonly NewCondition[],
  now: string,
): readonly Condition[] {
  const isOurs = ({ type }: Condition): boolean =>
    !ONLY_OF_NODES.has(type) || wanted.some((condition) => condition.type === type);
  const before = conditions ?? NONE;
  let list = before.every(isOurs) ? before : before.filter(isOurs);
  for (const condition of wanted) list = setCondition<Condition>(list, { ...condition, lastTransitionTime: now }, now);
  return list;
}

const NONE: readonly never[] = Object.freeze([]);

/** Whether people, or a controller that starts again, should see the change at once: more than counts and messages are others. */
function isUrgent(before: OrderStatus, after: OrderStatus): boolean {
  if (before.observedGeneration !== after.observedGeneration) return true;
  if (before.lastScheduleTime !== after.lastScheduleTime) return true;
  const { conditions = NONE } = after;
  return conditions.some(({ type, status }) => findCondition(before.conditions, type)?.status !== status);
}

/**
 * Returns the Order as written; as it was where nothing changes, and 'later' where the change can wait.
 *
 * @param mayWait whether a change of counts and messages alone is left for another time.
 */
export async function writeOrderStatus(
  client: Client,
  object: Stored<Order>,
  found: NewStatus,
  nowMs: number,
  mayWait = false,
): Promise<Stored<Order> | 'later'> {
  const now = formatTime(nowMs);
  const { generation = 0 } = object.metadata;
  const { status = NO_STATUS } = object;
  const next = nextStatus(status, generation, found, now);
  if (next === status) return object;
  if (mayWait && !isUrgent(status, next)) return 'later';
  return writeStatus<Order, OrderStatus>(client, ORDERS, object, (base) =>
    nextStatus(base.status ?? NO_STATUS, generation, found, now),
  );
}
