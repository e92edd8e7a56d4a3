import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../api/types/core-v1.ts';
import { type Answer, describeNo, refuse, YES } from './answer.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate, feasible, feasibleWithNominated, judge, judgeWithNominated } from './filters.ts';
import { createSampleCluster } from './golden/sample-cluster.ts';
import { createNodeState } from './node-state.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { preparePod } from './prepared-pod.ts';

const node = (name: string, more: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: {},
  status: { allocatable: { cpu: '2', memory: '2Gi', pods: '10' } },
  ...more,
});
const pod = (name: string, spec: Partial<PodSpec> = {}, labels: { [key: string]: string } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default', labels },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }], ...spec },
});
const clusterOf = (...nodes: Node[]): ClusterState => {
  const cluster = createClusterState();
  for (const each of nodes) cluster.setNode(each);
  return cluster;
};
const answer = (incoming: Pod, cluster: ClusterState, name = 'n1', plugins?: readonly SchedulerPlugin[]): Answer => {
  const state = cluster.nodes.get(name);
  if (state === undefined) throw new Error(`no node ${name}`);
  return evaluate(compilePod(incoming), state, cluster, plugins);
};
const codes = (given: Answer): string[] => (given.ok ? [] : given.nos.map((no) => no.code));

describe('one node', () => {
  it('is judged filter by filter, and the first to refuse is the one reported', () => {
    const spoiled = node('n1', {
      spec: { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '1', pods: '0' } },
    });
    const cluster = clusterOf(spoiled, node('other'));
    const picky: Partial<PodSpec> = {
      nodeName: 'other',
      nodeSelector: { disk: 'ssd' },
      containers: [{ name: 'c', resources: { requests: { cpu: '9' } }, ports: [{ containerPort: 1, hostPort: 1 }] }],
    };
    cluster.setPod(
      pod('holder', { nodeName: 'n1', containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 1 }] }] }),
    );
    const unschedulable = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' };
    const steps: [Partial<PodSpec>, string[]][] = [
      [{}, ['NodeUnschedulable']],
      [{ tolerations: [unschedulable] }, ['NodeNameMismatch']],
      [{ nodeName: '' }, ['UntoleratedTaint']],
      [{ tolerations: [{ operator: 'Exists' }] }, ['NodeAffinityMismatch']],
      [{ nodeSelector: {} }, ['HostPortConflict']],
      [{ containers: [{ name: 'c', resources: { requests: { cpu: '9' } } }] }, ['TooManyPods', 'InsufficientCpu']],
    ];
    let spec = picky;
    for (const [change, expected] of steps) {
      spec = { ...spec, ...change };
      expect(codes(answer(pod('p', spec), cluster))).toEqual(expected);
    }
  });

  it('is answered alike with and without reasons', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const sample = createSampleCluster(seed);
        const cluster = clusterOf(...sample.nodes);
        for (const each of sample.pods) cluster.setPod(each);
        const prepared = preparePod(compilePod(sample.incoming), cluster);
        for (const state of cluster.nodes.values()) {
          const given = judge(prepared, state);
          expect(feasible(prepared, state)).toBe(given.ok);
          expect(given.ok || given.nos.length > 0).toBe(true);
          expect(feasibleWithNominated(prepared, state)).toBe(judgeWithNominated(prepared, state).ok);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('may stand outside the cluster: a node one might add', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const sample = createSampleCluster(seed);
        const cluster = clusterOf(...sample.nodes);
        for (const { metadata } of sample.namespaces) cluster.setNamespace(metadata.name, metadata.labels);
        for (const each of sample.pods) cluster.setPod(each);
        const hypothetical = {
          ...(sample.nodes[0] as Node),
          metadata: {
            ...(sample.nodes[0] as Node).metadata,
            name: 'new',
            labels: { 'topology.kubernetes.io/zone': 'zone-9', 'kubernetes.io/hostname': 'new', disk: 'ssd' },
          },
        };
        const prepared = preparePod(compilePod(sample.incoming), cluster);
        const outside = judge(prepared, createNodeState(hypothetical));
        // The skew the newcomer's own empty domain would cause is the one thing that is only known once it has joined.
        if (sample.incoming.spec.topologySpreadConstraints !== undefined) return;
        const inside = evaluate(compilePod(sample.incoming), cluster.setNode(hypothetical), cluster);
        expect(codes(outside)).toEqual(codes(inside));
      }),
      { numRuns: 200 },
    );
  });

  it('is unimpressed by labels and keys that are properties of every object', () => {
    const labels = Object.fromEntries([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    const cluster = clusterOf(node('n1', { metadata: { name: 'n1', labels } }), node('n2'));
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const spread: Partial<PodSpec> = {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      };
      expect(codes(answer(pod('p', spread), cluster, 'n2'))).toEqual(['SpreadLabelMissing']);
      expect(codes(answer(pod('p', { nodeSelector: Object.fromEntries([[key, 'x']]) }), cluster, 'n2'))).toEqual([
        'NodeAffinityMismatch',
      ]);
    }
    expect(answer(pod('p', { nodeSelector: Object.fromEntries([['__proto__', 'x']]) }), cluster).ok).toBe(true);
  });
});

