/** The kinds this product adds: reservations, provisioning, node daemons from one manifest, tenancy. */
import type { KubeObject } from '../../kube/objects.ts';
import { humanDuration, parseTime } from '../../kube/time.ts';
import { type OrderPlan, orderPlan } from '../kinds/reservation/order-plan.ts';
import { TICKET_PHASES } from '../names.ts';
import type { NodeClaim, NodePool } from '../types/karpenter-v1.ts';
import type { Order, Quota, Ticket } from '../types/korder-v1alpha1.ts';
import { DATE_AGE, int, NAME, printer, text, wide, type Column } from './columns.ts';
import { conditionStatus, since } from './text.ts';

const READY = ['Ready', 'Whether everything it asks for is in place'] as const;

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** A cell with the status of a condition. */
const statusOf =
  (type: string) =>
  ({ status }: Conditioned): string =>
    conditionStatus(status?.conditions, type) ?? '';

/** Time until a moment, or since it: `5m`, `3h ago`. */
function until(time: string | undefined, now: number): string {
  const then = time === undefined ? undefined : parseTime(time);
  if (then === undefined) return '';
  return then < now ? `${humanDuration(now - then)} ago` : humanDuration(then - now);
}

/** Orders are wanted from the first moment on, and counted when the controller has seen them. */
const wantedOf = ({ status }: Order, _now: number, plan: OrderPlan): number =>
  status?.replicas ?? (plan.daemonSet ? 0 : plan.replicas);

export const orderPrinter = printer<Order, OrderPlan>(
  [
    NAME,
    text('Mode', 'One Ticket on every eligible node (EveryNode), or a number of Tickets (Replicas)', (_, _now, plan) =>
      plan.daemonSet ? 'EveryNode' : 'Replicas',
    ),
    int('Wanted', 'Tickets that are wanted', wantedOf),
    int('Available', 'Tickets that hold room', ({ status }) => status?.availableReplicas ?? 0),
    text('Strategy', 'When Tickets are made', (_, _now, plan) => plan.strategy),
    text(...READY, statusOf('Ready')),
    DATE_AGE,
    wide('Refresh', 'What follows a claimed or expired Ticket', (_, _now, plan) => plan.refresh),
    wide('Paused', 'Whether the Order is left alone', (_, _now, plan) => String(plan.paused)),
    wide('Next', 'Time until the next tick of the schedule', ({ status }, now) => until(status?.nextScheduleTime, now)),
  ],
  ({ spec }) => orderPlan(spec),
);

/** Tickets of an older shape name the guardian in two fields. */
const guardianOf = ({ status }: Ticket): string =>
  status?.guardianPod ?? (status?.podName ? `${status.podNamespace ?? ''}/${status.podName}` : '');

function expiryOf({ status }: Ticket, now: number): string {
  if (status?.expirationTime !== undefined) return until(status.expirationTime, now);
  return status?.activationTime === undefined ? '' : 'never';
}

export const ticketPrinter = printer<Ticket>([
  NAME,
  text(
    'Phase',
    'Pending, Reserved, Claiming, Claimed, Released or Expired',
    ({ status }) => status?.phase ?? TICKET_PHASES.pending,
  ),
  text('Node', 'Node on which room is held', ({ status }) => status?.nodeName ?? ''),
  text('Claimed-By', 'Pod that took the room', ({ status }) => status?.claimedPod ?? ''),
  text('Expires', 'Time until the room is given back', expiryOf),
  DATE_AGE,
  wide('Guardian-Pod', 'Pod that holds the room until then', guardianOf),
  wide('Reason', 'Why no room is held', ({ status }) => status?.reason ?? ''),
]);

export const quotaPrinter = printer<Quota>([
  NAME,
  text('Scope', 'What the quota is counted over', ({ spec }) => spec?.scope?.type ?? 'Cluster'),
  text('Enforced', 'Whether it is applied', statusOf('Enforced')),
  text('Exceeded', 'Whether more is reserved than allowed', statusOf('Exceeded')),
  DATE_AGE,
  wide('Window', 'Time window that multiplies its values now', ({ status }) => status?.activeTimeWindow ?? ''),
]);

