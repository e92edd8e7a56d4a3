import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, NodeCondition, Taint, Toleration } from '../../../core/api/types/core-v1.ts';
import { executingKey, isExecuting, missingLabels, withConditionTaints, withExecuting } from './node-taints.ts';
import { executingTaints, stayMs } from './toleration-time.ts';

const KEYS = [
  'not-ready',
  'unreachable',
  'memory-pressure',
  'disk-pressure',
  'pid-pressure',
  'network-unavailable',
  'unschedulable',
];
const key = fc.oneof(
  fc.constantFrom(...KEYS.map((name) => `node.kubernetes.io/${name}`)),
  fc.constantFrom('mine', 'other'),
);
const taint: fc.Arbitrary<Taint> = fc.record({
  key,
  effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
});
const taints = fc.uniqueArray(taint, { selector: (each) => `${each.key}:${each.effect}`, maxLength: 8 });
const condition: fc.Arbitrary<NodeCondition> = fc.record({
  type: fc.constantFrom('Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable', 'Other'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
});
const node = fc
  .record({
    taints: fc.option(taints, { nil: undefined }),
    conditions: fc.uniqueArray(condition, { selector: ({ type }) => type }),
    unschedulable: fc.boolean(),
  })
  .map(({ taints: list, conditions, unschedulable }): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: { unschedulable, ...(list === undefined ? {} : { taints: list }) },
    status: { conditions },
  }));

/** Written down once more, from the documentation. */
function expected({ spec, status }: Node): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { type, status: is } of status?.conditions ?? []) {
    if (type === 'Ready' && is === 'False') keys.add('not-ready');
    if (type === 'Ready' && is === 'Unknown') keys.add('unreachable');
    if (is !== 'True') continue;
    if (type === 'MemoryPressure') keys.add('memory-pressure');
    if (type === 'DiskPressure') keys.add('disk-pressure');
    if (type === 'PIDPressure') keys.add('pid-pressure');
    if (type === 'NetworkUnavailable') keys.add('network-unavailable');
  }
  if (spec?.unschedulable === true) keys.add('unschedulable');
  return new Set([...keys].map((name) => `node.kubernetes.io/${name}`));
}

describe('taints of conditions', () => {
  it('are those the state asks for, and leave everybody else alone', () => {
    fc.assert(
      fc.property(node, (each) => {
        const next = withConditionTaints(each, 'now');
        const ours = next.filter((t) => t.effect === 'NoSchedule' && t.key.startsWith('node.kubernetes.io/'));
        expect(new Set(ours.map((t) => t.key))).toEqual(expected(each));
        const others = (list: readonly Taint[]) =>
          list.filter((t) => !ours.includes(t) && !(t.effect === 'NoSchedule' && t.key.startsWith('node.')));
        expect(others(next)).toEqual(others(each.spec?.taints ?? []));
        const settled: Node = { ...each, spec: { ...each.spec, taints: next } };
        expect(withConditionTaints(settled, 'later')).toBe(next);
      }),
    );
  });
});

describe('the taints that end pods', () => {
  it('are never both', () => {
    fc.assert(
      fc.property(taints, fc.constantFrom('True', 'False', 'Unknown', undefined), (list, ready) => {
        const wanted = executingKey(ready);
        const next = withExecuting(list, wanted, 'now');
        expect(next.filter(isExecuting).map((t) => t.key)).toEqual(wanted === undefined ? [] : [wanted]);
        expect(next.filter((t) => !isExecuting(t))).toEqual(list.filter((t) => !isExecuting(t)));
        expect(withExecuting(next, wanted, 'later')).toBe(next);
      }),
    );
  });
});

describe('labels of former times', () => {
  const labelled = (labels: { [key: string]: string } | undefined): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', ...(labels === undefined ? {} : { labels }) },
    spec: {},
  });

  it('say what the stable ones say', () => {
    expect(missingLabels(labelled(undefined))).toBeUndefined();
    expect(missingLabels(labelled({ 'kubernetes.io/os': 'linux' }))).toEqual({ 'beta.kubernetes.io/os': 'linux' });
    expect(missingLabels(labelled({ 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' }))).toEqual({
      'beta.kubernetes.io/arch': 'arm64',
    });
    expect(missingLabels(labelled({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }))).toBeUndefined();
  });
});

describe('how long a pod may stay', () => {
  const toleration: fc.Arbitrary<Toleration> = fc.record(
    {
      key: fc.oneof(key, fc.constant('')),
      operator: fc.constantFrom('Exists', 'Equal'),
      effect: fc.constantFrom('NoExecute', 'NoSchedule', ''),
      tolerationSeconds: fc.integer({ min: -5, max: 300 }),
    },
    { requiredKeys: ['key', 'operator', 'effect'] },
  );

  it('is the shortest of what it tolerates, and nothing if it does not tolerate one', () => {
    fc.assert(
      fc.property(taints, fc.array(toleration, { maxLength: 5 }), (list, tolerations) => {
        const each: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { taints: list } };
        const executing = list.filter(({ effect }) => effect === 'NoExecute');
        expect(executingTaints(each)).toEqual(executing);
        const tolerates = (t: Toleration, by: Taint): boolean =>
          (!t.effect || t.effect === by.effect) &&
          (!t.key || t.key === by.key) &&
          (t.operator === 'Exists' || (t.value ?? '') === (by.value ?? ''));
        const times = executing.map((by) => {
          const first = tolerations.find((t) => tolerates(t, by));
          if (first === undefined) return 0;
          return first.tolerationSeconds === undefined
            ? Number.POSITIVE_INFINITY
            : Math.max(0, first.tolerationSeconds) * 1000;
        });
        expect(stayMs(executing, tolerations)).toBe(Math.min(Number.POSITIVE_INFINITY, ...times));
      }),
    );
  });
});
