/** The status of a DaemonSet: counted by the engine, written only when it says something new. */
import { DAEMON_SETS } from '../../core/api/registry/resources.ts';
import type { DaemonSet, DaemonSetCondition, DaemonSetStatus } from '../../core/api/types/apps-v1.ts';
import { AVAILABLE, CURRENT, DESIRED, MISSCHEDULED, READY, UPDATED } from '../../core/daemons/daemon-pod-rules.ts';
import type { DaemonSetView } from '../../core/daemons/rollout-plan.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Client } from '../../machinery/client/client.ts';
import { newer } from '../../core/kube/resource-version.ts';
import type { KnownDaemon } from './known-daemon.ts';

export type Counts = Required<
  Pick<
    DaemonSetStatus,
    | 'desiredNumberScheduled'
    | 'currentNumberScheduled'
    | 'numberMisscheduled'
    | 'numberReady'
    | 'updatedNumberScheduled'
    | 'numberAvailable'
    | 'numberUnavailable'
  >
>;

export function countsOf(view: DaemonSetView): Counts {
  const desired = view.count(DESIRED);
  const available = view.count(AVAILABLE);
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: view.count(CURRENT),
    numberMisscheduled: view.count(MISSCHEDULED),
    numberReady: view.count(READY),
    updatedNumberScheduled: view.count(UPDATED),
    numberAvailable: available,
    numberUnavailable: desired - available,
  };
}

const KEYS = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
] as const satisfies readonly (keyof Counts)[];

const saysSame = (status: DaemonSetStatus | undefined, counts: Counts): boolean =>
  KEYS.every((key) => (status?.[key] ?? 0) === counts[key]);

/** Given the conditions there are, those there should be; the same list when nothing changes. */
export type NextConditions = (
  conditions: readonly DaemonSetCondition[] | undefined,
) => readonly DaemonSetCondition[] | undefined;

const keep: NextConditions = (conditions) => conditions;

/** Attempts before the sync fails: a conflict is met with a fresh read once. */
const ATTEMPTS = 2;

export async function writeStatus(
  client: Client,
  daemon: KnownDaemon,
  counts: Counts,
  nextConditions: NextConditions = keep,
): Promise<void> {
  const { generation = 0 } = daemon.set.metadata;
  const isCurrent = (set: DaemonSet): boolean =>
    saysSame(set.status, counts) &&
    (set.status?.observedGeneration ?? 0) >= generation &&
    nextConditions(set.status?.conditions) === set.status?.conditions;
  if (isCurrent(daemon.set)) return;
  let base: Stored<DaemonSet> = daemon.set;
  for (let attempt = 1; ; attempt += 1) {
    const conditions = nextConditions(base.status?.conditions);
    const status: DaemonSetStatus = {
      ...base.status,
      ...counts,
      observedGeneration: generation,
      ...(conditions === undefined ? {} : { conditions }),
    };
    try {
      const written = await client.update(DAEMON_SETS, { ...base, status }, { subresource: 'status' });
      daemon.set = newer(written, daemon.set);
      return;
    } catch (error) {
      if (attempt >= ATTEMPTS) throw error;
      base = await client.get(DAEMON_SETS, daemon.key);
      if (base.metadata.uid !== daemon.uid) throw error;
    }
  }
}
