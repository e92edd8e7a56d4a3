import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../api/types/core-v1.ts';
import type { Answer } from './answer.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate, feasible, judge } from './filters.ts';
import { oracleVerdict, type Verdict } from './golden/oracle.ts';
import { createSampleCluster, type SampleCluster } from './golden/sample-cluster.ts';
import { preparePod } from './prepared-pod.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
/** Room for everything, so that only labels, taints and other pods decide. */
const roomy = (node: Node): Node => ({
  ...node,
  status: {
    allocatable: { cpu: '1000', memory: '1Ti', pods: '1000', 'ephemeral-storage': '1Ti', 'example.com/gpu': '99' },
  },
});
const portless = (pod: Pod): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: [{ name: 'main' }], initContainers: [] },
});
function lightSample(seed: number): SampleCluster {
  const sample = createSampleCluster(seed);
  return {
    ...sample,
    nodes: sample.nodes.map(roomy),
    pods: sample.pods.map(portless),
    incoming: portless(sample.incoming),
  };
}

function fill(cluster: ClusterState, sample: SampleCluster): ClusterState {
  for (const { metadata } of sample.namespaces) cluster.setNamespace(metadata.name, metadata.labels);
  for (const node of sample.nodes) cluster.setNode(node);
  for (const pod of sample.pods) cluster.setPod(pod);
  return cluster;
}

const CODES: { readonly [code: string]: Verdict } = {
  NodeUnschedulable: 'unschedulable',
  UntoleratedTaint: 'taint',
  NodeAffinityMismatch: 'node-affinity',
  NodeAffinityConflict: 'node-affinity',
  NotPinnedHere: 'node-affinity',
  SpreadLabelMissing: 'spread',
  SpreadSkew: 'spread',
  PodAffinityMismatch: 'affinity',
  PodAntiAffinityConflict: 'anti-affinity',
  ExistingAntiAffinityConflict: 'objection',
};
const verdictOf = (answer: Answer): Verdict | undefined => (answer.ok ? 'ok' : CODES[answer.nos[0]?.code ?? '']);

/** A node the pod is not pinned to is not judged further; which filter would have come first does not matter there. */
function disagreements(cluster: ClusterState, sample: SampleCluster): readonly string[] {
  const prepared = preparePod(compilePod(sample.incoming), cluster);
  const observed = sample.nodes.map((node) => {
    const state = cluster.nodes.get(node.metadata.name);
    if (state === undefined) return 'missing';
    const answer = judge(prepared, state);
    if (feasible(prepared, state) !== answer.ok) return 'judge and feasible disagree';
    const expected = oracleVerdict(sample, node);
    const unpinned = !answer.ok && (answer.everywhere === true || answer.nos[0]?.code === 'NotPinnedHere');
    if (unpinned) return expected === 'ok' ? 'wrongly not judged' : 'agrees';
    return verdictOf(answer) === expected ? 'agrees' : `${verdictOf(answer)} instead of ${expected}`;
  });
  return observed.filter((each) => each !== 'agrees');
}

