import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec, TopologySpreadConstraint } from '../api/types/core-v1.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate } from './filters.ts';
import { compileSpread } from './topology-spread.ts';

const ZONE = 'topology.kubernetes.io/zone';
const node = (
  name: string,
  zone: string | undefined,
  more: { [key: string]: string } = {},
  spec: Node['spec'] = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { ...(zone === undefined ? {} : { [ZONE]: zone }), ...more } },
  spec,
  status: { allocatable: { cpu: '99', pods: '99' } },
});
const pod = (
  name: string,
  nodeName: string,
  labels: { [key: string]: string },
  spec: Partial<PodSpec> = {},
  meta: object = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default', labels, ...meta },
  spec: { containers: [{ name: 'c' }], nodeName, ...spec },
});
const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});
const cluster = (nodes: Node[], pods: Pod[]): ClusterState => {
  const state = createClusterState();
  for (const each of nodes) state.setNode(each);
  for (const each of pods) state.setPod(each);
  return state;
};
/** The nodes that take the pod. */
function takers(
  state: ClusterState,
  constraints: TopologySpreadConstraint[],
  labels: { [key: string]: string } = { app: 'web' },
  spec: Partial<PodSpec> = {},
): string[] {
  const incoming = pod('in', '', labels, { topologySpreadConstraints: constraints, ...spec });
  return [...state.nodes.values()]
    .filter((each) => evaluate(compilePod(incoming), each, state).ok)
    .map((each) => each.name);
}
const three = [node('a', 'z1'), node('b', 'z2'), node('c', 'z3')];
const web = (name: string, on: string) => pod(name, on, { app: 'web' });

describe('topology spread', () => {
  it('keeps every domain within maxSkew of the emptiest', () => {
    const state = cluster(three, [web('1', 'a'), web('2', 'b'), web('3', 'a')]);
    expect(takers(state, [constraint()])).toEqual(['c']);
    expect(takers(state, [constraint({ maxSkew: 2 })])).toEqual(['b', 'c']);
    expect(takers(state, [constraint({ maxSkew: 3 })])).toEqual(['a', 'b', 'c']);
  });

  it('counts the pod itself only if it matches', () => {
    const state = cluster(three, [web('1', 'a')]);
    expect(takers(state, [constraint()], { app: 'web' })).toEqual(['b', 'c']);
    expect(takers(state, [constraint()], { app: 'db' })).toEqual(['a', 'b', 'c']);
  });

  it('takes the least as zero while there are fewer domains than minDomains', () => {
    const state = cluster(three, [web('1', 'a'), web('2', 'b'), web('3', 'c')]);
    expect(takers(state, [constraint()])).toEqual(['a', 'b', 'c']);
    expect(takers(state, [constraint({ minDomains: 4 })])).toEqual([]);
  });

  it('leaves out nodes without the label, and nodes the pod could not use', () => {
    const nodes = [node('a', 'z1', { disk: 'ssd' }), node('b', 'z2'), node('c', undefined, { disk: 'ssd' })];
    const state = cluster(nodes, [web('1', 'a')]);
    expect(takers(state, [constraint()])).toEqual(['b']);
    expect(takers(state, [constraint()], { app: 'web' }, { nodeSelector: { disk: 'ssd' } })).toEqual(['a']);
    expect(
      takers(state, [constraint({ nodeAffinityPolicy: 'Ignore' })], { app: 'web' }, { nodeSelector: { disk: 'ssd' } }),
    ).toEqual([]);
  });

  it('counts tainted nodes unless told to honour taints', () => {
    const tainted = node('b', 'z2', {}, { taints: [{ key: 't', effect: 'NoSchedule' }] });
    const state = cluster([node('a', 'z1'), tainted], [web('1', 'a')]);
    expect(takers(state, [constraint()])).toEqual([]);
    expect(takers(state, [constraint({ nodeTaintsPolicy: 'Honor' })])).toEqual(['a']);
  });

  it('ignores terminating pods and other namespaces', () => {
    const leaving = pod('1', 'a', { app: 'web' }, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const elsewhere = pod('2', 'a', { app: 'web' }, {}, { namespace: 'other' });
    expect(takers(cluster(three, [leaving, elsewhere]), [constraint()])).toEqual(['a', 'b', 'c']);
  });

  it('narrows the selector to the pod’s own values by matchLabelKeys', () => {
    const state = cluster(three, [pod('1', 'a', { app: 'web', hash: 'old' })]);
    const keyed = [constraint({ matchLabelKeys: ['hash', 'absent'] })];
    expect(takers(state, keyed, { app: 'web', hash: 'new' })).toEqual(['a', 'b', 'c']);
    expect(takers(state, keyed, { app: 'web', hash: 'old' })).toEqual(['b', 'c']);
    expect(takers(state, keyed, { app: 'web' })).toEqual(['b', 'c']);
  });

  it('must hold for every constraint at once', () => {
    const nodes = [node('a', 'z1', { rack: 'r1' }), node('b', 'z2', { rack: 'r1' }), node('c', 'z2', { rack: 'r2' })];
    const state = cluster(nodes, [web('1', 'a')]);
    expect(takers(state, [constraint(), constraint({ topologyKey: 'rack' })])).toEqual(['c']);
  });

  it('with no selector counts nothing; with an empty one counts no pod but itself', () => {
    const state = cluster(three, [web('1', 'a'), web('2', 'a')]);
    const { labelSelector: _, ...bare } = constraint();
    expect(takers(state, [bare])).toEqual(['a', 'b', 'c']);
    expect(takers(state, [constraint({ labelSelector: {} })])).toEqual(['a', 'b', 'c']);
  });

  it('says which label is missing, or that the domain is full', () => {
    const state = cluster([node('a', 'z1'), node('b', undefined), node('c', 'z2')], [web('1', 'a')]);
    const compiled = compilePod(pod('in', '', { app: 'web' }, { topologySpreadConstraints: [constraint()] }));
    const answers = ['a', 'b'].map((name) => {
      const at = state.nodes.get(name);
      return at && evaluate(compiled, at, state);
    });
    expect(answers).toMatchObject([
      {
        nos: [
          {
            code: 'SpreadSkew',
            message: "node(s) didn't match pod topology spread constraints",
            preemptionHelps: true,
            fix: expect.stringContaining('raise maxSkew above 1') as string,
          },
        ],
      },
      {
        nos: [
          {
            code: 'SpreadLabelMissing',
            message: "node(s) didn't match pod topology spread constraints (missing required label)",
            preemptionHelps: false,
            fix: expect.stringContaining(`\`${ZONE}\``) as string,
          },
        ],
      },
    ]);
  });

  it('compiles once for pods of one template with the same values', () => {
    const spec: PodSpec = { containers: [], topologySpreadConstraints: [constraint({ matchLabelKeys: ['hash'] })] };
    expect(compileSpread(spec, { hash: '1' })).toBe(compileSpread({ ...spec }, { hash: '1', other: 'x' }));
    expect(compileSpread(spec, { hash: '1' })).not.toBe(compileSpread(spec, { hash: '2' }));
  });
});
