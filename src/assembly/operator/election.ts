/** Leader election of the operator: one Lease, renewed over a connection of its own. */
import type { Client } from '../../machinery/client/client.ts';
import { createLeaderElection, type LeaderElection } from '../../machinery/election/leader-election.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { Clock } from '../../machinery/time/clock.ts';

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unlike that of any other process. */
  readonly identity: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

/** Runs while this process holds the Lease. `stop` asks for an orderly end; `lost` means that writes must cease. */
export type Lead = (stop: AbortSignal, lost: AbortSignal) => Promise<void>;

const RENEW_DEADLINE_MS = 10_000;
const RETRY_PERIOD_MS = 2_000;

/** A request for the Lease must leave time for a second one within the renew deadline. */
export const renewalTimeoutMs = (electing: ElectionOptions | undefined): number =>
  Math.max(1_000, (electing?.renewDeadlineMs ?? RENEW_DEADLINE_MS) / 2);

export function createElection(
  electing: ElectionOptions,
  lead: Lead,
  {
    client,
    clock,
    random,
    logger,
  }: { readonly client: Client; readonly clock: Clock; readonly random: Random; readonly logger: Logger },
): LeaderElection {
  const retryPeriodMs = electing.retryPeriodMs ?? RETRY_PERIOD_MS;
  return createLeaderElection({
    client,
    clock,
    random,
    logger,
    lease: { namespace: electing.namespace, name: electing.name },
    identity: electing.identity,
    ...(electing.leaseDurationMs === undefined ? {} : { leaseDurationMs: electing.leaseDurationMs }),
    renewDeadlineMs: electing.renewDeadlineMs ?? RENEW_DEADLINE_MS,
    retryPeriodMs,
    // Reading the Lease is cheap, and a standby that looks often takes over soon.
    standbyPeriodMs: retryPeriodMs / 2,
    releaseOnStop: true,
    lead,
    onNewLeader: (leader) => logger.info('There is a new leader', { leader }),
  });
}
