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

/** What was seen of a node, and when. Times are monotonic: wall clocks jump. */
export interface Health {
  readonly uid: string;
  /** The renewal last seen in its Lease. */
  readonly renewTime: string | undefined;
  /** The heartbeat last seen in its status. */
  readonly heartbeat: string | undefined;
  /** Whether it had a Ready condition. */
  readonly reports: boolean;
  /** The last sign of life, by our own clock. */
  readonly aliveAt: number;
}

/** The health after a look. Whatever moved is a sign of life; a node seen for the first time gets the full grace. */
export function observe(
  known: Health | undefined,
  node: Stored<Node>,
  renewTime: string | undefined,
  now: number,
): Health {
  const ready = readyCondition(node);
  const heartbeat = ready?.lastHeartbeatTime ?? undefined;
  const reports = ready !== undefined;
  const { uid } = node.metadata;
  if (known === undefined || known.uid !== uid) return { uid, renewTime, heartbeat, reports, aliveAt: now };
  const isSame = known.renewTime === renewTime && known.heartbeat === heartbeat && known.reports === reports;
  if (isSame) return known;
  // A Lease that is gone is no sign of life.
  const moved = (renewTime !== undefined && renewTime !== known.renewTime) || heartbeat !== known.heartbeat;
  return { uid, renewTime, heartbeat, reports, aliveAt: moved || reports !== known.reports ? now : known.aliveAt };
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
