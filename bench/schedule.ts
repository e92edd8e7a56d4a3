/**
 * Bench `schedule`: the scheduler with the API server it writes to, in one process, nothing durable.
 *
 * - `schedule-5000x10000`: pods a second, from the scheduler's start to the last binding; 10,000 pods of one template wait
 *   for 5,000 nodes.
 * - `preempt-5000`: seconds until 5,000 pinned pods have taken the place of one running pod each.
 * - `decide-pinned`: decisions a second on pods pinned to one of 5,000 nodes, API writes excluded.
 * - `room-10000`: microseconds of deciding whom to wake, per pod that ends, while 10,000 others wait for room.
 */
import { LOOPBACK } from '../src/apiserver/contract/users.ts';
import { bootstrap } from '../src/apiserver/bootstrap.ts';
import { createInProcessClient } from '../src/apiserver/inprocess/in-process-client.ts';
import { openClusterStore } from '../src/assembly/cluster-store.ts';
import { createEmbeddedApi } from '../src/assembly/embedded-api.ts';
import { createCycle } from '../src/control/scheduler/cycle.ts';
import { createNodeOrder } from '../src/control/scheduler/node-order.ts';
import { REJECTOR } from '../src/control/scheduler/queue/rejectors.ts';
import { createSchedulingQueue } from '../src/control/scheduler/queue/scheduling-queue.ts';
import { createScheduler } from '../src/control/scheduler/scheduler.ts';
import { YES } from '../src/core/placement/answer.ts';
import type { PluginPart, SchedulerPlugin } from '../src/core/placement/plugin.ts';
import { createTurn } from '../src/control/scheduler/turn.ts';
import { NODES, PODS } from '../src/core/api/registry/resources.ts';
import type { Node, Pod } from '../src/core/api/types/core-v1.ts';
import type { Stored } from '../src/core/kube/objects.ts';
import { createClusterState } from '../src/core/placement/cluster-state.ts';
import { compilePodOnce } from '../src/core/placement/compiled-pod.ts';
import { recordOf } from '../src/core/placement/pod-record.ts';
import { createInformers, type Informers } from '../src/machinery/cache/informers.ts';
import { silentLogger } from '../src/machinery/logging/logger.ts';
import { realClock } from '../src/machinery/time/real-clock.ts';
import { realRandom } from '../src/machinery/random/real-random.ts';
import { formatTime } from '../src/core/kube/time.ts';
import type { Client } from '../src/machinery/client/client.ts';
import type { Actor } from '../src/machinery/actor.ts';
import { createFleet } from '../src/nodes/fleet/fleet.ts';
import { nodesOf } from '../src/nodes/fleet/node-groups.ts';
import { throughput } from './support/load.ts';
import { isSelected, note, reportCase } from './support/report.ts';

const NODE_COUNT = 5000;
const POD_COUNT = 10_000;
const RUNS = 3;
const IN_FLIGHT = 200;

interface House {
  readonly client: Client;
  readonly informers: Informers;
  start(actor: Actor): void;
}

async function inHouse<T>(use: (house: House) => Promise<T>): Promise<T> {
  const store = await openClusterStore(undefined, realClock, silentLogger);
  const client = createInProcessClient(createEmbeddedApi(store, silentLogger), { user: LOOPBACK });
  const informers = createInformers(client, { clock: realClock, random: realRandom });
  const stopping = new AbortController();
  const runs: Promise<void>[] = [];
  const start = (actor: Actor): void => void runs.push(actor.start(stopping.signal));
  try {
    await bootstrap(client);
    return await use({ client, informers, start });
  } finally {
    stopping.abort();
    await Promise.all(runs);
    await store.close();
  }
}

const bareNode = (index: number): Node => {
  const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const name = `node-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z${index % 3}` } },
    spec: {},
    status: { capacity: resources, allocatable: resources },
  };
};

