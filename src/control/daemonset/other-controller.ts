/**
 * Two controllers of DaemonSets on one cluster would undo each other's work. Upstream's runs in kube-controller-manager,
 * whose leader keeps a Lease fresh; where that is so, ours does not start. (There, the rollout driver gives most of what
 * ours has.)
 */
import { LEASES } from '../../core/api/registry/resources.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import { parseTime } from '../../core/kube/time.ts';
import { createBackoff } from '../../machinery/time/backoff.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Random } from '../../machinery/random/random.ts';
import { DaemonSetError } from './errors.ts';

const CONTROLLER_MANAGER = 'kube-controller-manager';
const DEFAULT_LEASE_SECONDS = 15;

/**
 * The holder of the Lease of a program of the control plane, or undefined where there is none. `fresh`: only one that has renewed
 * it in time. `kept`: also one that has fallen silent and not given it back.
 */
export async function leaseHolder(
  client: Client,
  clock: Clock,
  name: string,
  counts: 'fresh' | 'kept',
): Promise<string | undefined> {
  const lease = await client.get(LEASES, { namespace: 'kube-system', name }).catch((error: unknown) => {
    if (isStatus(error, 'NotFound')) return undefined;
    throw error;
  });
  const { holderIdentity, renewTime, leaseDurationSeconds = DEFAULT_LEASE_SECONDS } = lease?.spec ?? {};
  if (holderIdentity === undefined || holderIdentity === '') return undefined;
  if (counts === 'kept') return holderIdentity;
  const renewed = renewTime === undefined ? undefined : parseTime(renewTime);
  if (renewed === undefined) return undefined;
  return renewed + leaseDurationSeconds * 1000 > clock.now() ? holderIdentity : undefined;
}

/** Asks until there is an answer: an API server that is overloaded or not up yet says nothing about who acts. */
export async function refuseBesideAnother(
  client: Client,
  clock: Clock,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const backoff = createBackoff(clock, random);
  const ask = (): Promise<string | undefined> =>
    leaseHolder(client, clock, CONTROLLER_MANAGER, 'fresh').catch(async (error: unknown) => {
      if (!isTemporary(error)) throw error;
      await clock.sleep(backoff.next(), signal);
      return ask();
    });
  const holder = await ask();
  if (holder === undefined) return;
  throw new DaemonSetError(
    'EN_DAEMONSET_OTHER_CONTROLLER',
    `kube-controller-manager (${holder}) runs DaemonSets on this cluster; start it with --controllers=*,-daemonset-controller and set this controller to run beside it, or use the rollout driver`,
  );
}

const isTemporary = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 429 || error.code >= 500);
