/**
 * The controllers that `everynode operator` can run, one row each: who wants another one here adds a row, and its rights in
 * `operator-rights.ts` under the same name. `--controllers` is kube-controller-manager's: `*` is everything that is on by
 * default, `name` switches one on, `-name` off, and the first that names a controller counts.
 */
import { createComponentController } from '../../control/component/controller/component-controller.ts';
import { createDaemonSetController } from '../../control/daemonset/daemonset-controller.ts';
import { createRolloutDriver } from '../../control/daemonset/rollout-driver.ts';
import { createScheduler } from '../../control/scheduler/scheduler.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { EmbeddedRun } from './embedded-runs.ts';
import { AssemblyError } from '../common/errors.ts';

/** What every controller is given. */
export interface Around {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Which of several processes speaks, in events. */
  readonly instance: string;
}

export interface OperatorController {
  /** In `--controllers`, in metrics, and of its rights. */
  readonly name: string;
  readonly alias?: string;
  /** For people, in one line. */
  readonly about: string;
  /** Whether `*` means it too. What takes the place of a part of Kubernetes never is: it has to be asked for. */
  readonly onByDefault: boolean;
  readonly insteadOf?: InsteadOf;
  create(around: Around): Actor;
}

/** Whose work it is on an ordinary cluster. While they do it, ours does not start. */
export interface InsteadOf {
  /** As an embedded cluster calls its own; see `embedded-runs.ts`. */
  readonly name: EmbeddedRun;
  /** How to make room for ours there. */
  readonly fixEmbedded: string;
  /** The program whose leader keeps a Lease of this name in kube-system. */
  readonly lease: string;
  /** How to make room for ours. */
  readonly fix: string;
}

export const OPERATOR_CONTROLLERS: readonly OperatorController[] = [
  {
    name: 'rollout-driver',
    about: 'rolls out DaemonSets that ask for it, beside whatever controller runs them',
    onByDefault: true,
    create: createRolloutDriver,
  },
  {
    name: 'component',
    alias: 'kubernetesdaemonset',
    about: 'keeps KubernetesDaemonSets: everything a node daemon needs, from one custom resource',
    onByDefault: true,
    create: createComponentController,
  },
  {
    name: 'daemonset',
    alias: 'daemonset-controller',
    about: 'runs DaemonSets, in place of the controller in kube-controller-manager',
    onByDefault: false,
    insteadOf: {
      name: 'daemonset-controller',
      fixEmbedded: "start everynode up with --controllers '*,-daemonset-controller', or the operator without daemonset",
      lease: 'kube-controller-manager',
      fix: 'start kube-controller-manager with --controllers=*,-daemonset-controller, and the operator with --instead-of-upstream',
    },
    // Whether another one acts has been asked by then.
    create: (around) => createDaemonSetController({ ...around, besideAnother: true }),
  },
  {
    name: 'scheduler',
    alias: 'kube-scheduler',
    about: 'gives pods their nodes, in place of kube-scheduler',
    onByDefault: false,
    insteadOf: {
      name: 'kube-scheduler',
      fixEmbedded: 'everynode up schedules by itself: start the operator without scheduler',
      lease: 'kube-scheduler',
      fix: 'stop kube-scheduler; or, where it schedules other pods only, start the operator with --instead-of-upstream',
    },
    create: createScheduler,
  },
];

/** Those that run, in the order of the table. Throws for a name nobody has. */
export function selectOperatorControllers(
  selection: readonly string[],
  table: readonly OperatorController[] = OPERATOR_CONTROLLERS,
): readonly OperatorController[] {
  const chosen = new Map<OperatorController, boolean>();
  for (const entry of selection) {
    if (entry === '*') continue;
    const isOn = !entry.startsWith('-');
    const name = isOn ? entry : entry.slice(1);
    const row = table.find((each) => each.name === name || each.alias === name);
    if (row === undefined) throw unknown(name, table);
    if (!chosen.has(row)) chosen.set(row, isOn);
  }
  const isWanted = selection.includes('*');
  return table.filter((row) => chosen.get(row) ?? (isWanted && row.onByDefault));
}

const unknown = (name: string, table: readonly OperatorController[]): AssemblyError =>
  new AssemblyError(
    'EN_ASSEMBLY_UNKNOWN_CONTROLLER',
    `"${name}" is not in the list of known controllers: ${table.map((row) => row.name).join(', ')}`,
  );
