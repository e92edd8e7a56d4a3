/** Signs of life of a node, and its conditions when there are none. Pure. */
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

/** The renewal last seen of a Lease, and when it last changed. Times are monotonic ms: wall clocks jump. */
export interface LeaseSign {
  readonly renewTime: string | undefined;
  readonly aliveAt: number;
}

/** A Lease seen for the first time counts as just renewed; a missing Lease is no sign of life. */
export function observeLease(known: LeaseSign | undefined, renewTime: string | undefined, now: number): LeaseSign {
  if (known === undefined) return { renewTime, aliveAt: renewTime === undefined ? Number.NEGATIVE_INFINITY : now };
  if (known.renewTime === renewTime) return known;
  return { renewTime, aliveAt: renewTime === undefined ? known.aliveAt : now };
}

/** The status last seen of a node. The sign of its Lease is kept apart: one Lease may speak for fifty thousand nodes. */
export interface Health {
  readonly uid: string;
  readonly lease: string;
  /** The heartbeat last seen in the node's Ready condition. */
  readonly heartbeat: string | undefined;
  /** Whether the node had a Ready condition. */
  readonly reports: boolean;
  /** The last sign of life in the status, or in a Lease the node had before (monotonic ms of this process). */
  readonly aliveAt: number;
}

/** The health after a pass; the same reference when nothing changed. A node seen for the first time gets the full grace. */
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
  // A node that changed its Lease was alive for as long as the former Lease said so.
  const aliveAt = isMoved ? now : Math.max(known.aliveAt, signOf(known.lease).aliveAt);
  return { uid, lease, heartbeat, reports, aliveAt };
}

/** Conditions that only a kubelet sets. NetworkUnavailable is set by the network plugin. */
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The conditions of a node that is no longer heard of; the same list when all are Unknown already. */
export function unknownConditions(node: Stored<Node>, now: string): readonly NodeCondition[] {
  const present = node.status?.conditions ?? [];
  const isUnknown = VOUCHED.every((type) => findCondition(present, type)?.status === 'Unknown');
  if (isUnknown) return present;
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
