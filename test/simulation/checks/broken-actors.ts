/** Actors with one fault each, so that the invariants can show that they see it. */
import { type ActorFactory, SIMULATED_ACTORS, simulatedControllers } from '../../../src/assembly/simulated.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import type { KubeObject, Resource, Stored } from '../../../src/core/kube/objects.ts';
import { controllerOf } from '../../../src/core/kube/owner-references.ts';
import { formatTime } from '../../../src/core/kube/time.ts';
import type { Actor } from '../../../src/machinery/actor.ts';
import { aborted } from '../../../src/machinery/time/abort.ts';
import type { Client, WatchEvent } from '../../../src/machinery/client/client.ts';
import { createInformers } from '../../../src/machinery/cache/informers.ts';
import { keyOf } from '../../../src/machinery/cache/object-keys.ts';
import type { Random } from '../../../src/machinery/random/random.ts';

const [DAEMONSET, SCHEDULER, GARBAGE_COLLECTOR] = simulatedControllers([
  'daemonset',
  'scheduler',
  'garbagecollector',
]) as [ActorFactory, ActorFactory, ActorFactory];

/** The factory with its client changed, and caches of its own that are filled through that client. */
export const through = (factory: ActorFactory, change: (client: Client, random: Random) => Client): ActorFactory => ({
  ...factory,
  create(around) {
    const client = change(around.client, around.random);
    const { clock, logger, random } = around;
    const informers = createInformers(client, { clock, logger, random, watchTimeoutMs: 0 });
    return [informers, ...factory.create({ ...around, client, informers })];
  },
});

/** Makes pods under names of chance, as upstream does: a repeated create makes a second pod. */
export const RANDOM_NAMES = through(DAEMONSET, (client, random) => ({
  ...client,
  create: (resource, object, options) => {
    if (resource.resource !== PODS.resource) return client.create(resource, object, options);
    const name = `${object.metadata.name.slice(0, 10)}-${random.suffix(8)}`;
    return client.create(resource, { ...object, metadata: { ...object.metadata, name } }, options);
  },
}));

/** Takes all pods of a daemon down where it should take one. */
export const ALL_AT_ONCE = through(DAEMONSET, (client) => ({
  ...client,
  async delete(resource, key, options) {
    const answer = await client.delete(resource, key, options);
    if (resource.resource === PODS.resource && 'metadata' in answer && 'uid' in answer.metadata) {
      const owner = controllerOf(answer as KubeObject)?.uid;
      const { items } = await client.list(PODS);
      for (const pod of items)
        if (controllerOf(pod)?.uid === owner) await client.delete(PODS, keyOf(pod)).catch(() => undefined);
    }
    return answer;
  },
}));

export const withoutEvents = (client: Client, resource: Resource, type: WatchEvent<KubeObject>['type']): Client => ({
  ...client,
  watch: (watched, options) => {
    const stream = client.watch(watched, options);
    if (watched.resource !== resource.resource) return stream;
    return {
      async *[Symbol.asyncIterator]() {
        for await (const batch of stream) yield batch.filter((event) => event.type !== type);
      },
    };
  },
});

/** Never hears that a pod is gone. */
export const DEAF_TO_ROOM = through(SCHEDULER, (client) => withoutEvents(client, PODS, 'DELETED'));

/** Never hears of a new node. */
export const BLIND_TO_NODES = through(DAEMONSET, (client) => withoutEvents(client, NODES, 'ADDED'));

/** Makes a second pod on every node as soon as there is a new template, whatever was allowed. */
export const EAGER = through(DAEMONSET, (client) => ({
  ...client,
  async create(resource, object, options) {
    const answer = await client.create(resource, object, options);
    const owner = controllerOf(object);
    if (resource.resource !== PODS.resource || owner === undefined) return answer;
    const { items } = await client.list(PODS);
    const image = (object as unknown as Pod).spec.containers[0]?.image;
    for (const pod of items) {
      if (controllerOf(pod)?.uid !== owner.uid || pod.spec.containers[0]?.image === image) continue;
      const name = `${pod.metadata.name}-x`;
      const second = { ...object, metadata: { ...object.metadata, name } } as unknown as Pod;
      await client
        .create(PODS, { ...second, spec: { ...second.spec, nodeName: pod.spec.nodeName ?? '' } })
        .catch(() => undefined);
    }
    return answer;
  },
}));

const actor = (name: string, run: (signal: AbortSignal) => Promise<void>): Actor => ({ name, start: run });

