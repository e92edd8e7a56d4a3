/**
 * Heartbeats for a whole fleet in one Lease: nodes name it in an annotation (and a simulated node that names none means
 * the same one), so fifty thousand nodes cost one small write in ten seconds. Where each node
 * has a Lease of its own (few nodes, a real controller manager), those are renewed instead, spread over the interval.
 */
import { FLEET_LEASE } from '../../core/api/names.ts';
import { LEASES } from '../../core/api/registry/resources.ts';
import type { Lease } from '../../core/api/types/coordination-v1.ts';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';

const RENEW_MS = 10_000;
const LEASE_NAMESPACE = 'kube-node-lease';
const DURATION_SECONDS = 40;
/** Steps into which the interval is divided; in each, a share of the nodes' own Leases is renewed together. */
const STEPS = 100;
const MAX_TOGETHER = 256;

export interface HeartbeatOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Nodes that want a Lease each. */
  readonly ownLeases: () => Iterable<Stored<Node>>;
  /** Whether there are nodes that use the shared Lease. */
  readonly isShared: () => boolean;
}

/** Renews until the signal fires. A failed renewal is tried again at the next beat: one missed beat is no event. */
export async function beat(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, logger } = options;
  /** Leases that could not be renewed last time; each failure is logged once. */
  const failing = new Set<string>();

  async function renew(name: string, owner: Stored<Node> | undefined): Promise<void> {
    try {
      await renewLease(client, name, owner, clock.now(), signal);
      if (failing.delete(name)) logger.info('A heartbeat is back', { namespace: LEASE_NAMESPACE, name });
    } catch (error) {
      if (signal.aborted || failing.has(name)) return;
      failing.add(name);
      logger.warn('Could not renew a heartbeat', { namespace: LEASE_NAMESPACE, name, error });
    }
  }

  while (!signal.aborted) {
    const began = clock.monotonic();
    if (options.isShared()) await renew(FLEET_LEASE, undefined);
    const own = [...options.ownLeases()];
    const share = Math.min(MAX_TOGETHER, Math.ceil(own.length / STEPS));
    for (let i = 0; i < own.length && !signal.aborted; i += share) {
      await Promise.all(own.slice(i, i + share).map((node) => renew(node.metadata.name, node)));
      const due = began + ((i + share) / own.length) * (RENEW_MS * 0.9);
      await pause(clock, due - clock.monotonic(), signal);
    }
    await pause(clock, began + RENEW_MS - clock.monotonic(), signal);
  }
}

/** At least a moment, so that a slow API server does not make this a loop without a breath. */
const pause = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  clock.sleep(Math.max(1, ms), signal).catch(() => undefined);

async function renewLease(
  client: Client,
  name: string,
  owner: Stored<Node> | undefined,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const renewTime = formatMicroTime(now);
  try {
    const body = { spec: { renewTime } };
    await client.patch(LEASES, { namespace: LEASE_NAMESPACE, name }, { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        namespace: LEASE_NAMESPACE,
        ...(owner === undefined ? {} : { ownerReferences: [ownedBy(owner)] }),
      },
      spec: { holderIdentity: name, leaseDurationSeconds: DURATION_SECONDS, renewTime },
    };
    await client.create(LEASES, lease, { signal });
  }
}

/** As a kubelet's: the Lease goes with its Node. */
const ownedBy = ({ metadata: { name, uid } }: Stored<Node>): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
});
