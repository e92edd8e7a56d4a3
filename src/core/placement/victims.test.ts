import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../api/types/policy-v1.ts';
import { type ClusterState, createClusterState } from './cluster-state.ts';
import { compilePod, evaluate } from './filters.ts';
import { createSampleCluster } from './golden/sample-cluster.ts';
import { podKey, recordOf } from './pod-record.ts';
import { preparePod } from './prepared-pod.ts';
import {
  byImportance,
  candidatesWanted,
  compileBudgets,
  findCandidates,
  pickCandidate,
  preemptionForbidden,
  selectVictims,
  splitByBudget,
  type Victims,
} from './victims.ts';

const node = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: {},
  status: { allocatable: { cpu: '4', pods: '10' } },
});
interface PodOptions extends Partial<PodSpec> {
  readonly cpu?: string;
  readonly labels?: { [key: string]: string };
  readonly start?: string;
}
const pod = (name: string, { cpu = '1', labels = { app: 'web' }, start, ...spec }: PodOptions = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, namespace: 'default', labels },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
  ...(start === undefined ? {} : { status: { startTime: start } }),
});
const budget = (app: string, disruptionsAllowed: number, more: object = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, ...more },
});
const clusterOf = (pods: readonly Pod[], ...names: string[]): ClusterState => {
  const cluster = createClusterState();
  for (const name of names.length === 0 ? ['n1'] : names) cluster.setNode(node(name));
  for (const each of pods) cluster.setPod(each);
  return cluster;
};
function victimsOf(incoming: Pod, cluster: ClusterState, budgets: PodDisruptionBudget[] = [], name = 'n1') {
  const state = cluster.nodes.get(name);
  if (state === undefined) throw new Error(`no node ${name}`);
  const answer = selectVictims(preparePod(compilePod(incoming), cluster), state, compileBudgets(budgets));
  if (!answer.ok) return answer.nos.map((no) => no.message);
  return { pods: answer.victims.pods.map((record) => record.key), violations: answer.victims.budgetViolations };
}
const important = (cpu: string): Pod => pod('incoming', { cpu, priority: 1000 });

describe('victims on one node', () => {
  const onNode = (name: string, priority: number, more: PodOptions = {}) =>
    pod(name, { nodeName: 'n1', priority, ...more });

  it('are of lower priority, least important first, no more than needed', () => {
    const cluster = clusterOf([onNode('low', 1), onNode('lower', 0), onNode('equal', 1000), onNode('high', 2000)]);
    expect(victimsOf(important('1'), cluster)).toEqual({ pods: ['lower'], violations: 0 });
    expect(victimsOf(important('2'), cluster)).toEqual({ pods: ['low', 'lower'], violations: 0 });
    expect(victimsOf(important('3'), cluster)).toEqual(['Insufficient cpu']);
  });

  it('are the younger ones among equals; a pod that has not started is youngest', () => {
    const cluster = clusterOf([
      onNode('old', 0, { start: '2026-01-01T00:00:00Z' }),
      onNode('young', 0, { start: '2026-01-02T00:00:00Z' }),
      onNode('unborn', 0),
      onNode('filler', 5, {}),
    ]);
    expect(victimsOf(important('1'), cluster)).toEqual({ pods: ['unborn'], violations: 0 });
    expect(victimsOf(important('2'), cluster)).toEqual({ pods: ['young', 'unborn'], violations: 0 });
  });

  it('spare pods protected by a budget where others can go instead', () => {
    const cluster = clusterOf([
      onNode('a', 0, { labels: { app: 'db' } }),
      onNode('b', 5),
      onNode('c', 5),
      onNode('d', 6),
    ]);
    expect(victimsOf(important('1'), cluster)).toEqual({ pods: ['a'], violations: 0 });
    expect(victimsOf(important('1'), cluster, [budget('db', 0)])).toEqual({ pods: ['c'], violations: 0 });
    expect(victimsOf(important('4'), cluster, [budget('db', 0)])).toMatchObject({ violations: 1 });
  });

  it('are none when nothing matters less', () => {
    expect(victimsOf(important('1'), clusterOf([onNode('a', 1000)]))).toEqual([
      'No preemption victims found for incoming pod',
    ]);
  });

  it('may be shielded by a plugin', () => {
    const cluster = clusterOf([onNode('a', 0, { cpu: '2' }), onNode('b', 0, { cpu: '2' })]);
    const prepared = preparePod(compilePod(important('1')), cluster);
    const state = cluster.nodes.get('n1');
    const answer = state && selectVictims(prepared, state, [], (record) => record.key !== 'b');
    expect(answer).toMatchObject({ ok: true, victims: { pods: [{ key: 'a' }] } });
  });

  it('are the pods that stand in the way by anti-affinity, even if there is room', () => {
    const hostile = onNode('hostile', 0, {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
          ],
        },
      },
    });
    expect(victimsOf(important('1'), clusterOf([hostile, onNode('other', 0)]))).toEqual({
      pods: ['hostile'],
      violations: 0,
    });
  });
});