/** Binds every pod to the node with most room in its cache, and forgets what it has just bound there. */
export const FORGETFUL: ActorFactory = {
  name: 'scheduler',
  create({ client, informers }) {
    const pods = informers.for(PODS);
    const nodes = informers.for(NODES);
    const place = (pod: Stored<Pod>): void => {
      if ((pod.spec.nodeName ?? '') !== '') return;
      const held = new Map([...nodes.lister.list()].map(({ metadata }) => [metadata.name, 0]));
      for (const { spec } of pods.lister.list()) {
        const count = held.get(spec.nodeName ?? '');
        if (count !== undefined) held.set(spec.nodeName ?? '', count + 1);
      }
      const [best] = [...held].toSorted((a, b) => a[1] - b[1]);
      if (best !== undefined) client.bind(keyOf(pod), best[0]).catch(() => undefined);
    };
    const run = async (signal: AbortSignal): Promise<void> => {
      await nodes.synced(signal);
      pods.addHandler({ add: place });
      await aborted(signal);
    };
    return [actor('forgetful', run)];
  },
};

/** Binds to a node that nobody has heard of. */
export const LOST: ActorFactory = {
  name: 'scheduler',
  create({ client, informers }) {
    const run = async (signal: AbortSignal): Promise<void> => {
      const place = (pod: Stored<Pod>): void => void client.bind(keyOf(pod), 'nowhere').catch(() => undefined);
      informers.for(PODS).addHandler({ add: place });
      await aborted(signal);
    };
    return [actor('lost', run)];
  },
};

/** Takes a pod away for nobody's sake. */
export const SPITEFUL: ActorFactory = {
  name: 'scheduler',
  create: (around) => [
    ...SCHEDULER.create(around),
    actor('spite', async (signal) => {
      await around.clock.sleep(30_000, signal);
      const [pod] = (await around.client.list(PODS)).items;
      if (pod !== undefined) await around.client.delete(PODS, keyOf(pod));
      await aborted(signal);
    }),
  ],
};

/** Runs whatever is bound, without a look at what the node has. */
export const BOUNDLESS: ActorFactory = {
  name: 'fleet',
  create({ client, informers, clock }) {
    const pods = informers.for(PODS);
    const start = (pod: Stored<Pod>): void => {
      if ((pod.spec.nodeName ?? '') === '' || pod.status?.startTime !== undefined) return;
      const status = { ...pod.status, phase: 'Running', startTime: formatTime(clock.now()) };
      client.update(PODS, { ...pod, status }, { subresource: 'status' }).catch(() => undefined);
    };
    const run = async (signal: AbortSignal): Promise<void> => {
      pods.addHandler({ add: start, update: (_, pod) => start(pod) });
      await aborted(signal);
    };
    return [actor('boundless', run)];
  },
};

/** Writes the same node again and again. */
export const RESTLESS: ActorFactory = {
  name: 'restless',
  create: ({ client, clock }) => [
    actor('restless', async (signal) => {
      for (let i = 0; !signal.aborted; i += 1) {
        const body = { metadata: { annotations: { turn: String(i) } } };
        await client.patch(NODES, { name: 'worker-0' }, { type: 'merge', body }).catch(() => undefined);
        await clock.sleep(30_000, signal);
      }
    }),
  ],
};

/** Asks the same thing for ever without letting time pass. */
export const SPINNING: ActorFactory = {
  name: 'spinning',
  create: ({ client }) => [
    actor('spinning', async (signal) => {
      while (!signal.aborted) await client.list(NODES).catch(() => undefined);
    }),
  ],
};

/** Trips over its own feet when a pod is deleted. */
export const CLUMSY: ActorFactory = {
  name: 'clumsy',
  create: ({ informers }) => [
    actor('clumsy', async (signal) => {
      informers.for(PODS).addHandler({ delete: () => (undefined as unknown as { trip(): void }).trip() });
      await aborted(signal);
    }),
  ],
};

/** Never hears that an owner is gone. */
export const FAITHFUL = through(GARBAGE_COLLECTOR, (client) => withoutEvents(client, DAEMON_SETS, 'DELETED'));

/** Believes that every owner it asks for is gone, and asks for all of them. */
export const HASTY: ActorFactory = {
  name: 'garbage-collector',
  create: ({ client, informers }) => [
    actor('hasty', async (signal) => {
      const collect = (pod: Stored<Pod>): void => void client.delete(PODS, keyOf(pod)).catch(() => undefined);
      informers.for(PODS).addHandler({ add: collect });
      await aborted(signal);
    }),
  ],
};

export const WHOLE: readonly ActorFactory[] = SIMULATED_ACTORS;
