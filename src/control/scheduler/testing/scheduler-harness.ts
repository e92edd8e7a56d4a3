/**
 * The deciding half of the scheduler without an API server: cluster state, queue, cycle and preemption, driven by hand.
 * Bindings succeed at once; victims leave when the test says so.
 */
import type { Node, Pod, PodSpec } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { type ClusterState, createClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { recordOf } from '../../../core/placement/pod-record.ts';
import { createSeededRandom } from '../../../machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { createCycle, type Cycle } from '../cycle.ts';
import type { Decision } from '../decision.ts';
import { createNodeOrder, type NodeOrder } from '../node-order.ts';
import { createNominations, type Nominations } from '../nominations.ts';
import { findPreemption } from '../preempt.ts';
import { nodeAspects, podAspects } from '../queue/cluster-change.ts';
import { REJECTOR } from '../queue/rejectors.ts';
import { createSchedulingQueue, type SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { Turn } from '../turn.ts';

export interface NodeWish {
  readonly cpu?: number;
  readonly pods?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly taint?: string;
  readonly unschedulable?: boolean;
}

export const nodeOf = (name: string, wish: NodeWish = {}): Node => {
  const resources = { cpu: String(wish.cpu ?? 4), memory: '8Gi', pods: String(wish.pods ?? 110) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...wish.labels } },
    spec: {
      ...(wish.taint === undefined ? {} : { taints: [{ key: wish.taint, effect: 'NoSchedule' }] }),
      ...(wish.unschedulable === true ? { unschedulable: true } : {}),
    },
    status: { capacity: resources, allocatable: resources },
  };
};

export interface PodWish {
  readonly cpu?: number;
  readonly priority?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly pin?: string;
  readonly port?: number;
  readonly spec?: Partial<PodSpec>;
}

export const pinnedTo = (...names: readonly string[]): NonNullable<PodSpec['affinity']> => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: names.map((name) => ({
        matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
      })),
    },
  },
});

export const podOf = (name: string, wish: PodWish = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(wish.labels === undefined ? {} : { labels: wish.labels }),
  },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example/agent:1',
        ...(wish.cpu === undefined ? {} : { resources: { requests: { cpu: String(wish.cpu) } } }),
        ...(wish.port === undefined ? {} : { ports: [{ containerPort: wish.port, hostPort: wish.port }] }),
      },
    ],
    priority: wish.priority ?? 0,
    ...(wish.pin === undefined ? {} : { affinity: pinnedTo(wish.pin) }),
    ...wish.spec,
  },
});

export interface SchedulerHarness {
  readonly clock: VirtualClock;
  readonly cluster: ClusterState;
  readonly queue: SchedulingQueue;
  readonly cycle: Cycle;
  readonly nominations: Nominations;
  /** Attempts so far. */
  readonly attempts: () => number;
  /** Bound pods by name. */
  readonly bound: ReadonlyMap<string, { readonly pod: Stored<Pod>; readonly nodeName: string }>;
  /** Pods that preemption wants gone, by name. */
  readonly leaving: ReadonlyMap<string, string>;
  setNode(node: Node): void;
  removeNode(name: string): void;
  add(pod: Stored<Pod>): void;
  /** As if somebody had bound it. */
  place(pod: Stored<Pod>, nodeName: string): void;
  relabel(name: string, labels: { readonly [key: string]: string }): void;
  /** Takes a pod away, bound or not. */
  remove(name: string): void;
  decide(pod: Stored<Pod>): Decision;
  /** Tries pods until there is none to try. */
  run(): void;
}

/** Never over, always over, or as a test likes. */
export const turnOf = (expired: () => boolean): Turn => ({ begin: () => undefined, expired });

