/** Health checks of the operator. They reveal names of resources and processes, nothing else. */
import type { Resource } from '../../core/kube/objects.ts';
import type { HealthCheck } from '../../machinery/health/health.ts';
import type { ServerProbe } from '../../machinery/health/health-probe.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { LeaderElection } from '../../machinery/election/leader-election.ts';
import type { Shift } from './shift.ts';
import type { Webhooks } from './webhooks.ts';

export interface CheckedParts {
  readonly probe: ServerProbe;
  readonly informers: Informers;
  readonly election: LeaderElection | undefined;
  readonly shift: Shift;
  /** Absent where none are served. */
  readonly webhooks: Pick<Webhooks, 'ready'> | undefined;
  readonly stopping: AbortSignal;
}

/** A leader without a renewal for this long should have ended by itself; if it did not, the kubelet restarts it. */
const STUCK_AFTER_MS = 60_000;

const textOf = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`;

export function operatorChecks(parts: CheckedParts): readonly HealthCheck[] {
  const { probe, informers, election, shift, webhooks, stopping } = parts;
  return [
    { name: 'ping', isVital: true, check: () => ({ ok: true }) },
    probe,
    {
      name: 'informers',
      check() {
        const waiting = new Set<string>();
        const refused = new Set<string>();
        for (const { resource, hasSynced, isRefused } of informers.all()) {
          if (!hasSynced()) waiting.add(textOf(resource));
          else if (isRefused()) refused.add(textOf(resource));
        }
        // Some controllers watch further resources by themselves, once they run.
        for (const resource of shift.unknown()) waiting.add(textOf(resource));
        if (waiting.size > 0) return { ok: false, says: `not known yet: ${[...waiting].join(', ')}` };
        return refused.size === 0
          ? { ok: true }
          : { ok: false, says: `may not be followed any more: ${[...refused].join(', ')}` };
      },
    },
    {
      name: 'leader-election',
      isVital: true,
      check() {
        if (election === undefined) return { ok: true, says: 'off' };
        const since = election.sinceRenewed();
        if (since !== undefined && since > STUCK_AFTER_MS)
          return { ok: false, says: `leads, but has not renewed the lease for ${Math.round(since / 1000)} s` };
        if (election.isLeader()) return { ok: true, says: 'leads' };
        const leader = election.leader();
        return { ok: true, says: leader === '' ? 'nobody leads yet' : `${leader} leads` };
      },
    },
    {
      name: 'controllers',
      check() {
        return { ok: election?.isLeader() === false || shift.ready(), says: shift.describe().join(', ') };
      },
    },
    {
      name: 'leader-known',
      check: () =>
        election === undefined || election.leader() !== ''
          ? { ok: true }
          : { ok: false, says: 'the Lease could not be read or taken yet' },
    },
    ...(webhooks === undefined
      ? []
      : [
          {
            name: 'webhooks',
            // The Service must lead only to replicas that can answer.
            check: () =>
              webhooks.ready()
                ? { ok: true }
                : { ok: false, says: 'there is no certificate to serve with, or it has expired' },
          },
        ]),
    {
      name: 'shutdown',
      check: () => (stopping.aborted ? { ok: false, says: 'it is stopping' } : { ok: true }),
    },
  ];
}
