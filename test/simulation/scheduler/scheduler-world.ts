/**
 * The scheduler against the real API server, in virtual time. There is no kubelet unless a test starts the fleet: tests
 * end and remove pods themselves.
 */
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../../src/control/scheduler/scheduler.ts';
import { EVENTS_IN_EVENTS_GROUP, NODES, PODS, PRIORITY_CLASSES } from '../../../src/core/api/registry/resources.ts';
import type { Node, Pod, PodCondition, PodSpec, PodStatus, Taint } from '../../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createFleet } from '../../../src/nodes/fleet/fleet.ts';
import { createWorld, type Running, type World } from '../support/world.ts';

interface NodeWish {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly annotations?: { readonly [key: string]: string };
}

interface PodWish {
  readonly cpu?: string;
  readonly priority?: number;
  readonly labels?: { readonly [key: string]: string };
  /** Pinned as daemon pods are. */
  readonly node?: string;
  /** Bound from the start. */
  readonly on?: string;
  readonly spec?: Partial<PodSpec>;
}

export interface SchedulerWorld extends World {
  readonly scheduler: () => Scheduler;
  addNode(name: string, wish?: NodeWish): Promise<void>;
  changeNode(name: string, change: (node: Stored<Node>) => Node): Promise<void>;
  addPod(name: string, wish?: PodWish): Promise<void>;
  setStatus(name: string, status: Partial<PodStatus>): Promise<void>;
  /** Takes a pod away at once, as when its containers have ended. */
  removePod(name: string): Promise<void>;
  nodeOf(name: string): Promise<string>;
  /** `reason: note` of every event about the pod, oldest first. */
  events(name: string): Promise<readonly string[]>;
  condition(name: string, type?: string): Promise<PodCondition | undefined>;
  /** The scheduler ends, wherever it is; a new one begins with what the server has. */
  restart(): Promise<void>;
  stopScheduler(): Promise<void>;
  startFleet(): Promise<void>;
}

export const NAMESPACE = 'default';
export const keyed = (name: string) => ({ namespace: NAMESPACE, name });

export async function schedulerWorld(
  options: Partial<SchedulerOptions> = {},
  seed: number | string = 1,
): Promise<SchedulerWorld> {
  const world = await createWorld(seed);
  const { client } = world;
  let scheduler: Scheduler | undefined;
  let alive = { alive: true };
  const begin = (): Promise<Running> =>
    world.start(({ client: theirs, informers, clock, random, logger }) => {
      const life = (alive = { alive: true });
      const own = { client: mortal(theirs, life), informers, clock, random: random.fork('scheduler'), logger };
      scheduler = createScheduler({ ...own, ...options });
      return [scheduler];
    });
  let running = await begin();
  const classes = new Set<number>();

  const className = async (priority: number): Promise<string> => {
    const name = priority < 0 ? `minus${-priority}` : `plus${priority}`;
    if (!classes.has(priority)) {
      classes.add(priority);
      await client.create(PRIORITY_CLASSES, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        value: priority,
      });
    }
    return name;
  };

  return Object.assign(world, {
    scheduler: () => scheduler as Scheduler,

    async addNode(name: string, wish: NodeWish = {}) {
      const { cpu = '4', memory = '8Gi', pods = '110' } = wish;
      const resources = { cpu, memory, pods, 'ephemeral-storage': '100Gi' };
      await client.create(NODES, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name,
          labels: { 'kubernetes.io/hostname': name, ...wish.labels },
          ...(wish.annotations === undefined ? {} : { annotations: wish.annotations }),
        },
        spec: {
          ...(wish.taints === undefined ? {} : { taints: wish.taints }),
          ...(wish.unschedulable === true ? { unschedulable: true } : {}),
        },
        status: { capacity: resources, allocatable: resources },
      });
    },

    async changeNode(name: string, change: (node: Stored<Node>) => Node) {
      const wanted = change(await client.get(NODES, { name }));
      const updated = await client.update(NODES, wanted);
      await client.update(NODES, { ...updated, status: wanted.status ?? {} }, { subresource: 'status' });
    },

    async addPod(name: string, wish: PodWish = {}) {
      const { cpu, priority, labels, node, on } = wish;
      const requests = cpu === undefined ? {} : { resources: { requests: { cpu } } };
      await client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: NAMESPACE, ...(labels === undefined ? {} : { labels }) },
        spec: {
          containers: [{ name: 'main', image: 'registry.example/agent:1', ...requests }],
          ...(priority === undefined ? {} : { priorityClassName: await className(priority) }),
          ...(node === undefined ? {} : { affinity: pinnedTo(node) }),
          ...(on === undefined ? {} : { nodeName: on }),
          ...wish.spec,
        },
      });
    },

    async setStatus(name: string, status: Partial<PodStatus>) {
      const pod = await world.pod(name);
      await client.update(PODS, { ...pod, status: { ...pod.status, ...status } }, { subresource: 'status' });
    },
    async removePod(name: string) {
      await client.delete(PODS, keyed(name), { gracePeriodSeconds: 0 });
    },
    nodeOf: async (name: string) => (await world.pod(name)).spec.nodeName ?? '',
    async events(name: string) {
      const { items } = await client.list(EVENTS_IN_EVENTS_GROUP, { namespace: NAMESPACE });
      return items
        .filter((event) => event.regarding?.name === name)
        .map((event) => `${event.reason ?? ''}: ${event.note ?? ''}`);
    },
    async condition(name: string, type = 'PodScheduled') {
      return (await world.pod(name)).status?.conditions?.find((condition) => condition.type === type);
    },
    async restart() {
      alive.alive = false;
      // Whatever of it still waits for something finds that nobody answers.
      await world.pass(15_000);
      await running.stop();
      running = await begin();
    },
    stopScheduler: () => running.stop(),
    async startFleet() {
      await world.start(({ client: theirs, informers, clock, logger }) => [
        createFleet({ client: theirs, informers, clock, logger }),
      ]);
    },
  });
}

/** A client whose process may be gone from one moment to the next: what it asks from then on reaches nobody. */
function mortal(client: Client, life: { readonly alive: boolean }): Client {
  return new Proxy(client, {
    get(target, property, receiver) {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        life.alive ? member.apply(target, args) : Promise.reject(new StatusError(403, 'Forbidden', 'nobody is there'));
    },
  });
}

export const pinnedTo = (nodeName: string): NonNullable<PodSpec['affinity']> => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
    },
  },
});

export const antiAffinity = (
  app: string,
  topologyKey = 'kubernetes.io/hostname',
): NonNullable<PodSpec['affinity']> => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
  },
});

export const affinity = (app: string, topologyKey = 'kubernetes.io/hostname'): NonNullable<PodSpec['affinity']> => ({
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
  },
});

/** Every node holds no more than it has, counting all pods that are bound and have not ended. */
export function overcommitted(nodes: readonly Node[], pods: readonly Pod[]): string[] {
  const used = new Map<string, number>();
  for (const { spec, status } of pods) {
    if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') continue;
    const cpu = Number(spec.containers[0]?.resources?.requests?.['cpu'] ?? 0);
    used.set(spec.nodeName, (used.get(spec.nodeName) ?? 0) + cpu);
  }
  return nodes
    .filter(({ metadata, status }) => (used.get(metadata.name) ?? 0) > Number(status?.allocatable?.['cpu'] ?? 0))
    .map(({ metadata }) => metadata.name);
}
