/**
 * Heartbeats for a whole fleet in one Lease: nodes name it in an annotation, so fifty thousand nodes cost one small
 * write in ten seconds. A node whose own Lease somebody insists on (a real controller manager) can have one instead.
 */
import { FLEET_LEASE } from '../../core/api/names.ts';
import { LEASES } from '../../core/api/registry/resources.ts';
import type { Lease } from '../../core/api/types/coordination-v1.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { Logger } from '../../machinery/logger.ts';

const RENEW_MS = 10_000;
export const LEASE_NAMESPACE = 'kube-node-lease';
const DURATION_SECONDS = 40;

export interface HeartbeatOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Nodes that want a Lease each; the shared one is renewed besides. */
  readonly ownLeases: () => Iterable<string>;
}

/** Renews until the signal fires. A failed renewal is tried again at the next beat: one missed beat is no event. */
export async function beat({ client, clock, logger, ownLeases }: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const name of [FLEET_LEASE, ...ownLeases()]) {
      try {
        await renew(client, name, clock.now());
      } catch (error) {
        logger.warn('Could not renew a heartbeat', { namespace: LEASE_NAMESPACE, name, error });
      }
    }
    await clock.sleep(RENEW_MS, signal).catch(() => undefined);
  }
}

async function renew(client: Client, name: string, now: number): Promise<void> {
  const renewTime = formatMicroTime(now);
  try {
    const body = { spec: { renewTime } };
    await client.patch(LEASES, { namespace: LEASE_NAMESPACE, name }, { type: 'merge', body });
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: LEASE_NAMESPACE },
      spec: { holderIdentity: name, leaseDurationSeconds: DURATION_SECONDS, renewTime },
    };
    await client.create(LEASES, lease);
  }
}
