/**
 * Profile `operator`: the same actors on somebody else's API server. Each acts through the client it is given, with the
 * identity and the rights of that client, and watches for itself; what is not given does not run, because the cluster has
 * its own.
 */
import { createDaemonSetController } from '../control/daemonset/daemonset-controller.ts';
import { createScheduler } from '../control/scheduler/scheduler.ts';
import type { Actor } from '../machinery/actor.ts';
import type { Client } from '../machinery/client.ts';
import type { Clock } from '../machinery/clock.ts';
import { createEventRecorder } from '../machinery/event-recorder.ts';
import { createInformers, type Informers } from '../machinery/informers.ts';
import type { Logger } from '../machinery/logger.ts';
import type { Random } from '../machinery/random.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';
import { startActors, type Undo } from './start-actors.ts';

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
  /** Kubelets of the nodes that are marked as simulated. */
  readonly fleet?: Client;
}

export interface Operator {
  /** Resolves only if something that must run could not go on. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** Resolves when everybody knows the cluster as it is. */
export async function startOperator(options: OperatorOptions, signal?: AbortSignal): Promise<Operator> {
  const { clock, random, logger, instance } = options;
  const watching: Informers[] = [];
  const around = (client: Client) => {
    // What comes over the wire is shared again here: pods of one template hold its parts once.
    const informers = createInformers(client, { clock, random, logger, share: true });
    watching.push(informers);
    return { client, informers, clock, random, logger, instance };
  };
  const actors: Actor[] = [];
  if (options.daemonSets !== undefined) {
    actors.push(createDaemonSetController({ ...around(options.daemonSets), besideAnother: true }));
  }
  if (options.scheduler !== undefined) actors.push(createScheduler(around(options.scheduler)));
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
