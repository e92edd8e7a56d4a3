/**
 * daemonset/ — the controller of apps/v1 DaemonSets: places one pod on every eligible node, rolls out new templates, keeps
 * their history, reports. Compatible with upstream's wherever users or tests can see it.
 *
 * `daemon-world.ts` is its picture of the world, kept by the engine of core/daemons at the cost of what changes; `sync.ts`
 * brings one DaemonSet to its desired state; the rest are its hands: pods (`pod-writer.ts`), owners (`claims.ts`), revisions
 * (`history.ts`), status (`status.ts`). There are no expectations: pods have names that follow from what they are for, and
 * the answers to our own writes count before the caches show them.
 */
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { wasAborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { createController } from '../../machinery/controller/controller.ts';
import { createEventRecorder } from '../../machinery/events/event-recorder.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import { silentLogger, type Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import { keyOf, keyText } from '../../machinery/cache/object-keys.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import type { Random } from '../../machinery/random/random.ts';
import { type CacheOptions, feedWorld, heardAll, openCaches } from './caches.ts';
import { createDaemonWorld } from './daemon-registry.ts';
import { createFailedPodBackoff } from './failed-pod-backoff.ts';
import { createHistories } from './history.ts';
import type { KnownDaemon } from './known-daemon.ts';
import { refuseBesideAnother } from './other-controller.ts';
import { COMPONENT, createPodEvents } from './pod-events.ts';
import { createPodWriter } from './pod-writer.ts';
import { createSync } from './sync.ts';

export interface DaemonSetControllerOptions extends CacheOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** DaemonSets worked on at a time. */
  readonly concurrency?: number;
  /** Pods created or deleted at a time for one DaemonSet. */
  readonly burst?: number;
  /** The least time between two syncs of a DaemonSet that only pods and nodes asked for. */
  readonly coalesceMs?: number;
  /** Which of several controllers speaks in events. */
  readonly instance?: string;
  /** Run even where kube-controller-manager does; only where its own DaemonSet controller is off. */
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
  const coalesceMs = options.coalesceMs ?? COALESCE_MS;

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
  const world = createDaemonWorld({ clock, pods, onChange: enqueueSoon });
  const writer = createPodWriter({ client, world, events, burst: options.burst ?? BURST });
  const sync = createSync({
    client,
    clock,
    world,
    writer,
    events,
    sets: sets.lister,
    pods,
    histories: createHistories(client, revisions, world),
    backoff: createFailedPodBackoff(clock),
    coalesceMs,
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

  /** Many pods change within one breath; looking once after all of them is enough. */
  function enqueueSoon(daemon: KnownDaemon): void {
    if (daemon.busy) {
      daemon.again = true;
      return;
    }
    const wait = daemon.syncedAt + coalesceMs - clock.monotonic();
    if (wait > 0) controller.queue.addAfter(daemon.key, wait);
    else controller.queue.add(daemon.key);
  }

  /** A revision came, went or changed, and not by our hand. */
  function seeRevision(change: Change<ControllerRevision>): void {
    const { object, old } = change;
    const owner = controllerOf(object)?.uid;
    const before = old === undefined ? undefined : controllerOf(old)?.uid;
    if (before !== undefined && before !== owner) historyChanged(before, true);
    if (change.type === 'delete') currentRevisionGone(object);
    if (owner !== undefined) {
      // One that comes with its owner set is looked at with the next sync, and asks for none.
      if (change.type === 'delete' || !isOurs(owner, object)) historyChanged(owner, change.type !== 'add');
      return;
    }
    if (change.type === 'delete' || (old !== undefined && before === undefined && sameLabels(old, object))) return;
    for (const daemon of world.inNamespace(object.metadata.namespace ?? ''))
      if (daemon.selects(object.metadata.labels)) historyChanged(daemon.uid, true);
  }

  /** A DaemonSet made again under its name uses the revision it finds, until that is collected with the old owner. */
  function currentRevisionGone({ metadata: { namespace = '', uid } }: Stored<ControllerRevision>): void {
    for (const daemon of world.inNamespace(namespace))
      if (daemon.history?.current.metadata.uid === uid) historyChanged(daemon.uid, true);
  }

  const isOurs = (owner: string, revision: Stored<ControllerRevision>): boolean =>
    world.byUid(owner)?.written.get(revision.metadata.name)?.metadata.resourceVersion ===
    revision.metadata.resourceVersion;

  function historyChanged(uid: string, enqueue: boolean): void {
    const daemon = world.byUid(uid);
    if (daemon === undefined) return;
    daemon.history = undefined;
    if (enqueue) enqueueSoon(daemon);
  }

  function listen(): void {
    registrations.push(
      ...feedWorld(world, caches),
      revisions.addHandler({ batch: (changes) => changes.forEach(seeRevision) }),
      sets.addHandler({
        batch(changes) {
          for (const { type, object } of changes) {
            const known = world.byName(keyText(keyOf(object)));
            // What our own status write made of it needs no second look.
            if (type === 'delete' || known?.set.metadata.resourceVersion !== object.metadata.resourceVersion)
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

const sameLabels = (a: Stored<ControllerRevision>, b: Stored<ControllerRevision>): boolean =>
  deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {});
