/**
 * The rollout driver: pause, partition, canary, stops, order and down nodes for DaemonSets that another controller owns, as
 * on every managed cluster. The DaemonSet has strategy OnDelete and `everynode.dev/rollout-driver: "true"`; its own
 * controller makes pods and counts them, and all the driver does is to delete old pods, a few at a time, in order.
 */
import { CANARY_PASSED_ANNOTATION } from '../../core/api/names.ts';
import { CONTROLLER_REVISIONS } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { DESIRED, HAS_OLD } from '../../core/daemons/daemon-pod-rules.ts';
import { scaled } from '../../core/daemons/rollout-plan.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../machinery/controller/controller.ts';
import { createEventRecorder } from '../../machinery/events/event-recorder.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../machinery/cache/object-keys.ts';
import { indexChildren } from '../../machinery/children/child-index.ts';
import { byRevision } from '../../machinery/children/revisions.ts';
import { requeueAfter } from '../../machinery/children/turn.ts';
import { NOTHING_TOLD, tellAnnotations, type ToldAnnotations } from './annotation-events.ts';
import { feedRegistry, heardAll, openCaches } from './caches.ts';
import { DaemonRegistry } from './daemon-registry.ts';
import type { DaemonSetControllerOptions } from './daemonset-controller.ts';
import { definitionOf, isSameDefinition } from './definition.ts';
import { newer } from '../../core/kube/resource-version.ts';
import { hashOf } from './history.ts';
import type { History, KnownDaemon } from './known-daemon.ts';
import { createPodEvents } from './pod-events.ts';
import { createPodWriter } from './pod-writer.ts';
import { createRollouts } from './rollout.ts';
import { rolloutOptions } from './rollout-options.ts';

export type RolloutDriverOptions = Omit<DaemonSetControllerOptions, 'besideAnother'>;

const BURST = 50;

export function createRolloutDriver(options: RolloutDriverOptions): Actor {
  const { client, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const caches = openCaches(options);
  const { sets, pods, revisions } = caches;
  const instance = options.instance ?? 'everynode';
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    controller: 'everynode-rollout',
    instance,
    api: 'core',
  });
  const events = createPodEvents(recorder);
  const registry = new DaemonRegistry({
    clock,
    pods,
    revisions,
    onChange: (daemon) => controller.queue.add(daemon.key),
  });
  const index = indexChildren(revisions);
  const writer = createPodWriter({ client, registry, events, burst: options.burst ?? BURST });
  const rollouts = createRollouts(registry, events);
  const registrations: HandlerRegistration[] = [];
  /**
   * Notes emitted about annotations, by name, of DaemonSets that could be driven: also where the driver annotation
   * itself is misspelt.
   */
  const told = new Map<string, ToldAnnotations>();

  const isDrivable = (set: DaemonSet): boolean =>
    set.spec.updateStrategy?.type === 'OnDelete' && set.metadata.deletionTimestamp === undefined;
  const isDriven = (set: DaemonSet): boolean => isDrivable(set) && rolloutOptions(set).driver;

  function tell(text: string, set: DaemonSet, isUnderWay: boolean): void {
    const now = tellAnnotations(set, isUnderWay, told.get(text) ?? NOTHING_TOLD, events);
    if (now === NOTHING_TOLD) told.delete(text);
    else told.set(text, now);
  }

  /** The revisions that the DaemonSet's own controller recorded; undefined until it has seen the present template. */
  function historyOf(set: Stored<DaemonSet>): History | undefined {
    if ((set.status?.observedGeneration ?? 0) < (set.metadata.generation ?? 0)) return undefined;
    const old = [...index.of(set.metadata.uid)].sort(byRevision);
    const current = old.pop();
    if (current === undefined) return undefined;
    return { template: set.spec.template, collisionCount: undefined, current, hash: hashOf(current), old };
  }

  async function drive(daemon: KnownDaemon, signal: AbortSignal): Promise<ReconcileResult> {
    await writer.settle(daemon, signal);
    registry.tick();
    registry.dropSeenAnswers(daemon);
    const history = historyOf(daemon.object);
    if (history === undefined) return {};
    const definition = definitionOf(daemon.object, history.hash);
    if (!isSameDefinition(definition, daemon.definition)) registry.define(daemon, definition);
    const wishes = rolloutOptions(daemon.object);
    const view = registry.view(daemon);
    tell(keyText(daemon.key), daemon.object, view.count(HAS_OLD) > 0);
    const maxUnavailable = Math.max(1, scaled(wishes.driverMaxUnavailable, view.count(DESIRED), 'up'));
    const step = rollouts.step(daemon, history, { maxUnavailable, maxSurge: 0 }, wishes, clock.now());
    if (step.canaryPassed) {
      const body = { metadata: { annotations: { [CANARY_PASSED_ANNOTATION]: 'true' } } };
      await client.patch(CONTROLLER_REVISIONS, keyOf(history.current), { type: 'merge', body });
    }
    await writer.remove(daemon, step.plan.remove, signal);
    const due = view.nextDue === undefined ? undefined : Math.max(1, view.nextDue - clock.now());
    return requeueAfter(due, step.canaryDueMs);
  }

  const controller = createController<ObjectKey>({
    name: 'rollout-driver',
    clock,
    random,
    logger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: options.concurrency ?? 4,
    waitFor: [(signal) => heardAll(caches, registrations, signal)],
    async reconcile(key, signal) {
      const set = sets.lister.get(key.name, key.namespace);
      const text = keyText(key);
      const known = registry.byName(text);
      if (known !== undefined && (set === undefined || known.uid !== set.metadata.uid || !isDriven(set)))
        registry.forget(known);
      if (set === undefined || !isDrivable(set)) {
        told.delete(text);
        return undefined;
      }
      if (!isDriven(set)) {
        tell(text, set, false);
        return undefined;
      }
      const daemon = registry.byName(text) ?? registry.register(set, definitionOf(set, ''));
      daemon.object = newer(set, daemon.object);
      return drive(daemon, signal);
    },
  });

  function listen(): void {
    registrations.push(
      ...feedRegistry(registry, caches),
      sets.addHandler({ batch: (changes) => changes.forEach(({ object }) => controller.queue.add(keyOf(object))) }),
      revisions.addHandler({
        batch(changes) {
          for (const { object } of changes) {
            const daemon = registry.byUid(controllerOf(object)?.uid ?? '');
            if (daemon !== undefined) controller.queue.add(daemon.key);
          }
        },
      }),
    );
  }

  return {
    name: 'rollout-driver',
    ready: () => controller.ready(),
    async start(signal) {
      listen();
      await Promise.all([recorder.start(signal), controller.start(signal)]);
      for (const registration of registrations) registration.remove();
    },
  };
}
