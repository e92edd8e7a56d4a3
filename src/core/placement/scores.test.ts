import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../api/types/core-v1.ts';
import { selectorFromLabels } from '../kube/selector.ts';
import { createClusterState } from './cluster-state.ts';
import { compilePod } from './filters.ts';
import { imageName } from './images.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { preparePod } from './prepared-pod.ts';
import { normalise } from './score-scale.ts';
import { feasibleNodesWanted, type ScoreOptions, scoreNodes } from './scores.ts';

const HOST = 'kubernetes.io/hostname';
const node = (name: string, more: Partial<Node> = {}, labels: { [key: string]: string } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [HOST]: name, ...labels } },
  spec: {},
  status: { allocatable: { cpu: '4', memory: '10000', pods: '99' } },
  ...more,
});
const pod = (
  name: string,
  cpu: string | undefined,
  memory: string | undefined,
  spec: Partial<PodSpec> = {},
  labels: { [key: string]: string } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default', labels },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'i',
        resources: { requests: { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) } },
      },
    ],
    ...spec,
  },
});
function scores(
  plugin: string,
  incoming: Pod,
  nodes: Node[],
  pods: Pod[] = [],
  options: ScoreOptions = {},
  plugins: readonly SchedulerPlugin[] = [],
) {
  const cluster = createClusterState();
  cluster.setNamespace('default', {});
  for (const each of nodes) cluster.setNode(each);
  for (const each of pods) cluster.setPod(each);
  return scoreNodes(
    preparePod(compilePod(incoming), cluster, plugins),
    [...cluster.nodes.values()],
    options,
  ).byPlugin.get(plugin);
}

describe('NodeResourcesFit', () => {
  it('prefers the emptier node', () => {
    const used = pod('used', '3', '5000', { nodeName: 'b' });
    // a: cpu (4-3)/4 = 25, memory (10000-5000)/10000 = 50, mean 37; b: 0 and 0.
    expect(scores('NodeResourcesFit', pod('p', '3', '5000'), [node('a'), node('b')], [used])).toEqual([37, 0]);
  });
  it('counts stand-ins for what is not requested', () => {
    const big = node('a', { status: { allocatable: { cpu: '1', memory: '400Mi', pods: '9' } } });
    expect(scores('NodeResourcesFit', pod('p', undefined, undefined), [big])).toEqual([70]);
  });
  it('leaves out what the node does not have', () => {
    expect(
      scores('NodeResourcesFit', pod('p', '1', '1'), [
        node('a', { status: { allocatable: { cpu: '4' } } }),
        node('b', { status: {} }),
      ]),
    ).toEqual([75, 0]);
  });
});

describe('NodeResourcesBalancedAllocation', () => {
  it('rewards the improvement, and is around 75 where little changes', () => {
    // Before: cpu 0.5, memory 0 on both. The pod balances a (memory only), and worsens it with cpu.
    const used = ['a', 'b'].map((name) => pod(`used-${name}`, '2', '0', { nodeName: name }));
    expect(scores('NodeResourcesBalancedAllocation', pod('p', '0', '5000'), [node('a'), node('b')], used)).toEqual([
      87, 87,
    ]);
    expect(scores('NodeResourcesBalancedAllocation', pod('p', '1', '0'), [node('a')], used)).toEqual([68]);
    expect(scores('NodeResourcesBalancedAllocation', pod('p', '2', '5000'), [node('a')])).toEqual([75]);
  });
  it('has nothing to say about best-effort pods', () => {
    expect(scores('NodeResourcesBalancedAllocation', pod('p', undefined, undefined), [node('a')])).toBeUndefined();
  });
});

describe('TaintToleration', () => {
  const spot = { key: 'spot', effect: 'PreferNoSchedule' };
  it('prefers nodes with fewer taints that discourage the pod', () => {
    const nodes = [
      node('a'),
      node('b', { spec: { taints: [spot] } }),
      node('c', { spec: { taints: [spot, { ...spot, key: 'x' }] } }),
    ];
    expect(scores('TaintToleration', pod('p', '1', '1'), nodes)).toEqual([100, 50, 0]);
    expect(scores('TaintToleration', pod('p', '1', '1', { tolerations: [{ operator: 'Exists' }] }), nodes)).toEqual([
      100, 100, 100,
    ]);
  });
});

describe('NodeAffinity', () => {
  it('prefers nodes whose preferred terms weigh more', () => {
    const preference = (key: string) => ({ matchExpressions: [{ key, operator: 'Exists' }] });
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 30, preference: preference('x') },
          { weight: 60, preference: preference('y') },
        ],
      },
    };
    const nodes = [node('a', {}, { x: '' }), node('b', {}, { x: '', y: '' }), node('c')];
    expect(scores('NodeAffinity', pod('p', '1', '1', { affinity }), nodes)).toEqual([33, 100, 0]);
    expect(scores('NodeAffinity', pod('p', '1', '1'), nodes)).toBeUndefined();
  });
});