export function createSchedulerHarness(
  options: { readonly seed?: number | string; readonly turn?: Turn } = {},
): SchedulerHarness {
  const clock = createVirtualClock();
  const random = createSeededRandom(options.seed ?? 1);
  const turn = options.turn ?? turnOf(() => false);
  const cluster = createClusterState();
  const order: NodeOrder = createNodeOrder(cluster);
  const queue = createSchedulingQueue({ clock, cluster, onReady: () => undefined });
  const nominations = createNominations(cluster, {
    room: (change) => queue.changed(change),
    renominated: (uid) => queue.renominated(uid),
  });
  const cycle = createCycle({ cluster, order, random, plugins: [], turn });
  const bound = new Map<string, { pod: Stored<Pod>; nodeName: string }>();
  const leaving = new Map<string, string>();
  const nodes = new Map<string, Node>();
  let attempts = 0;

  const finish = <T>(work: Generator<undefined, T, undefined>): T => {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  };
  const decide = (pod: Stored<Pod>): Decision => {
    const compiled = compilePodOnce(pod);
    return cycle.quick(compiled) ?? finish(cycle.attempt(compiled));
  };

  function place(pod: Stored<Pod>, nodeName: string): void {
    cluster.setPod(pod, nodeName);
    bound.set(pod.metadata.name, { pod, nodeName });
    queue.changed({ kind: 'pod-placed', record: recordOf(pod), nodeName });
  }

  function tryOne(): boolean {
    const entry = queue.take();
    if (entry === undefined) return false;
    attempts++;
    const { pod } = entry;
    const compiled = compilePodOnce(pod);
    const decision = decide(pod);
    if (decision.outcome === 'overtaken') queue.putBack(entry);
    else if (decision.outcome === 'placed') {
      queue.placed(entry, decision.nodeName);
      nominations.end(pod, decision.nodeName);
      place(pod, decision.nodeName);
    } else if (decision.outcome === 'no-nodes') queue.refused(entry, REJECTOR.NoNodes, [], compiled);
    else {
      const preemption = finish(findPreemption(decision, { budgets: () => [], random, turn }));
      if (preemption.result === 'overtaken') {
        queue.putBack(entry);
        return true;
      }
      if (preemption.result === 'victims') {
        const { nodeName } = preemption.victims;
        entry.pod = { ...pod, status: { ...pod.status, nominatedNodeName: nodeName } };
        for (const { pod: victim } of preemption.victims.pods) terminate(victim.metadata.name, pod.metadata.name);
        nominations.set(entry.pod, nodeName);
        queue.refused(entry, decision.rejectors, decision.plugins, compiled);
        return true;
      }
      let { rejectors } = decision;
      if (preemption.result === 'no-candidates') {
        rejectors |= preemption.rejectors;
        entry.pod = { ...pod, status: {} };
        nominations.set(entry.pod, '');
      }
      queue.refused(entry, rejectors, decision.plugins, compiled);
    }
    return true;
  }

  /** Marked as leaving; it holds its room until the test removes it. */
  function terminate(name: string, by: string): void {
    const known = bound.get(name);
    if (known === undefined || leaving.has(name)) return;
    leaving.set(name, by);
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }];
    const { pod } = known;
    change(name, {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' },
      status: { ...pod.status, conditions },
    });
  }

  function change(name: string, pod: Stored<Pod>): void {
    const known = bound.get(name);
    if (known === undefined) return;
    const [old, record] = [recordOf(known.pod), recordOf(pod)];
    bound.set(name, { pod, nodeName: known.nodeName });
    cluster.setPod(pod, known.nodeName);
    const aspects = podAspects(record, old);
    if (aspects !== 0) queue.changed({ kind: 'pod-changed', record, old, nodeName: known.nodeName, aspects });
  }

  return {
    clock,
    cluster,
    queue,
    cycle,
    nominations,
    attempts: () => attempts,
    bound,
    leaving,
    decide,
    place,
    setNode(node) {
      const { name } = node.metadata;
      const old = nodes.get(name);
      nodes.set(name, node);
      cluster.setNode(node);
      order.stale();
      if (old === undefined) queue.changed({ kind: 'node-added', node });
      else {
        const aspects = nodeAspects(node, old);
        if (aspects !== 0) queue.changed({ kind: 'node-changed', node, old, aspects });
      }
    },
    removeNode(name) {
      const node = nodes.get(name);
      if (node === undefined) return;
      const hadPods = (cluster.nodes.get(name)?.pods.size ?? 0) > 0;
      nodes.delete(name);
      cluster.removeNode(name);
      order.stale();
      queue.changed({ kind: 'node-gone', node, hadPods });
    },
    add: (pod) => queue.add(pod),
    relabel(name, labels) {
      const known = bound.get(name);
      if (known !== undefined) change(name, { ...known.pod, metadata: { ...known.pod.metadata, labels } });
    },
    remove(name) {
      const known = bound.get(name);
      if (known === undefined) {
        const entry = queue.get(`uid-${name}`);
        if (entry === undefined) return;
        queue.remove(entry.uid);
        nominations.end(entry.pod, undefined);
        return;
      }
      bound.delete(name);
      leaving.delete(name);
      cluster.removePod(known.pod);
      queue.changed({ kind: 'room', nodeName: known.nodeName, record: recordOf(known.pod), atMost: Infinity });
    },
    run() {
      let left = 100_000;
      while (tryOne()) if (left-- === 0) throw new Error('the queue does not come to rest');
    },
  };
}
