/** Signs of life of a node, and what its status says when there are none. Pure. */
import { FLEET_ANNOTATIONS, FLEET_LEASE } from '../../../core/api/names.ts';
import type { Node, NodeCondition } from '../../../core/api/types/core-v1.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';

export const LEASE_NAMESPACE = 'kube-node-lease';

/** The Lease that is this node's heartbeat: its own, or for simulated nodes the one they share. */
export function heartbeatLease(node: Node): string {
  const { annotations, name } = node.metadata;
  const simulated = annotations?.[FLEET_ANNOTATIONS.simulated];
  if (simulated === undefined || simulated === 'false') return name ?? '';
  return annotations?.[FLEET_ANNOTATIONS.heartbeatLease] ?? FLEET_LEASE;
}

export const readyCondition = (node: Node): NodeCondition | undefined =>
  findCondition(node.status?.conditions, 'Ready');

/** What was seen of a Lease, and when it last moved. Times are monotonic: wall clocks jump. */
export interface LeaseSign {
  readonly renewTime: string | undefined;
  readonly aliveAt: number;
}

/** One that is seen for the first time counts as just renewed; one that is not there is no sign of life. */
export function observeLease(known: LeaseSign | undefined, renewTime: string | undefined, now: number): LeaseSign {
  if (known === undefined) return { renewTime, aliveAt: renewTime === undefined ? Number.NEGATIVE_INFINITY : now };
  if (known.renewTime === renewTime) return known;
  return { renewTime, aliveAt: renewTime === undefined ? known.aliveAt : now };
}

/** What was seen of a node itself. Its Lease may speak for fifty thousand nodes, so that is kept apart. */
export interface Health {
  readonly uid: string;
  readonly lease: string;
  /** The heartbeat last seen in its status. */
  readonly heartbeat: string | undefined;
  /** Whether it had a Ready condition. */
  readonly reports: boolean;
  /** The last sign of life in its status or in a Lease it had before, by our own clock. */
  readonly aliveAt: number;
}

/** The health after a look; the very same when nothing moved. A node seen for the first time gets the full grace. */
export function observe(
  known: Health | undefined,
  node: Stored<Node>,
  now: number,
  signOf: (lease: string) => LeaseSign,
): Health {
  const ready = readyCondition(node);
  const heartbeat = ready?.lastHeartbeatTime ?? undefined;
  const reports = ready !== undefined;
  const lease = heartbeatLease(node);
  const { uid } = node.metadata;
  if (known === undefined || known.uid !== uid) return { uid, lease, heartbeat, reports, aliveAt: now };
  const isMoved = heartbeat !== known.heartbeat || reports !== known.reports;
  if (!isMoved && lease === known.lease) return known;
  // Whoever changes its Lease was alive for as long as the former one said so.
  const aliveAt = isMoved ? now : Math.max(known.aliveAt, signOf(known.lease).aliveAt);
  return { uid, lease, heartbeat, reports, aliveAt };
}

/** Conditions only a kubelet can vouch for. The network is somebody else's word. */
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The conditions of a node that is no longer heard of; the very same list when they say so already. */
export function unknownConditions(node: Stored<Node>, now: string): readonly NodeCondition[] {
  const present = node.status?.conditions ?? [];
  const isTold = VOUCHED.every((type) => findCondition(present, type)?.status === 'Unknown');
  if (isTold) return present;
  const changed = present.map((condition): NodeCondition => {
    if (!isVouched(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  const missing = VOUCHED.filter((type) => findCondition(present, type) === undefined);
  return [
    ...changed,
    ...missing.map((type): NodeCondition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: now,
    })),
  ];
}

const isVouched = (type: string): boolean => (VOUCHED as readonly string[]).includes(type);
