import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../../core/api/types/policy-v1.ts';
import { type Budget, compileBudgets } from '../../core/placement/victims.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import type { Refused } from './decision.ts';
import { findPreemption, type Preemption } from './preempt.ts';
import { REJECTOR } from './queue/rejectors.ts';
import {
  createSchedulerHarness,
  nodeOf,
  podOf,
  type PodWish,
  type SchedulerHarness,
  turnOf,
} from './testing/scheduler-harness.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';

const refusedOf = (harness: SchedulerHarness, pod: Stored<Pod>): Refused => {
  const decision = harness.decide(pod);
  if (decision.outcome !== 'refused') throw new Error(`expected a refusal, got ${decision.outcome}`);
  return decision;
};

function preempt(
  harness: SchedulerHarness,
  pod: Stored<Pod>,
  budgets: readonly Budget[] = [],
  expired = false,
): Preemption {
  const random = createSeededRandom(1);
  const search = findPreemption(refusedOf(harness, pod), {
    budgets: () => budgets,
    random,
    turn: turnOf(() => expired),
  });
  let step = search.next();
  while (step.done !== true) step = search.next();
  return step.value;
}

const victimsOf = (preemption: Preemption): string => {
  if (preemption.result !== 'victims') return preemption.result;
  const { nodeName, pods } = preemption.victims;
  return `${nodeName}: ${pods.map(({ pod }) => pod.metadata.name).join(' ')}`;
};