type Spec = NonNullable<Pod['spec']>;
const template: Spec = {
  containers: [
    { name: 'web', image: 'registry.example/web:1', resources: { requests: { cpu: '100m', memory: '128Mi' } } },
  ],
};
const labels = { app: 'web' };
const freePod = (index: number, spec: Spec = template): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `web-${index}`, namespace: 'default', labels },
  spec,
});

const pinned = (spec: Spec, nodeName: string): Spec => ({
  ...spec,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
      },
    },
  },
});

/** Resolves when `count` pods satisfy the predicate. */
function untilPods(informers: Informers, count: number, isSo: (pod: Pod) => boolean): Promise<void> {
  const seen = new Set<string>();
  return new Promise((resolve) => {
    informers.for(PODS).addHandler({
      batch(changes) {
        for (const { type, object } of changes) {
          if (type !== 'delete' && isSo(object)) seen.add(object.metadata.uid);
        }
        if (seen.size >= count) resolve();
      },
    });
  });
}

/** On a shared machine, CPU time tells more than wall time. */
function noteCpu(since: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(since);
  note(`${((user + system) / 1e6).toFixed(2)} s of CPU`);
}

const scheduleOnce = (plugins: readonly SchedulerPlugin[] = []): Promise<number> =>
  inHouse(async ({ client, informers, start }) => {
    await throughput(NODE_COUNT, IN_FLIGHT, async (i) => {
      const created = await client.create(NODES, bareNode(i));
      await client.update(NODES, { ...created, spec: {} });
    });
    await throughput(POD_COUNT, IN_FLIGHT, (i) => client.create(PODS, freePod(i)));
    informers.for(PODS);
    informers.for(NODES);
    start(informers);
    await informers.synced();
    const bound = untilPods(informers, POD_COUNT, (pod) => (pod.spec.nodeName ?? '') !== '');
    const cpu = process.cpuUsage();
    const began = performance.now();
    start(createScheduler({ client, informers, clock: realClock, random: realRandom, plugins }));
    await bound;
    noteCpu(cpu);
    return (POD_COUNT * 1000) / (performance.now() - began);
  });

/** One plugin without a part in these pods, as claims are, and one whose answers hold for all pods of a kind. */
const IN_USE: readonly SchedulerPlugin[] = [
  { name: 'Claims', partIn: ({ pod }) => (pod.metadata.annotations === undefined ? undefined : { basis: 'pod' }) },
  { name: 'Agrees', partIn: () => AGREES },
];
const AGREES: PluginPart = { basis: 'kind', filter: () => YES };

/** Pods a second with plugins over pods a second without, one run after the other. */
const portOnce = async (): Promise<number> => {
  const without = await scheduleOnce();
  return (await scheduleOnce(IN_USE)) / without;
};

const preemptOnce = (): Promise<number> =>
  inHouse(async ({ client, informers, start }) => {
    start(informers);
    start(createFleet({ client, informers, clock: realClock, logger: silentLogger }));
    const nodes = [...nodesOf({ name: 'node', count: NODE_COUNT }, formatTime(Date.now()))];
    await throughput(NODE_COUNT, IN_FLIGHT, (i) => client.create(NODES, nodes[i] as Node));
    const filler: Spec = {
      ...template,
      containers: [{ name: 'batch', image: 'registry.example/batch:1', resources: { requests: { cpu: '3' } } }],
      terminationGracePeriodSeconds: 1,
    };
    const running = untilPods(informers, NODE_COUNT, (pod) => pod.status?.phase === 'Running');
    await throughput(NODE_COUNT, IN_FLIGHT, (i) =>
      client.create(PODS, freePod(i, { ...filler, nodeName: (nodes[i] as Node).metadata.name })),
    );
    await running;
    start(createScheduler({ client, informers, clock: realClock, random: realRandom }));
    const daemon: Spec = { ...filler, priorityClassName: 'system-node-critical' };
    const taken = untilPods(
      informers,
      NODE_COUNT,
      (pod) => (pod.spec.nodeName ?? '') !== '' && pod.metadata.name.startsWith('daemon'),
    );
    const cpu = process.cpuUsage();
    const began = performance.now();
    await throughput(NODE_COUNT, IN_FLIGHT, (i) => {
      const spec = pinned(daemon, (nodes[i] as Node).metadata.name);
      return client.create(PODS, {
        ...freePod(i, spec),
        metadata: { name: `daemon-${i}`, namespace: 'default', labels },
      });
    });
    await taken;
    noteCpu(cpu);
    return (performance.now() - began) / 1000;
  });

