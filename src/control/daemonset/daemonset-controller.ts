/**
 * daemonset/ — the controller of apps/v1 DaemonSets: places one pod on every eligible node, rolls out new templates, keeps
 * their history, reports. Compatible with upstream's wherever users or tests can see it.
 *
 * `daemon-registry.ts` holds the DaemonSets it knows, counted by the engine of core/daemons at the cost of what changes; `sync.ts`
 * reconciles one DaemonSet; `pod-writer.ts` writes pods, `pod-claims.ts` adopts and releases them, `history.ts` keeps revisions,
 * `status.ts` reports. There are no expectations: pods have names that follow from their purpose, and the answers to own writes
 * count before the caches show them (machinery/children).
 */
import type { ObjectKey } from '../../core/kube/objects.ts';
import { wasAborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController } from '../../machinery/controller/controller.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { createEventRecorder } from '../../machinery/events/event-recorder.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../machinery/cache/object-keys.ts';
import { indexChildren } from '../../machinery/children/child-index.ts';
import { enqueueSoon } from '../../machinery/children/turn.ts';
import { type CacheOptions, feedRegistry, heardAll, openCaches } from './caches.ts';
import { DaemonRegistry } from './daemon-registry.ts';
import { createFailedPodBackoff } from './failed-pod-backoff.ts';
import type { KnownDaemon } from './known-daemon.ts';
import { refuseBesideAnother } from './other-controller.ts';
import { COMPONENT, createPodEvents } from './pod-events.ts';
import { createPodWriter } from './pod-writer.ts';
import { followRevisions } from './revision-feed.ts';
import { createRollouts } from './rollout.ts';
import { createSync } from './sync.ts';

export interface DaemonSetControllerOptions extends Surroundings, CacheOptions {
  /** DaemonSets reconciled at a time. */
  readonly concurrency?: number;
  /** Pods created or deleted at a time for one DaemonSet. */
  readonly burst?: number;
  /** The least time between two reconciles of a DaemonSet that only pods and nodes asked for. */
  readonly coalesceMs?: number;
  /** Run even where kube-controller-manager runs; safe only where its DaemonSet controller is off. */
  readonly besideAnother?: boolean;
}

const BURST = 250;
const CONCURRENCY = 8;
const COALESCE_MS = 20;

export function createDaemonSetController(options: DaemonSetControllerOptions): Actor {
  const { client, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const caches = openCaches(options);
  const { sets, pods, revisions } = caches;
  const metrics = options.metrics === undefined ? {} : { metrics: options.metrics };

  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    ...metrics,
    controller: COMPONENT,
    instance: options.instance ?? 'everynode',
    api: 'core',
  });
  const events = createPodEvents(recorder);
  const soon = (daemon: KnownDaemon): void => enqueueSoon(daemon.turn, daemon.key, controller.queue, clock);
  const registry = new DaemonRegistry({ clock, pods, revisions, onChange: soon });
  const writer = createPodWriter({ client, registry, events, burst: options.burst ?? BURST });
  const sync = createSync({
    client,
    clock,
    registry,
    writer,
    events,
    sets: sets.lister,
    pods,
    revisions: indexChildren(revisions),
    rollouts: createRollouts(registry, events),
    backoff: createFailedPodBackoff(clock),
    coalesceMs: options.coalesceMs ?? COALESCE_MS,
  });
  const registrations: HandlerRegistration[] = [];
  const controller = createController<ObjectKey>({
    name: 'daemonset',
    reconcile: sync,
    clock,
    random,
    logger,
    ...metrics,
    concurrency: options.concurrency ?? CONCURRENCY,
    waitFor: [(signal) => heardAll(caches, registrations, signal)],
  });

  function listen(): void {
    registrations.push(
      ...feedRegistry(registry, caches),
      followRevisions(revisions, registry, soon),
      sets.addHandler({
        batch(changes) {
          for (const { type, object } of changes) {
            const known = registry.byName(keyText(keyOf(object)));
            // The state that an own status write led to needs no second look.
            if (type === 'delete' || known?.object.metadata.resourceVersion !== object.metadata.resourceVersion)
              controller.queue.add(keyOf(object));
          }
        },
      }),
    );
  }

  return {
    name: 'daemonset-controller',
    ready: () => controller.ready(),
    async start(signal) {
      try {
        if (options.besideAnother !== true) await refuseBesideAnother(client, clock, random, signal);
      } catch (error) {
        if (wasAborted(error, signal)) return;
        throw error;
      }
      listen();
      await Promise.all([recorder.start(signal), controller.start(signal)]);
      for (const registration of registrations) registration.remove();
    },
  };
}
