/** Parts of the operator that tests run over clients of their own: its controllers without election, and simulated kubelets. */
import { selectControllers } from '../../src/assembly/catalogue/select.ts';
import { startActors, type Undo } from '../../src/assembly/common/start-actors.ts';
import { createOperatorControllers } from '../../src/assembly/operator/controllers.ts';
import { createInformers, type Informers } from '../../src/machinery/cache/informers.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createEventRecorder } from '../../src/machinery/events/event-recorder.ts';
import { silentLogger, type Logger } from '../../src/machinery/logging/logger.ts';
import { noMetrics } from '../../src/machinery/metrics/metrics.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import type { Actor } from '../../src/machinery/actor.ts';
import { createFleet } from '../../src/nodes/fleet/fleet.ts';

export interface Running {
  /** Resolves only if an actor could not go on. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

export interface RunningOptions {
  /** Name of the process in events. */
  readonly instance?: string;
  readonly logger?: Logger;
}

/**
 * Runs controllers of the operator through a client, in place of Kubernetes' own, which must be off. Resolves when their caches
 * are filled.
 */
export function startOperatorControllers(
  client: Client,
  controllers: readonly string[],
  { instance = 'test', logger = silentLogger }: RunningOptions = {},
): Promise<Running> {
  const { informers, shift } = createOperatorControllers({
    client,
    clock: realClock,
    random: realRandom,
    logger,
    metrics: noMetrics,
    instance,
    controllers: selectControllers('operator', controllers),
    insteadOfUpstream: true,
  });
  return run(informers, [{ name: controllers.join(), start: (signal) => shift.run(signal) }]);
}

/** Kubelets of the nodes that are marked as simulated. Resolves when they know their pods. */
export function startKubelets(
  client: Client,
  { instance = 'test', logger = silentLogger }: RunningOptions = {},
): Promise<Running> {
  const platform = { clock: realClock, random: realRandom, logger };
  const informers = createInformers(client, { ...platform, share: true, dropManagedFields: true });
  const events = createEventRecorder({ ...platform, client, instance, controller: 'kubelet', api: 'core' });
  return run(informers, [events, createFleet({ ...platform, client, informers, ownLeases: true, events })]);
}

async function run(informers: Informers, actors: readonly Actor[]): Promise<Running> {
  const undo: Undo = [];
  const failed = startActors([informers, ...actors], undo);
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const early = failed.then((error) => Promise.reject(error));
    await Promise.race([informers.synced(), early]);
    early.catch(() => undefined);
  } catch (error) {
    await stop();
    throw error;
  }
  return { failed, stop };
}