export const nodePoolPrinter = printer<NodePool>([
  NAME,
  text('NodeClass', 'Node class nodes are made from', ({ spec }) => spec?.template?.spec?.nodeClassRef?.name ?? ''),
  text('Nodes', 'Nodes of the pool', ({ status }) => String(status?.nodes ?? status?.resources?.['nodes'] ?? '')),
  text(...READY, statusOf('Ready')),
  DATE_AGE,
  int('Weight', 'Heavier pools are tried first', ({ spec }) => spec?.weight ?? null, 1),
  wide('CPU', 'CPU of all its nodes', ({ status }) => String(status?.resources?.['cpu'] ?? '')),
  wide('Memory', 'Memory of all its nodes', ({ status }) => String(status?.resources?.['memory'] ?? '')),
]);

/** A cell with the value of a label. */
const labelOf =
  (key: string) =>
  ({ metadata }: KubeObject): string =>
    metadata.labels?.[key] ?? '';

export const nodeClaimPrinter = printer<NodeClaim>([
  NAME,
  text('Type', 'Instance type', labelOf('node.kubernetes.io/instance-type')),
  text('Capacity', 'On demand, spot or reserved', labelOf('karpenter.sh/capacity-type')),
  text('Zone', 'Zone the node is in', labelOf('topology.kubernetes.io/zone')),
  text('Node', 'Node the claim became', ({ status }) => status?.nodeName ?? ''),
  text(...READY, statusOf('Ready')),
  DATE_AGE,
  wide('ImageID', 'Image the node runs', ({ status }) => status?.imageID ?? ''),
  wide('ID', 'Identity of the machine at its provider', ({ status }) => status?.providerID ?? ''),
  wide('NodePool', 'Pool the claim belongs to', labelOf('karpenter.sh/nodepool')),
  wide('NodeClass', 'Node class the node is made from', ({ spec }) => spec?.nodeClassRef?.name ?? ''),
  wide('Drifted', 'Whether the node no longer matches its pool', statusOf('Drifted')),
]);

/** Reads a scalar out of a part whose shape is open; '' when it is not there. */
function read(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function readyOf(object: KubeObject): string {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } };
  const conditions: unknown = status?.conditions;
  if (!Array.isArray(conditions)) return '';
  const list = conditions.filter((entry): entry is { type: string; status: string } => Boolean(entry));
  return conditionStatus(list, 'Ready') ?? '';
}

/** A cell with the scalar at a path of an object whose shape is open. */
const at =
  (...path: readonly string[]) =>
  (object: KubeObject): string =>
    read(object, path);

/** A cell with the time since the moment at a path. */
const sinceAt =
  (...path: readonly string[]) =>
  (object: KubeObject, now: number): string => {
    const value = read(object, path);
    return value === '' ? value : since(value, now);
  };

/** For kinds with an open shape: columns of their own, then readiness and age. */
const openPrinter = (...columns: readonly Column<KubeObject>[]) =>
  printer<KubeObject>([NAME, ...columns, text(...READY, readyOf), DATE_AGE]);

export const tenantPrinter = openPrinter(
  text('Status', 'Whether the tenant is in use or going away', at('status', 'phase')),
  wide('Partition', 'Partition the tenant lives in', at('spec', 'partition')),
);

export const partitionPrinter = openPrinter(
  text('Role', 'Whether it owns workloads or nodes', at('spec', 'role')),
  text('Status', 'Whether it answers', at('status', 'phase')),
  text('Last Seen', 'Time since it last answered', sinceAt('status', 'lastSeenTime')),
  wide('Server', 'Address of its API server', at('spec', 'server')),
);

export const daemonHomePrinter = openPrinter(
  text('Daemon', 'Daemon that is at home here', at('spec', 'daemon')),
  text('Partition', 'Partition that looks after it', at('status', 'partition')),
);

export const nodeUsagePrinter = openPrinter(
  text('Pods', 'Pods on the node, of all partitions', at('status', 'pods')),
  text('CPU', 'CPU they request', at('status', 'used', 'cpu')),
  text('Memory', 'Memory they request', at('status', 'used', 'memory')),
);
