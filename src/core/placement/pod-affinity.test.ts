import { describe, expect, it } from 'vitest';
import type { Affinity, Node, Pod, PodAffinityTerm } from '../api/types/core-v1.ts';
import { compileAffinityTerms } from './affinity-terms.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate } from './filters.ts';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const node = (name: string, zone?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [HOST]: name, ...(zone === undefined ? {} : { [ZONE]: zone }) } },
  spec: {},
  status: { allocatable: { cpu: '99', pods: '99' } },
});
interface PodOptions {
  readonly on?: string;
  readonly namespace?: string;
  readonly affinity?: Affinity;
}
const pod = (
  name: string,
  labels: { [key: string]: string },
  { on = '', namespace = 'default', affinity }: PodOptions = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace, labels },
  spec: { containers: [{ name: 'c' }], nodeName: on, ...(affinity === undefined ? {} : { affinity }) },
});
const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: ZONE,
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const apart = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});

const nodes = [node('a', 'z1'), node('b', 'z1'), node('c', 'z2'), node('d')];
function cluster(...pods: Pod[]): ClusterState {
  const state = createClusterState();
  for (const each of nodes) state.setNode(each);
  state.setNamespace('default', {});
  state.setNamespace('prod', { env: 'prod' });
  for (const each of pods) state.setPod(each);
  return state;
}
const takers = (incoming: Pod, state: ClusterState): string[] =>
  [...state.nodes.values()].filter((each) => evaluate(compilePod(incoming), each, state).ok).map((each) => each.name);

describe('pod affinity', () => {
  it('goes where a matching pod is, in the same domain', () => {
    const state = cluster(pod('db', { app: 'db' }, { on: 'a' }));
    expect(takers(pod('p', {}, { affinity: near(term('db')) }), state)).toEqual(['a', 'b']);
    expect(takers(pod('p', {}, { affinity: near(term('db', { topologyKey: HOST })) }), state)).toEqual(['a']);
  });

  it('wants one pod that matches all terms, not one a term', () => {
    const terms = near(term('db'), { topologyKey: ZONE, labelSelector: { matchLabels: { tier: 'back' } } });
    const split = cluster(pod('1', { app: 'db' }, { on: 'a' }), pod('2', { tier: 'back' }, { on: 'a' }));
    expect(takers(pod('p', {}, { affinity: terms }), split)).toEqual([]);
    const joint = cluster(pod('1', { app: 'db', tier: 'back' }, { on: 'c' }));
    expect(takers(pod('p', {}, { affinity: terms }), joint)).toEqual(['c']);
  });

  it('lets the first of a group that wants to be together start anywhere its labels allow', () => {
    const group = pod('p', { app: 'web' }, { affinity: near(term('web')) });
    expect(takers(group, cluster())).toEqual(['a', 'b', 'c']);
    expect(takers(group, cluster(pod('first', { app: 'web' }, { on: 'c' })))).toEqual(['c']);
    expect(takers(pod('p', { app: 'other' }, { affinity: near(term('web')) }), cluster())).toEqual([]);
  });

  it('does not help against pods outside any domain', () => {
    const state = cluster(pod('first', { app: 'web' }, { on: 'd' }));
    expect(takers(pod('p', { app: 'web' }, { affinity: near(term('web')) }), state)).toEqual(['a', 'b', 'c']);
  });
});

describe('namespaces of a term', () => {
  const everywhere = [pod('1', { app: 'db' }, { on: 'a', namespace: 'prod' })];
  it.each<[string, Partial<PodAffinityTerm>, string[]]>([
    ['its own by default', {}, ['a', 'b', 'c', 'd']],
    ['by name', { namespaces: ['prod'] }, ['c', 'd']],
    ['by label', { namespaceSelector: { matchLabels: { env: 'prod' } } }, ['c', 'd']],
    ['by label, none fits', { namespaceSelector: { matchLabels: { env: 'test' } } }, ['a', 'b', 'c', 'd']],
    ['all, by an empty selector', { namespaceSelector: {} }, ['c', 'd']],
    [
      'only namespaces that exist are selected by label',
      { namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] } },
      ['a', 'b', 'c', 'd'],
    ],
  ])('%s', (_, more, expected) => {
    expect(takers(pod('p', {}, { affinity: apart(term('db', more)) }), cluster(...everywhere))).toEqual(expected);
  });
});