describe('PodTopologySpread', () => {
  const zone = (name: string, value: string) => node(name, {}, { 'topology.kubernetes.io/zone': value });
  const soft = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
  };
  const web = (name: string, nodeName: string) => pod(name, '0', '0', { nodeName }, { app: 'web' });

  it('prefers domains with fewer matching pods, and ignores nodes outside any', () => {
    const nodes = [zone('a', 'z1'), zone('b', 'z2'), node('c')];
    expect(
      scores('PodTopologySpread', pod('p', '1', '1', soft), nodes, [web('1', 'a'), web('2', 'a'), web('3', 'b')]),
    ).toEqual([33, 100, 0]);
  });
  it('spreads pods with siblings by default, also over nodes without a zone', () => {
    const options = { siblings: selectorFromLabels({ app: 'web' }) };
    const result = scores(
      'PodTopologySpread',
      pod('p', '1', '1'),
      [zone('a', 'z1'), node('c')],
      [web('1', 'a')],
      options,
    );
    expect(result?.[1]).toBeGreaterThan(result?.[0] ?? 0);
    expect(scores('PodTopologySpread', pod('p', '1', '1'), [node('c')])).toBeUndefined();
  });
  it('spreads alike whether every node counts or only those that match a selector which all of them match', () => {
    const options = { siblings: selectorFromLabels({ app: 'web' }) };
    const everywhere = { nodeSelector: { os: 'linux' } };
    const places = fc.array(fc.nat(5), { maxLength: 20 });
    const zones = fc.array(fc.constantFrom('z1', 'z2', 'z3', ''), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(places, zones, (on, zoneOf) => {
        const nodes = zoneOf.map((name, index) =>
          node(`n${index}`, {}, { os: 'linux', ...(name === '' ? {} : { 'topology.kubernetes.io/zone': name }) }),
        );
        const pods = on.map((at, index) => web(`w${index}`, `n${at}`));
        expect(scores('PodTopologySpread', pod('p', '1', '1'), nodes, pods, options)).toEqual(
          scores('PodTopologySpread', pod('p', '1', '1', everywhere), nodes, pods, options),
        );
      }),
    );
  });
});

describe('InterPodAffinity', () => {
  const term = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'web' } } };
  const web = pod('web', '0', '0', { nodeName: 'a' }, { app: 'web' });
  it('prefers what the pod prefers', () => {
    const likes = {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: term }] },
    };
    const dislikes = {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: term }] },
    };
    expect(scores('InterPodAffinity', pod('p', '1', '1', { affinity: likes }), [node('a'), node('b')], [web])).toEqual([
      100, 0,
    ]);
    expect(
      scores('InterPodAffinity', pod('p', '1', '1', { affinity: dislikes }), [node('a'), node('b')], [web]),
    ).toEqual([0, 100]);
  });
  it('prefers what pods already there want, required or not', () => {
    const fan = pod('fan', '0', '0', {
      nodeName: 'b',
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    });
    expect(scores('InterPodAffinity', pod('p', '1', '1', {}, { app: 'web' }), [node('a'), node('b')], [fan])).toEqual([
      0, 100,
    ]);
    expect(scores('InterPodAffinity', pod('p', '1', '1'), [node('a'), node('b')], [fan])).toBeUndefined();
  });
});

describe('ImageLocality', () => {
  it('prefers nodes that have the image, the more so the more nodes do', () => {
    const has = (name: string) =>
      node(name, { status: { allocatable: {}, images: [{ names: ['i:latest'], sizeBytes: 800 * 1024 * 1024 }] } });
    expect(scores('ImageLocality', pod('p', '1', '1'), [has('a'), node('b')])).toEqual([38, 0]);
    expect(scores('ImageLocality', pod('p', '1', '1'), [has('a'), has('b')])).toEqual([79, 79]);
  });
  it.each([
    ['i', 'i:latest'],
    ['host:5000/i', 'host:5000/i:latest'],
    ['i:1', 'i:1'],
  ])('reads %s as %s', (image, expected) => {
    expect(imageName(image)).toBe(expected);
  });
});

describe('scores of plugins', () => {
  it('are brought to 0–100 and weighted, unless they say they are', () => {
    const raw: SchedulerPlugin = {
      name: 'Raw',
      partIn: () => ({ basis: 'kind', scoring: { weight: 2, score: (state) => (state.name === 'a' ? 8 : 4) } }),
    };
    const ready: SchedulerPlugin = {
      name: 'Ready',
      partIn: () => ({ basis: 'kind', scoring: { weight: 1, score: () => 7, normalised: true } }),
    };
    const nodes = [node('a'), node('b')];
    expect(scores('Raw', pod('p', '1', '1'), nodes, [], {}, [raw])).toEqual([100, 50]);
    expect(scores('Ready', pod('p', '1', '1'), nodes, [], {}, [ready])).toEqual([7, 7]);
  });
  it('are normalised from zero up', () => {
    expect(normalise([0, 0], false)).toEqual([0, 0]);
    expect(normalise([0, 0], true)).toEqual([100, 100]);
    expect(normalise([1, 3], true)).toEqual([67, 0]);
  });
});

describe('how many nodes are enough', () => {
  it.each([
    [10, 10],
    [99, 99],
    [100, 100],
    [1000, 420],
    [5000, 500],
    [6000, 300],
    [50_000, 2500],
  ])('%d → %d', (nodes, wanted) => {
    expect(feasibleNodesWanted(nodes)).toBe(wanted);
  });
});