describe('victims in any sample', () => {
  it('make room, and every one of them is needed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const sample = createSampleCluster(seed);
        const cluster = createClusterState();
        for (const { metadata } of sample.namespaces) cluster.setNamespace(metadata.name, metadata.labels);
        for (const each of sample.nodes) cluster.setNode(each);
        for (const each of sample.pods) cluster.setPod(each);
        const compiled = compilePod(sample.incoming);
        const before = JSON.stringify([...cluster.nodes.values()].map((state) => [...state.pods.keys()]));
        const found = [...cluster.nodes.values()].flatMap((state) => {
          const answer = evaluate(compiled, state, cluster);
          if (answer.ok || !answer.preemptionHelps) return [];
          const chosen = selectVictims(preparePod(compiled, cluster), state, compileBudgets(sample.budgets));
          return chosen.ok ? [{ state, chosen: chosen.victims }] : [];
        });
        expect(JSON.stringify([...cluster.nodes.values()].map((state) => [...state.pods.keys()]))).toBe(before);
        for (const { state, chosen } of found) {
          const pods = chosen.pods.map((record) => record.pod);
          expect(pods.every((each) => (each.spec.priority ?? 0) < (sample.incoming.spec.priority ?? 0))).toBe(true);
          // Terminating pods are not counted for spreading, yet imagined away all the same, as upstream does it.
          if (pods.some((each) => each.metadata.deletionTimestamp !== undefined)) continue;
          for (const each of pods) cluster.removePod(each);
          expect(evaluate(compiled, state, cluster).ok).toBe(true);
          for (const each of pods) cluster.setPod(each);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('budgets', () => {
  const records = ['a', 'b', 'c'].map((name) => recordOf(pod(name)));
  const violating = (...budgets: PodDisruptionBudget[]) =>
    splitByBudget(records, compileBudgets(budgets)).violating.map((record) => record.key);

  it('are used up in order', () => {
    expect(violating(budget('web', 1))).toEqual(['b', 'c']);
    expect(violating(budget('web', 3))).toEqual([]);
  });
  it('do not count evictions already under way', () => {
    expect(violating(budget('web', 1, { disruptedPods: { a: '2026-01-01T00:00:00Z' } }))).toEqual(['c']);
  });
  it('of another namespace, without or with an unreadable selector protect nothing', () => {
    const { selector: _, ...bare } = budget('web', 0).spec;
    expect(violating({ ...budget('web', 0), metadata: { name: 'x', namespace: 'other' } })).toEqual([]);
    expect(violating({ ...budget('web', 0), spec: bare })).toEqual([]);
    expect(violating({ ...budget('web', 0), spec: { selector: {} } })).toEqual([]);
    expect(
      violating({ ...budget('web', 0), spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } } }),
    ).toEqual([]);
  });
  it('never protect pods without labels', () => {
    const exclusive = {
      ...budget('web', 0),
      spec: { selector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } },
    };
    const bare = recordOf(pod('bare', { labels: {} }));
    expect(splitByBudget([bare], compileBudgets([exclusive])).free).toEqual([bare]);
  });
});

describe('the choice between nodes', () => {
  const victims = (
    nodeName: string,
    budgetViolations: number,
    ...pods: [priority: number, start: string][]
  ): Victims => ({
    nodeName,
    budgetViolations,
    pods: pods.map(([priority, start], index) =>
      recordOf(pod(`${nodeName}-${index}`, { priority, start: `2026-01-${start}T00:00:00Z` })),
    ),
  });
  it.each<[string, Victims[]]>([
    ['fewest budget violations', [victims('worse', 1, [0, '01']), victims('best', 0, [500, '01'])]],
    [
      'lowest priority of the most important victim',
      [victims('worse', 0, [10, '01']), victims('best', 0, [5, '01'], [5, '01'], [5, '01'])],
    ],
    [
      'lowest sum of priorities',
      [victims('worse', 0, [10, '01'], [9, '01']), victims('best', 0, [10, '01'], [8, '01'])],
    ],
    [
      'a sum that grows with every victim, even of negative priority',
      [victims('worse', 0, [-1, '01'], [-5, '01']), victims('best', 0, [-1, '01'])],
    ],
    [
      'latest start of the most important victims',
      [victims('worse', 0, [10, '01'], [0, '09']), victims('best', 0, [10, '02'], [0, '01'])],
    ],
    ['the first of equals', [victims('best', 0, [10, '01']), victims('second', 0, [10, '01'])]],
  ])('goes by %s', (_, candidates) => {
    expect(pickCandidate(candidates)?.nodeName).toBe('best');
    expect(pickCandidate([])).toBeUndefined();
  });

  it('looks at nodes from the offset on until it has enough, one of them clean', () => {
    const names = Array.from({ length: 150 }, (_, index) => `n${index}`);
    const cluster = clusterOf(
      names.map((name) => pod(`on-${name}`, { nodeName: name, cpu: '4' })),
      ...names,
    );
    const prepared = preparePod(compilePod(important('1')), cluster);
    const { found } = findCandidates(prepared, [...cluster.nodes.values()], [], 140);
    expect(found.length).toBe(100);
    expect(found.slice(0, 11).map((each) => each.nodeName)).toEqual([...names.slice(140), 'n0']);
    expect([5, 100, 999, 5000].map(candidatesWanted)).toEqual([5, 100, 100, 500]);
  });

  it('keeps the refusals of nodes that cannot be helped', () => {
    const cluster = clusterOf([pod('a', { nodeName: 'n1', priority: 5000 })], 'n1', 'n2');
    const { found, refusals } = findCandidates(
      preparePod(compilePod(important('9')), cluster),
      [...cluster.nodes.values()],
      [],
      0,
    );
    expect([found.length, [...refusals.keys()]]).toEqual([0, ['n1', 'n2']]);
  });
});

describe('a pod', () => {
  const forbidden = (incoming: Pod, pods: Pod[] = [], nominated?: string) =>
    preemptionForbidden(preparePod(compilePod(incoming), clusterOf(pods)), nominated);
  const leaving: Pod = {
    ...pod('leaving', { nodeName: 'n1' }),
    metadata: { name: 'leaving', uid: 'leaving', deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  };

  it('may preempt unless its policy says never', () => {
    expect(forbidden(important('1'))).toBeUndefined();
    expect(forbidden(pod('p', { preemptionPolicy: 'Never' }))).toBe('not eligible due to preemptionPolicy=Never.');
  });
  it('waits while its last victims are leaving the node it was promised', () => {
    expect(forbidden(important('1'), [leaving], 'n1')).toBe(
      'not eligible due to a terminating pod on the nominated node.',
    );
    expect(forbidden(important('1'), [leaving])).toBeUndefined();
    expect(forbidden(important('1'), [leaving], 'n2')).toBeUndefined();
    expect(forbidden(important('1'), [{ ...leaving, status: {} }], 'n1')).toBeUndefined();
    expect(forbidden(important('1'), [], 'n1')).toBeUndefined();
  });
});

describe('importance', () => {
  it('is a total order', () => {
    const records = fc
      .record({
        priority: fc.integer({ min: -1, max: 1 }),
        start: fc.option(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'), { nil: undefined }),
        name: fc.constantFrom('a', 'b', 'c'),
      })
      .map(({ priority, start, name }) => recordOf(pod(name, { priority, ...(start === undefined ? {} : { start }) })));
    fc.assert(
      fc.property(records, records, records, (a, b, c) => {
        expect(Math.sign(byImportance(a, b)) + Math.sign(byImportance(b, a))).toBe(0);
        expect(byImportance(a, b) < 0 && byImportance(b, c) < 0 && byImportance(a, c) >= 0).toBe(false);
        expect(byImportance(a, b) === 0 && podKey(a.pod) !== podKey(b.pod)).toBe(false);
      }),
    );
  });
});