describe('pod anti-affinity', () => {
  it('keeps away from matching pods, and lets nodes without the label pass', () => {
    const state = cluster(pod('db', { app: 'db' }, { on: 'a' }));
    expect(takers(pod('p', {}, { affinity: apart(term('db')) }), state)).toEqual(['c', 'd']);
  });

  it('of pods already there counts as well', () => {
    const hermit = pod('hermit', {}, { on: 'a', affinity: apart(term('web')) });
    expect(takers(pod('p', { app: 'web' }), cluster(hermit))).toEqual(['c', 'd']);
    expect(takers(pod('p', { app: 'db' }), cluster(hermit))).toEqual(['a', 'b', 'c', 'd']);
    expect(takers(pod('p', { app: 'web' }, { namespace: 'prod' }), cluster(hermit))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sums up many kinds of pods', () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      pod(`db-${index}`, { app: 'db', index: `${index}` }, { on: index % 2 ? 'a' : 'b' }),
    );
    expect(takers(pod('p', {}, { affinity: apart(term('db', { topologyKey: HOST })) }), cluster(...many))).toEqual([
      'c',
      'd',
    ]);
  });

  it('refuses in kube-scheduler words', () => {
    const state = cluster(pod('db', { app: 'db' }, { on: 'a', affinity: apart(term('web')) }));
    const at = state.nodes.get('a');
    const message = (incoming: Pod) => {
      const answer = at && evaluate(compilePod(incoming), at, state);
      return answer?.ok === false ? answer.nos.map((no) => [no.message, no.preemptionHelps, no.fix.length > 20]) : [];
    };
    expect(message(pod('p', {}, { affinity: near(term('x')) }))).toEqual([
      ["node(s) didn't match pod affinity rules", false, true],
    ]);
    expect(message(pod('p', {}, { affinity: apart(term('db')) }))).toEqual([
      ["node(s) didn't match pod anti-affinity rules", true, true],
    ]);
    expect(message(pod('p', { app: 'web' }))).toEqual([
      ["node(s) didn't satisfy existing pods anti-affinity rules", true, true],
    ]);
  });
});

describe('matchLabelKeys and mismatchLabelKeys', () => {
  const others = [
    pod('old', { app: 'web', hash: '1' }, { on: 'a' }),
    pod('new', { app: 'web', hash: '2' }, { on: 'c' }),
  ];

  it('compare with the pod’s own labels', () => {
    const own = pod('p', { app: 'web', hash: '2' }, { affinity: apart(term('web', { matchLabelKeys: ['hash'] })) });
    expect(takers(own, cluster(...others))).toEqual(['a', 'b', 'd']);
    const unlike = pod(
      'p',
      { app: 'web', hash: '2' },
      { affinity: apart(term('web', { mismatchLabelKeys: ['hash'] })) },
    );
    expect(takers(unlike, cluster(...others))).toEqual(['c', 'd']);
  });

  it('leave alone what the API server has already written into the selector', () => {
    const labelSelector = {
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'hash', operator: 'In', values: ['1'] }],
    };
    const relabelled = pod(
      'p',
      { app: 'web', hash: '2' },
      { affinity: apart({ topologyKey: ZONE, labelSelector, matchLabelKeys: ['hash'] }) },
    );
    expect(takers(relabelled, cluster(...others))).toEqual(['c', 'd']);
  });

  it('make terms that differ between pods, but are shared by pods that do not', () => {
    const { spec } = pod('p', {}, { affinity: apart(term('web', { matchLabelKeys: ['hash'] })) });
    const key = (labels: { [key: string]: string }, namespace = 'default') =>
      compileAffinityTerms(spec, namespace, labels)?.key;
    expect(key({ hash: '1', x: 'y' })).toBe(key({ hash: '1' }));
    expect(key({ hash: '1' })).not.toBe(key({ hash: '2' }));
    expect(key({ hash: '1' })).not.toBe(key({ hash: '1' }, 'prod'));
  });
});