describe('a cluster filled once', () => {
  it('answers as the documented rules do', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const sample = lightSample(seed);
        expect(disagreements(fill(createClusterState(), sample), sample)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('answers the same whatever the order in which nodes and pods arrive', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const sample = lightSample(seed);
        const cluster = createClusterState();
        for (const pod of sample.pods.toReversed()) cluster.setPod(pod);
        for (const node of sample.nodes.toReversed()) cluster.setNode(node);
        for (const { metadata } of sample.namespaces) cluster.setNamespace(metadata.name, metadata.labels);
        expect(disagreements(cluster, sample)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a cluster that changes', () => {
  type Step = (sample: SampleCluster, cluster: ClusterState, other: SampleCluster) => SampleCluster;
  const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

  const addPod =
    (index: number): Step =>
    (sample, cluster, other) => {
      const pod = at(other.pods, index);
      if (pod === undefined) return sample;
      cluster.setPod(pod);
      return { ...sample, pods: [...sample.pods.filter((each) => each.metadata.uid !== pod.metadata.uid), pod] };
    };
  const removePod =
    (index: number): Step =>
    (sample, cluster) => {
      const pod = at(sample.pods, index);
      if (pod === undefined) return sample;
      cluster.removePod(pod);
      return { ...sample, pods: sample.pods.filter((each) => each !== pod) };
    };
  const relabelNode =
    (index: number): Step =>
    (sample, cluster, other) => {
      const [node, like] = [at(sample.nodes, index), at(other.nodes, index)];
      if (node === undefined || like === undefined) return sample;
      const changed: Node = {
        ...node,
        metadata: { ...node.metadata, ...(like.metadata.labels ? { labels: like.metadata.labels } : {}) },
        spec: like.spec,
      };
      cluster.setNode(changed);
      return { ...sample, nodes: sample.nodes.map((each) => (each === node ? changed : each)) };
    };
  const removeNode =
    (index: number): Step =>
    (sample, cluster) => {
      const node = at(sample.nodes, index);
      if (node === undefined) return sample;
      cluster.removeNode(node.metadata.name);
      return { ...sample, nodes: sample.nodes.filter((each) => each !== node) };
    };
  const addNode =
    (index: number): Step =>
    (sample, cluster, other) => {
      const node = at(other.nodes, index);
      if (node === undefined || sample.nodes.some((each) => each.metadata.name === node.metadata.name)) return sample;
      cluster.setNode(node);
      return { ...sample, nodes: [...sample.nodes, node] };
    };
  const heartbeat =
    (index: number): Step =>
    (sample, cluster) => {
      const node = at(sample.nodes, index);
      if (node !== undefined) cluster.setNode({ ...node, status: { ...node.status } });
      return sample;
    };
  const terminate =
    (index: number): Step =>
    (sample, cluster) => {
      const pod = at(sample.pods, index);
      if (pod === undefined) return sample;
      const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-02-02T00:00:00Z' } };
      cluster.setPod(leaving);
      return { ...sample, pods: sample.pods.map((each) => (each === pod ? leaving : each)) };
    };
  const finish =
    (index: number): Step =>
    (sample, cluster) => {
      const pod = at(sample.pods, index);
      if (pod === undefined) return sample;
      cluster.setPod({ ...pod, status: { ...pod.status, phase: 'Succeeded' } });
      return { ...sample, pods: sample.pods.filter((each) => each !== pod) };
    };

  const step = fc
    .tuple(
      fc.constantFrom(addPod, addPod, removePod, relabelNode, removeNode, addNode, heartbeat, terminate, finish),
      fc.nat(20),
    )
    .map(([make, index]) => make(index));

  it('answers after every step as one filled afresh would', () => {
    fc.assert(
      fc.property(seeds, fc.array(step, { maxLength: 12 }), (seed, steps) => {
        let sample = lightSample(seed);
        const other = lightSample(seed + 1);
        const cluster = fill(createClusterState(), sample);
        for (const move of steps) {
          sample = move(sample, cluster, other);
          expect(disagreements(cluster, sample)).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('ends with nothing counted when everything has gone', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const sample = createSampleCluster(seed);
        const cluster = fill(createClusterState(), sample);
        evaluate(compilePod(sample.incoming), [...cluster.nodes.values()][0] as never, cluster);
        for (const pod of sample.pods) cluster.removePod(pod);
        for (const state of cluster.nodes.values()) {
          expect(state).toMatchObject({
            requestedCpu: 0,
            requestedMemory: 0,
            requestedEphemeralStorage: 0,
            nonZeroCpu: 0,
            nonZeroMemory: 0,
          });
          expect([state.pods.size, state.ports.size, state.requestedScalars.size]).toEqual([0, 0, 0]);
        }
        expect([...cluster.index.namespaces]).toEqual([]);
        expect([...cluster.index.termHolders]).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a cluster', () => {
  const pod = (name: string, nodeName: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
  });
  const node = (name: string): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });

  it('remembers pods of a node it has not seen, or that has gone', () => {
    const cluster = createClusterState();
    cluster.setPod(pod('a', 'n1'));
    expect(cluster.nodes.size).toBe(0);
    expect(cluster.setNode(node('n1')).requestedCpu).toBe(1000);
    cluster.removeNode('n1');
    expect(cluster.setNode(node('n1')).pods.size).toBe(1);
    cluster.removeNode('n1');
    cluster.removePod(pod('a', 'n1'));
    expect(cluster.setNode(node('n1')).pods.size).toBe(0);
  });

  it('moves a pod that is set again elsewhere, and counts an assumed pod where it is assumed', () => {
    const cluster = createClusterState();
    const [first, second] = [cluster.setNode(node('n1')), cluster.setNode(node('n2'))];
    cluster.setPod(pod('a', 'n1'));
    cluster.setPod(pod('a', ''), 'n2');
    expect([first.pods.size, second.pods.size]).toEqual([0, 1]);
  });

  it('advances its version with every change', () => {
    const cluster = createClusterState();
    const versions = [cluster.version];
    for (const change of [
      () => cluster.setNode(node('n1')),
      () => cluster.setPod(pod('a', 'n1')),
      () => cluster.nominate(pod('b', ''), 'n1'),
      () => cluster.denominate(pod('b', '')),
      () => cluster.setNamespace('x', {}),
      () => cluster.removeNamespace('x'),
      () => cluster.removePod(pod('a', 'n1')),
      () => cluster.removeNode('n1'),
    ]) {
      change();
      versions.push(cluster.version);
    }
    expect(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0))).toBe(true);
  });

  it('keeps the newest object of a pod whose count has not changed, and its version', () => {
    const cluster = createClusterState();
    cluster.setNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    const containers = [{ name: 'main', resources: { requests: { cpu: '1' } } }];
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u' }, spec: { containers } };
    cluster.setPod(pod, 'n');
    const { version } = cluster;
    const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName: 'n' }, status: { phase: 'Running' } };
    cluster.setPod(bound);
    expect(cluster.version).toBe(version);
    expect(cluster.nodes.get('n')?.pods.get('u')?.pod).toBe(bound);
    const resized = { ...bound, spec: { ...bound.spec, containers: [{ name: 'main' }] } };
    cluster.setPod(resized);
    expect([cluster.version > version, cluster.nodes.get('n')?.requestedCpu]).toEqual([true, 0]);
    cluster.setPod({ ...resized, status: { phase: 'Succeeded' } });
    expect(cluster.nodes.get('n')?.pods.size).toBe(0);
  });

  it('counts each image once a node, with the size first reported', () => {
    const cluster = createClusterState();
    const withImages = (name: string, size: number): Node => ({
      ...node(name),
      status: {
        images: [
          { names: ['i:1', 'i@sha'], sizeBytes: size },
          { names: ['i:1'], sizeBytes: 1 },
        ],
      },
    });
    cluster.setNode(withImages('n1', 10));
    cluster.setNode(withImages('n2', 20));
    expect(cluster.image('i:1')).toEqual({ size: 10, nodes: 2 });
    cluster.setNode(node('n1'));
    cluster.removeNode('n2');
    expect(cluster.image('i:1')).toBeUndefined();
  });
});
