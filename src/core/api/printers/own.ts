/** The kinds this product adds: reservations, provisioning, node daemons from one manifest, tenancy. */
import type { KubeObject } from '../../kube/objects.ts';
import type { NodeClaim, NodePool } from '../types/karpenter-v1.ts';
import type { Order, Quota, Ticket } from '../types/korder-v1alpha1.ts';
import type { PrinterColumn } from '../kind/kind-definition.ts';
import { DATE_AGE, int, NAME, printer, text, wide } from './columns.ts';
import { age, conditionStatus, since } from './text.ts';

const READY = text('Ready', 'Whether everything it asks for is in place');

export const orderPrinter = printer<Order>(
  [
    NAME,
    text('Kind', 'How many tickets: a number, or one a node'),
    int('Tickets', 'Tickets there are'),
    int('Available', 'Tickets that hold room'),
    READY,
    DATE_AGE,
    wide('Refresh', 'When tickets are renewed'),
    wide('Paused', 'Whether the order is left alone'),
  ],
  (order, now) => [
    order.metadata.name,
    order.spec?.daemonSet === true ? 'EveryNode' : String(order.spec?.replicas ?? 1),
    order.status?.replicas ?? 0,
    order.status?.availableReplicas ?? 0,
    conditionStatus(order.status?.conditions, 'Ready') ?? '',
    age(order, now),
    order.spec?.refreshPolicy ?? order.spec?.strategy?.refreshPolicy ?? '',
    String(order.spec?.paused ?? false),
  ],
);

/** Tickets of an older shape name the guardian in two fields. */
const guardianOf = ({ status }: Ticket): string =>
  status?.guardianPod ?? (status?.podName ? `${status.podNamespace ?? ''}/${status.podName}` : '');

export const ticketPrinter = printer<Ticket>(
  [
    NAME,
    text('Phase', 'Pending, Ready, Claimed or Expired'),
    wide('Node', 'Node on which room is held'),
    text('Claimed-By', 'Pod that took the room'),
    wide('Guardian-Pod', 'Pod that holds the room until then'),
    wide('Expiration', 'Moment the room is given back'),
    DATE_AGE,
  ],
  (ticket, now) => [
    ticket.metadata.name,
    ticket.status?.phase ?? '',
    ticket.status?.nodeName ?? '',
    ticket.status?.claimedPod ?? '',
    guardianOf(ticket),
    ticket.status?.expirationTime ?? '',
    age(ticket, now),
  ],
);

export const quotaPrinter = printer<Quota>(
  [
    NAME,
    text('Scope', 'What the quota is counted over'),
    text('Enforced', 'Whether it is applied'),
    text('Exceeded', 'Whether more is reserved than allowed'),
    DATE_AGE,
  ],
  (quota, now) => [
    quota.metadata.name,
    quota.spec?.scope?.type ?? '',
    conditionStatus(quota.status?.conditions, 'Enforced') ?? '',
    conditionStatus(quota.status?.conditions, 'Exceeded') ?? '',
    age(quota, now),
  ],
);

export const nodePoolPrinter = printer<NodePool>(
  [
    NAME,
    text('NodeClass', 'Node class nodes are made from'),
    text('Nodes', 'Nodes of the pool'),
    READY,
    DATE_AGE,
    int('Weight', 'Heavier pools are tried first', 1),
    wide('CPU', 'CPU of all its nodes'),
    wide('Memory', 'Memory of all its nodes'),
  ],
  (pool, now) => [
    pool.metadata.name,
    pool.spec?.template?.spec?.nodeClassRef?.name ?? '',
    String(pool.status?.nodes ?? pool.status?.resources?.['nodes'] ?? ''),
    conditionStatus(pool.status?.conditions, 'Ready') ?? '',
    age(pool, now),
    pool.spec?.weight ?? null,
    String(pool.status?.resources?.['cpu'] ?? ''),
    String(pool.status?.resources?.['memory'] ?? ''),
  ],
);

export const nodeClaimPrinter = printer<NodeClaim>(
  [
    NAME,
    text('Type', 'Instance type'),
    text('Capacity', 'On demand, spot or reserved'),
    text('Zone', 'Zone the node is in'),
    text('Node', 'Node the claim became'),
    READY,
    DATE_AGE,
    wide('ImageID', 'Image the node runs'),
    wide('ID', 'Identity of the machine at its provider'),
    wide('NodePool', 'Pool the claim belongs to'),
    wide('NodeClass', 'Node class the node is made from'),
    wide('Drifted', 'Whether the node no longer matches its pool'),
  ],
  (claim, now) => {
    const labels = claim.metadata.labels ?? {};
    return [
      claim.metadata.name,
      labels['node.kubernetes.io/instance-type'] ?? '',
      labels['karpenter.sh/capacity-type'] ?? '',
      labels['topology.kubernetes.io/zone'] ?? '',
      claim.status?.nodeName ?? '',
      conditionStatus(claim.status?.conditions, 'Ready') ?? '',
      age(claim, now),
      claim.status?.imageID ?? '',
      claim.status?.providerID ?? '',
      labels['karpenter.sh/nodepool'] ?? '',
      claim.spec?.nodeClassRef?.name ?? '',
      conditionStatus(claim.status?.conditions, 'Drifted') ?? '',
    ];
  },
);

/** Reads a scalar out of a part whose shape is open; '' when it is not there. */
function read(object: KubeObject, ...path: readonly string[]): string {
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

interface OpenColumn {
  readonly column: PrinterColumn;
  readonly path: readonly string[];
  readonly sinceThen?: boolean;
}

/** For kinds with an open shape: a column a path, then readiness and age. */
const openPrinter = (columns: readonly OpenColumn[]) =>
  printer<KubeObject>([NAME, ...columns.map(({ column }) => column), READY, DATE_AGE], (object, now) => [
    object.metadata.name,
    ...columns.map(({ path, sinceThen }) => {
      const value = read(object, ...path);
      return sinceThen && value !== '' ? since(value, now) : value;
    }),
    readyOf(object),
    age(object, now),
  ]);

export const tenantPrinter = openPrinter([
  { column: text('Status', 'Whether the tenant is in use or going away'), path: ['status', 'phase'] },
  { column: wide('Partition', 'Partition the tenant lives in'), path: ['spec', 'partition'] },
]);

export const partitionPrinter = openPrinter([
  { column: text('Role', 'Whether it owns workloads or nodes'), path: ['spec', 'role'] },
  { column: text('Status', 'Whether it answers'), path: ['status', 'phase'] },
  { column: text('Last Seen', 'Time since it last answered'), path: ['status', 'lastSeenTime'], sinceThen: true },
  { column: wide('Server', 'Address of its API server'), path: ['spec', 'server'] },
]);

export const daemonHomePrinter = openPrinter([
  { column: text('Daemon', 'Daemon that is at home here'), path: ['spec', 'daemon'] },
  { column: text('Partition', 'Partition that looks after it'), path: ['status', 'partition'] },
]);

export const nodeUsagePrinter = openPrinter([
  { column: text('Pods', 'Pods on the node, of all partitions'), path: ['status', 'pods'] },
  { column: text('CPU', 'CPU they request'), path: ['status', 'used', 'cpu'] },
  { column: text('Memory', 'Memory they request'), path: ['status', 'used', 'memory'] },
]);
