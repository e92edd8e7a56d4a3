/** The controller of KubernetesDaemonSets: builds its parts, introduces them to each other, starts and stops them. */
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import { createEventRecorder } from '../../../machinery/events/event-recorder.ts';
import { createInformers } from '../../../machinery/cache/informers.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { openChildCaches } from './child-caches.ts';
import { componentKey, parseComponentKey } from './component-key.ts';
import { createComponentKinds, isFollowed } from './component-kinds.ts';
import type { ControllerState } from './controller-state.ts';
import { enqueueDependents, enqueueOnChildChange } from './enqueue.ts';
import { reconcileKey } from './reconcile.ts';
import { createSecretWatch } from './secret-watch.ts';

export interface ComponentControllerOptions extends Surroundings {
  readonly concurrency?: number;
  /** The server serves its own definitions whatever the stored ones say: they are followed as soon as they exist. */
  readonly keepsNames?: boolean;
}

const CONCURRENCY = 4;

export function createComponentController(options: ComponentControllerOptions): Actor {
  const { client, clock, random, logger = silentLogger } = options;
  const following = { clock, random, logger, dropManagedFields: true };
  const own = createInformers(client, following);
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    controller: 'everynode-component',
    instance: options.instance ?? 'everynode',
    api: 'core',
  });
  const kinds = createComponentKinds(
    client,
    { ...following, keepsNames: options.keepsNames === true },
    {
      firstServed() {
        state.children = openChildCaches(own, options.informers, enqueueOnChildChange(state));
      },
      changed(group, { type, object, old }) {
        state.queue.add(componentKey(group, object));
        const isNewSpec = type !== 'update' || object.metadata.generation !== old.metadata.generation;
        if (isNewSpec) enqueueDependents(state, object);
      },
    },
  );
  const secrets = createSecretWatch(client, following, (key) => state.queue.add(key));
  const controller = createController<string>({
    name: 'component',
    clock,
    random,
    logger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: options.concurrency ?? CONCURRENCY,
    waitFor: [(signal) => kinds.synced(signal)],
    describe: (key) => ({ ...parseComponentKey(key) }),
    reconcile: (key, signal) => reconcileKey(state, key, signal),
  });
  const { queue } = controller;
  const components: ControllerState['components'] = new Map();
  const state: ControllerState = {
    client,
    clock,
    random,
    logger,
    recorder,
    queue,
    kinds,
    secrets,
    components,
    children: undefined,
  };
  return {
    name: 'component',
    ready: () => controller.ready(),
    unknown: () => [
      ...kinds.unknown(),
      ...[...own.all()].flatMap((informer) => (isFollowed(informer) ? [] : [informer.resource])),
    ],
    async start(signal) {
      await Promise.all([
        own.start(signal),
        recorder.start(signal),
        kinds.start(signal),
        secrets.start(signal),
        controller.start(signal),
      ]);
    },
  };
}