const stored = (pod: Pod, index: number): Stored<Pod> => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    uid: `uid-${index}`,
    resourceVersion: String(index + 1),
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
});

function smallCluster() {
  const cluster = createClusterState();
  for (let i = 0; i < NODE_COUNT; i++) cluster.setNode(bareNode(i));
  return cluster;
}

function decidePinnedOnce(): number {
  const cluster = smallCluster();
  const cycle = createCycle({
    cluster,
    order: createNodeOrder(cluster),
    random: realRandom,
    plugins: [],
    turn: createTurn(realClock, 2),
  });
  const pods = Array.from({ length: 50_000 }, (_, i) =>
    stored(freePod(i, pinned(template, `node-${i % NODE_COUNT}`)), i),
  );
  const began = performance.now();
  for (const pod of pods) {
    const decision = cycle.quick(compilePodOnce(pod));
    if (decision?.outcome !== 'placed') throw new Error('a pod found no room');
    cluster.setPod(pod, decision.nodeName);
  }
  return (pods.length * 1000) / (performance.now() - began);
}

/** Every node is full; pods end one by one, and each time exactly one waiting pod is woken. */
function roomOnce(): number {
  const cluster = smallCluster();
  const queue = createSchedulingQueue({ clock: realClock, cluster, onReady: () => undefined });
  const full: Spec = {
    ...template,
    containers: [{ name: 'web', image: 'registry.example/web:1', resources: { requests: { cpu: '8' } } }],
  };
  const residents = Array.from({ length: NODE_COUNT }, (_, i) =>
    stored(freePod(i, { ...full, nodeName: `node-${i}` }), i),
  );
  for (const pod of residents) cluster.setPod(pod);
  for (let i = 0; i < POD_COUNT; i++) queue.add(stored(freePod(i, full), NODE_COUNT + i));
  for (let entry = queue.take(); entry !== undefined; entry = queue.take()) {
    queue.refused(entry, REJECTOR.NodeResourcesFit, [], compilePodOnce(entry.pod));
  }
  const began = performance.now();
  for (const pod of residents) {
    cluster.removePod(pod);
    queue.changed({ kind: 'room', nodeName: pod.spec.nodeName ?? '', record: recordOf(pod), atMost: Infinity });
  }
  const took = performance.now() - began;
  const { unschedulable } = queue.counts;
  queue.stop();
  if (unschedulable !== POD_COUNT - NODE_COUNT) throw new Error(`${POD_COUNT - unschedulable} pods were called`);
  return (took * 1000) / NODE_COUNT;
}

interface Case {
  readonly name: string;
  readonly unit: 's' | '/s' | 'us' | 'ratio';
  readonly better: 'lower' | 'higher';
  readonly measure: () => number | Promise<number>;
}

const CASES: readonly Case[] = [
  { name: 'schedule-5000x10000', unit: '/s', better: 'higher', measure: () => scheduleOnce() },
  { name: 'port-in-use', unit: 'ratio', better: 'higher', measure: portOnce },
  { name: 'preempt-5000', unit: 's', better: 'lower', measure: preemptOnce },
  { name: 'decide-pinned', unit: '/s', better: 'higher', measure: decidePinnedOnce },
  { name: 'room-10000', unit: 'us', better: 'lower', measure: roomOnce },
];

export default async function schedule(selected: readonly string[]): Promise<void> {
  for (const { name, unit, better, measure } of CASES) {
    if (!isSelected(selected, name)) continue;
    note(`# ${name}`);
    await measure();
    const samples: number[] = [];
    for (let run = 0; run < RUNS; run++) samples.push(await measure());
    reportCase({ bench: 'schedule', case: name, unit, better, samples });
  }
}
