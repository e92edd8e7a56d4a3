/** The actors of an embedded cluster: caches, simulated nodes and the chosen controllers of the catalogue. */
import { createControllerClient } from '../apiserver/inprocess/controller-identity.ts';
import type { Actor } from '../machinery/actor.ts';
import { createInformers, type Informers } from '../machinery/cache/informers.ts';
import { createEventRecorder, type EventRecorder } from '../machinery/events/event-recorder.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import { createMemoryRelief } from '../machinery/memory/memory-relief.ts';
import { createProcessMemory } from '../machinery/memory/process-memory.ts';
import { createLazyMetrics, type LazyMetrics } from '../machinery/metrics/lazy-metrics.ts';
import { createPrometheusMetrics } from '../machinery/metrics/prometheus-metrics.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { createFleet } from '../nodes/fleet/fleet.ts';
import type { EmbeddedParts } from './catalogue/entry.ts';
import { type Chosen, createControllers } from './catalogue/select.ts';
import type { ServedKinds } from './catalogue/served-kinds.ts';
import { startActors, type Undo } from './common/start-actors.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { createStoreMetrics } from './store-health.ts';

export interface EmbeddedControllersOptions {
  readonly running: readonly Chosen<'embedded'>[];
  readonly kept: ServedKinds;
  /** Whether kubelets, scheduler, workloads and house-keepers emit events. */
  readonly hasEvents: boolean;
  readonly namespaceGraceMs?: number | undefined;
  /** The process serves this cluster alone, so its memory may be given back after a load. */
  readonly ownsProcess: boolean;
  readonly logger: Logger;
}

export interface EmbeddedControllers {
  readonly informers: Informers;
  readonly metrics: LazyMetrics;
  /** Resolves only if an actor could not go on. */
  readonly failed: Promise<Error>;
}

/** Metrics are loaded later, not at the start, which people wait for. */
const LOAD_METRICS_AFTER_MS = 3_000;
const NO_EVENTS: EventRecorder = { event: () => undefined };
/** Up to this many nodes renew a Lease each, as kubelets do; more share one. */
const MOST_OWN_LEASES = 20;

export function startControllers(
  server: EmbeddedServer,
  options: EmbeddedControllersOptions,
  undo: Undo,
): EmbeddedControllers {
  const { client } = server;
  const { logger, hasEvents } = options;
  const clock = realClock;
  const random = realRandom;
  const informers = createInformers(client, { clock, random, logger });
  const metrics = openMetrics(server, logger, undo);
  const around = { client, informers, clock, random, logger, metrics };
  const kubelet = createEventRecorder({ ...around, instance: 'everynode', api: 'core', controller: 'kubelet' });
  const fleet = createFleet({
    client,
    informers,
    clock,
    logger,
    ownLeases: MOST_OWN_LEASES,
    events: hasEvents ? kubelet : undefined,
  });
  const parts: EmbeddedParts = {
    ...around,
    registry: server.api.registry,
    authority: server.keys.authority,
    held: options.kept.held,
    clientOf: (account) => createControllerClient(server.api, account),
    ...(options.namespaceGraceMs === undefined ? {} : { namespaceGraceMs: options.namespaceGraceMs }),
    ...(hasEvents ? {} : { events: NO_EVENTS }),
  };
  const relief = createMemoryRelief({
    clock,
    logger,
    memory: createProcessMemory(),
    history: server.store,
    caches: [server.encoded],
  });
  const actors: readonly Actor[] = [
    informers,
    kubelet,
    fleet,
    ...createControllers(options.running, parts),
    ...(options.ownsProcess ? [relief] : []),
  ];
  return { informers, metrics, failed: startActors(actors, undo) };
}

function openMetrics({ store }: EmbeddedServer, logger: Logger, undo: Undo): LazyMetrics {
  const metrics = createLazyMetrics(
    () => createPrometheusMetrics({ processMetrics: true }),
    () => realClock.sleep(0),
  );
  const loading = realClock.after(LOAD_METRICS_AFTER_MS, () => {
    metrics.load().catch((error: unknown) => logger.warn('Metrics could not be loaded', { error }));
  });
  undo.push(() => loading.cancel());
  createStoreMetrics(metrics, store);
  return metrics;
}