describe('a pod that can go nowhere', () => {
  it.each<[string, Partial<PodSpec>, string]>([
    [
      'contradicting names',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [] }] }],
            },
          },
        },
      },
      'NodeAffinityConflict',
    ],
    [
      'unreadable affinity',
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'x', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
            ],
          },
        },
      },
      'PodAffinityUnreadable',
    ],
    [
      'unreadable spread',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'x',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
          },
        ],
      },
      'SpreadUnreadable',
    ],
  ])('says so once: %s', (_, spec, code) => {
    const given = answer(pod('p', spec), clusterOf(node('n1')));
    expect(given).toMatchObject({ ok: false, everywhere: true, nos: [{ code }] });
  });
});

describe('pods promised room on a node', () => {
  it('are counted in for others that matter no more, and not for those that matter more', () => {
    const cluster = clusterOf(node('n1'));
    cluster.nominate(
      pod('promised', { priority: 10, containers: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }] }),
      'n1',
    );
    const judged = (incoming: Pod): string[] => {
      const state = cluster.nodes.get('n1');
      if (state === undefined) return ['no node'];
      const prepared = preparePod(compilePod(incoming), cluster);
      expect(feasibleWithNominated(prepared, state)).toBe(judgeWithNominated(prepared, state).ok);
      return codes(judgeWithNominated(prepared, state));
    };
    expect(judged(pod('p', { priority: 10 }))).toEqual(['InsufficientCpu']);
    expect(judged(pod('p', { priority: 11 }))).toEqual([]);
    expect(judged(pod('promised', { priority: 10 }))).toEqual([]);
  });

  it('must not be relied upon either: what fits only beside them does not fit', () => {
    const cluster = clusterOf(node('n1'));
    cluster.nominate(pod('promised', { priority: 10 }, { app: 'db' }), 'n1');
    const follower = pod('p', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } },
          ],
        },
      },
    });
    const state = cluster.nodes.get('n1');
    const prepared = preparePod(compilePod(follower), cluster);
    expect(state && codes(judgeWithNominated(prepared, state))).toEqual(['PodAffinityMismatch']);
  });
});

describe('plugins of other rooms', () => {
  const held: SchedulerPlugin = {
    name: 'Held',
    partIn: () => ({
      basis: 'kind',
      filter: (state) =>
        state.name === 'n1'
          ? refuse([describeNo('HeldForOwner', 'Held', 'node(s) held', false, () => 'claim it')])
          : YES,
    }),
  };

  it('are asked after the built-in filters, in their order', () => {
    const cluster = clusterOf(node('n1'), node('n2'), node('n3', { spec: { unschedulable: true } }));
    expect(answer(pod('p'), cluster, 'n1', [held])).toMatchObject({
      ok: false,
      nos: [{ code: 'HeldForOwner', fix: 'claim it' }],
    });
    expect(answer(pod('p'), cluster, 'n2', [{ name: 'Silent', partIn: () => undefined }, held]).ok).toBe(true);
    expect(codes(answer(pod('p'), cluster, 'n3', [held]))).toEqual(['NodeUnschedulable']);
  });
});

describe('preparing', () => {
  it('is done once per version of the cluster', () => {
    const cluster = clusterOf(node('n1'));
    const compiled = compilePod(pod('p'));
    const first = preparePod(compiled, cluster);
    expect(preparePod(compiled, cluster)).toBe(first);
    cluster.setPod(pod('other', { nodeName: 'n1' }));
    expect(preparePod(compiled, cluster)).not.toBe(first);
  });

  it('shares the parts of a template between its pods', () => {
    const template = pod('a', { tolerations: [{ operator: 'Exists' }], nodeSelector: { a: 'b' } });
    const [first, second] = [compilePod(template), compilePod({ ...template, metadata: { name: 'b', uid: 'b' } })];
    expect(second.tolerations).toBe(first.tolerations);
    expect(second.nodeAffinity).toBe(first.nodeAffinity);
    expect(second.requests).toBe(first.requests);
  });

  it('survives pods with more topology keys than are kept', () => {
    const cluster = clusterOf(node('n1'), node('n2'));
    const terms = Array.from({ length: 200 }, (_, index) => ({
      topologyKey: `key-${index}`,
      labelSelector: { matchLabels: { app: 'x' } },
    }));
    const many = pod(
      'many',
      {
        nodeName: 'n1',
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              ...terms,
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
            ],
          },
        },
      },
      { app: 'x' },
    );
    cluster.setPod(many);
    const twin = {
      ...many,
      metadata: { ...many.metadata, name: 'twin', uid: 'twin' },
      spec: { ...many.spec, nodeName: '' },
    };
    for (let round = 0; round < 3; round++) {
      expect(codes(answer(twin, cluster, 'n1'))).toEqual(['PodAntiAffinityConflict']);
      expect(answer(twin, cluster, 'n2').ok).toBe(true);
      cluster.setPod({ ...many, metadata: { ...many.metadata, annotations: { round: String(round) } } });
    }
  });
});
