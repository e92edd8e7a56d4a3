/**
 * Profile `operator`: the same actors on somebody else's API server. Each acts through the client it is given, with the
 * identity and the rights of that client, and watches for itself; what is not given does not run, because the cluster has
 * its own. (`operator-process.ts` is the command: one client for all, a leader, and health.)
 */
import type { Client } from '../machinery/client/client.ts';
import type { Clock } from '../machinery/time/clock.ts';
import { createEventRecorder } from '../machinery/events/event-recorder.ts';
import { createInformers, type Informers } from '../machinery/cache/informers.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import { noMetrics } from '../machinery/metrics/metrics.ts';
import type { Random } from '../machinery/random/random.ts';
import type { Actor } from '../machinery/actor.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';
import { OPERATOR_CONTROLLERS, type Around } from './catalogue/operator-controllers.ts';
import { createShift } from './operator/shift.ts';
import { workerOf } from './operator/worker.ts';
import { startActors, type Undo } from './common/start-actors.ts';

export interface OperatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Which of several processes speaks, in events. */
  readonly instance: string;
  /** In place of kube-controller-manager's DaemonSet controller, which must be off. */
  readonly daemonSets?: Client;
  /** In place of kube-scheduler. */
  readonly scheduler?: Client;
  /** Beside whatever controller runs DaemonSets. */
  readonly rolloutDriver?: Client;
  /** Keeps custom resources of kind KubernetesDaemonSet. */
  readonly components?: Client;
  /** Kubelets of the nodes that are marked as simulated. */
  readonly fleet?: Client;
  /** Kubernetes' own are known to be off. Without it `daemonSets` and `scheduler` do not run: nothing here can prove it. */
  readonly insteadOfUpstream?: boolean;
}

export interface Operator {
  /** Resolves only if something that must run could not go on. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** Resolves when everybody knows the cluster as it is. */
export async function startOperator(options: OperatorOptions, signal?: AbortSignal): Promise<Operator> {
  const { clock, random, logger, instance } = options;
  const metrics = noMetrics;
  const watching: Informers[] = [];
  const around = (client: Client): Around => {
    // What comes over the wire is shared again here: pods of one template hold its parts once.
    const informers = createInformers(client, { clock, random, logger, share: true, dropManagedFields: true });
    watching.push(informers);
    return { client, informers, clock, random, logger, metrics, instance };
  };
  const clients = new Map<string, Client | undefined>([
    ['daemonset', options.daemonSets],
    ['scheduler', options.scheduler],
    ['rollout-driver', options.rolloutDriver],
    ['component', options.components],
  ]);
  const actors: Actor[] = [];
  for (const row of OPERATOR_CONTROLLERS) {
    const client = clients.get(row.name);
    if (client === undefined) continue;
    const worker = workerOf(row, around(client));
    const insteadOfUpstream = options.insteadOfUpstream === true;
    const shift = createShift([worker], { client, clock, random, logger, metrics, insteadOfUpstream });
    actors.push({ name: row.name, start: (stopping) => shift.run(stopping) });
  }
  if (options.fleet !== undefined) {
    const own = around(options.fleet);
    const events = createEventRecorder({ ...own, controller: 'kubelet', api: 'core' });
    actors.push(events, createFleet({ ...own, ownLeases: true, events }));
  }
  const undo: Undo = [];
  const failed = startActors([...watching, ...actors], undo);
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const early = failed.then((error) => Promise.reject(error));
    await Promise.race([Promise.all(watching.map((informers) => informers.synced(signal))), early]);
    early.catch(() => undefined);
  } catch (error) {
    await stop();
    throw error;
  }
  return { failed, stop };
}