const started = (name: string, wish: PodWish, minute: number): Stored<Pod> => ({
  ...podOf(name, wish),
  status: { startTime: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z` },
});

/** `node: pods`, each pod `cpu@priority`, named by node and place. */
function crowded(nodes: {
  readonly [node: string]: readonly (readonly [cpu: number, priority: number])[];
}): SchedulerHarness {
  const harness = createSchedulerHarness();
  for (const [name, pods] of Object.entries(nodes)) {
    harness.setNode(nodeOf(name));
    pods.forEach(([cpu, priority], at) =>
      harness.place(started(`${name}${at}`, { cpu, priority, labels: { app: name } }, at), name),
    );
  }
  return harness;
}

describe('who must go', () => {
  it('is the least important that makes enough room', () => {
    const harness = crowded({
      a: [
        [2, 1],
        [1, 2],
        [1, 3],
      ],
    });
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 1, priority: 9 })))).toBe('a: a0');
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 3, priority: 9 })))).toBe('a: a1 a0');
  });

  it('is the youngest of equals', () => {
    const harness = crowded({
      a: [
        [2, 1],
        [2, 1],
      ],
    });
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 2, priority: 9 })))).toBe('a: a1');
  });

  it('is nobody of the same priority', () => {
    const harness = crowded({ a: [[4, 5]] });
    expect(preempt(harness, podOf('p', { cpu: 1, priority: 5 }))).toEqual({
      result: 'no-candidates',
      message:
        'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      rejectors: 0,
    });
  });

  it('is nobody where that would not help', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a', { taint: 'x' }));
    harness.place(podOf('there', { cpu: 4 }), 'a');
    expect(preempt(harness, podOf('p', { cpu: 1, priority: 5 }))).toMatchObject({
      message:
        'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    });
  });

  it('is not even asked where the pod is refused before any node is', () => {
    const harness = crowded({ a: [[4, 1]] });
    const plain = podOf('p', { cpu: 1, priority: 9 });
    const pin = (name: string) => ({ key: 'metadata.name', operator: 'In', values: [name] });
    const nodeSelectorTerms = [{ matchFields: [pin('a'), pin('b')] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(preempt(harness, { ...plain, spec: { ...plain.spec, affinity } })).toEqual({
      result: 'not-eligible',
      message: 'not found',
    });
  });

  it('is on the pinned node or nowhere', () => {
    const harness = crowded({ a: [[4, 1]], b: [[4, 0]] });
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 1, priority: 9, pin: 'a' })))).toBe('a: a0');
  });
});

describe('the best node', () => {
  it.each([
    ['breaks no budget', { a: [[4, 1]], b: [[4, 8]] }, 'a', 'b: b0'],
    [
      'has the lowest highest victim',
      {
        a: [[4, 3]],
        b: [
          [2, 2],
          [2, 2],
        ],
      },
      '',
      'b: b0 b1',
    ],
    [
      'has the lowest sum',
      {
        a: [
          [2, 3],
          [2, 3],
        ],
        b: [
          [2, 3],
          [2, 1],
        ],
      },
      '',
      'b: b0 b1',
    ],
    [
      'has the fewest victims',
      {
        a: [
          [2, 0],
          [2, 0],
        ],
        b: [[4, 0]],
      },
      '',
      'b: b0',
    ],
  ] as const)('%s', (_, nodes, guarded, expected) => {
    const budgets: Budget[] = guarded === '' ? [] : [...compileBudgets([budget(guarded, 0)])];
    expect(victimsOf(preempt(crowded(nodes), podOf('p', { cpu: 4, priority: 9 }), budgets))).toBe(expected);
  });

  it('has the victims that started last', () => {
    const harness = createSchedulerHarness();
    for (const [name, minute] of [
      ['a', 5],
      ['b', 9],
      ['c', 1],
    ] as const) {
      harness.setNode(nodeOf(name));
      harness.place(started(`${name}0`, { cpu: 4 }, minute), name);
    }
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 4, priority: 9 })))).toBe('b: b0');
  });
});

const budget = (app: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

describe('budgets', () => {
  it('are broken when nothing else helps', () => {
    const harness = crowded({ a: [[4, 1]] });
    const preemption = preempt(harness, podOf('p', { cpu: 4, priority: 9 }), compileBudgets([budget('a', 0)]));
    expect(preemption).toMatchObject({ result: 'victims', victims: { budgetViolations: 1 } });
  });
});

describe('a pod that may not preempt', () => {
  it('says so itself', () => {
    const harness = crowded({ a: [[4, 1]] });
    expect(preempt(harness, podOf('p', { cpu: 1, priority: 9, spec: { preemptionPolicy: 'Never' } }))).toEqual({
      result: 'not-eligible',
      message: 'no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    });
  });

  it('waits for victims that are still leaving the node it was promised', () => {
    const harness = crowded({ a: [[4, 1]], b: [[4, 1]] });
    harness.add(podOf('p', { cpu: 4, priority: 9 }));
    harness.run();
    const entry = harness.queue.get('uid-p');
    if (entry === undefined) throw new Error('gone');
    expect(preempt(harness, entry.pod)).toEqual({
      result: 'not-eligible',
      message: 'no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.',
    });
  });

  it('looks for room again when its promise was taken back, though its status does not say so yet', () => {
    const harness = crowded({
      a: [
        [2, 1],
        [2, 2],
      ],
    });
    harness.add(podOf('p', { cpu: 2, priority: 9 }));
    harness.run();
    const entry = harness.queue.get('uid-p');
    if (entry === undefined) throw new Error('gone');
    harness.place(podOf('more', { cpu: 2, priority: 20 }), 'a');
    harness.nominations.set(entry.pod, '');
    expect(entry.pod.status?.nominatedNodeName).toBe('a');
    expect(victimsOf(preempt(harness, entry.pod))).toBe('a: a1 a0');
  });

  it('looks elsewhere when the node it was promised is lost to it', () => {
    const harness = crowded({ a: [[4, 1]], b: [[4, 1]] });
    harness.add(podOf('p', { cpu: 4, priority: 9 }));
    harness.run();
    const entry = harness.queue.get('uid-p');
    const promised = entry?.pod.status?.nominatedNodeName ?? '';
    harness.setNode(nodeOf(promised, { taint: 'x' }));
    const other = promised === 'a' ? 'b' : 'a';
    expect(victimsOf(preempt(harness, entry?.pod ?? podOf('none')))).toBe(`${other}: ${other}0`);
  });
});

describe('a search of several turns', () => {
  it('comes to the same answer', () => {
    const nodes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${i}`, [[4, i === 17 ? 0 : 3]] as const]));
    const harness = crowded(nodes);
    expect(victimsOf(preempt(harness, podOf('p', { cpu: 4, priority: 9 }), [], true))).toBe('n17: n170');
  });

  it('is overtaken when the victims are gone by then', () => {
    const harness = crowded({ a: [[4, 1]], b: [[4, 3]] });
    const refused = refusedOf(harness, podOf('p', { cpu: 4, priority: 9 }));
    const options = { budgets: () => [], random: createSeededRandom(1), turn: turnOf(() => true) };
    const search = findPreemption(refused, options);
    search.next();
    harness.remove('a0');
    harness.remove('b0');
    let step = search.next();
    while (step.done !== true) step = search.next();
    expect(step.value).not.toMatchObject({ result: 'victims' });
  });

  it('remembers what refused the pod even with everybody else gone', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a'));
    harness.place(podOf('cheap', { cpu: 4 }), 'a');
    harness.place(podOf('dear', { priority: 99, labels: { app: 'x' } }), 'a');
    const affinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
        ],
      },
    };
    const preemption = preempt(harness, podOf('p', { cpu: 1, priority: 9, spec: { affinity } }));
    expect(preemption).toMatchObject({ result: 'no-candidates', rejectors: REJECTOR.InterPodAffinity });
  });
});
