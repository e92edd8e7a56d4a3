/** The state of the node lifecycle controller in one record. Nothing of it is persisted: a new leader starts with full grace. */
import { FLEET_LEASE } from '../../../core/api/names.ts';
import type { Lease } from '../../../core/api/types/coordination-v1.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Lister } from '../../../machinery/cache/object-store.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { TokenBucket } from '../../../machinery/controller/workqueue/rate-limiter.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { type Health, LEASE_NAMESPACE, type LeaseSign } from './node-health.ts';
import type { TaintQueue } from './taint-queue.ts';
import type { ZoneRates, ZoneState } from './zones.ts';

export interface LifecycleState {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  readonly nodes: Lister<Node>;
  readonly leases: Lister<Lease>;
  readonly pods: Lister<Pod>;
  readonly graceMs: number;
  readonly startupGraceMs: number;
  readonly rates: ZoneRates;
  /** Limits the RegisteredNode and RemovingNode events: fifty thousand nodes must not become as many events. */
  readonly announcements: TokenBucket;
  /** By node name: what the node's own status last showed. An entry for every node that a pass has seen. */
  readonly healths: Map<string, Health>;
  /** By Lease name: the renewal last seen. Kept apart from `healths`: one Lease may speak for fifty thousand nodes. */
  readonly signs: Map<string, LeaseSign>;
  /** Nodes with pods that still say Ready though they fell, because a write failed; the next pass tries again. */
  readonly unmarked: Set<string>;
  /** Nodes that are not ready and have no NoExecute taint yet, each zone at its own pace. */
  readonly queue: TaintQueue;
  /** Monotonic ms: no node's silence began before this. Moved when this process was away, and after a blackout. */
  graceSince: number;
  /** By zone, as of the last pass; zones without nodes are forgotten. */
  zones: ReadonlyMap<string, ZoneState>;
  /** The signal of `start`; undefined before. Taints of the queue are written under it. */
  running: AbortSignal | undefined;
}

/** Writes in flight at a time, per step of a pass. */
export const AT_ONCE = 32;

export const nowText = ({ clock }: LifecycleState): string => formatTime(clock.now());

/** A simulated node may have a Lease of its own beside the one that all share: either is a sign of life. */
export const hasOwnLease = ({ leases }: LifecycleState, lease: string, nodeName: string): boolean =>
  lease === FLEET_LEASE && leases.get(nodeName, LEASE_NAMESPACE) !== undefined;

/** Every node gets its full grace once more. */
export function restartGrace(lifecycle: LifecycleState): void {
  lifecycle.graceSince = lifecycle.clock.monotonic();
}
