/** The status of a DaemonSet: counted by the engine, written only when the counts or conditions have changed. */
import { DAEMON_SETS } from '../../core/api/registry/resources.ts';
import type { DaemonSetCondition, DaemonSetStatus } from '../../core/api/types/apps-v1.ts';
import { AVAILABLE, CURRENT, DESIRED, MISSCHEDULED, READY, UPDATED } from '../../core/daemons/daemon-pod-rules.ts';
import type { DaemonSetView } from '../../core/daemons/rollout-plan.ts';
import { newer } from '../../core/kube/resource-version.ts';
import { writeStatus } from '../../machinery/children/write-status.ts';
import type { Client } from '../../machinery/client/client.ts';
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

/** From the present conditions to the next; the same list when nothing changes. */
export type NextConditions = (
  conditions: readonly DaemonSetCondition[] | undefined,
) => readonly DaemonSetCondition[] | undefined;

const keep: NextConditions = (conditions) => conditions;

export async function writeDaemonStatus(
  client: Client,
  daemon: KnownDaemon,
  counts: Counts,
  nextConditions: NextConditions = keep,
): Promise<void> {
  const { object } = daemon;
  const { generation = 0 } = object.metadata;
  const isCurrent =
    saysSame(object.status, counts) &&
    (object.status?.observedGeneration ?? 0) >= generation &&
    nextConditions(object.status?.conditions) === object.status?.conditions;
  if (isCurrent) return;
  const written = await writeStatus(client, DAEMON_SETS, object, ({ status }): DaemonSetStatus => {
    const conditions = nextConditions(status?.conditions);
    return {
      ...status,
      ...counts,
      observedGeneration: generation,
      ...(conditions === undefined ? {} : { conditions }),
    };
  });
  daemon.object = newer(written, daemon.object);
}
