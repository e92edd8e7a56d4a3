import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../core/placement/compiled-pod.ts';
import { preparePod } from '../../core/placement/prepared-pod.ts';
import { scoreNodes } from '../../core/placement/scores.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createCycle } from './cycle.ts';
import type { Decision } from './decision.ts';
import { createNodeOrder } from './node-order.ts';
import { createSchedulerHarness, nodeOf, pinnedTo, podOf, turnOf } from './testing/scheduler-harness.ts';

const placedOn = (decision: Decision): string => (decision.outcome === 'placed' ? decision.nodeName : decision.outcome);

describe('a pinned pod', () => {
  it('is decided by its node alone', () => {
    const harness = createSchedulerHarness();
    for (let i = 0; i < 50; i++) harness.setNode(nodeOf(`n${i}`));
    expect(placedOn(harness.decide(podOf('p', { pin: 'n7' })))).toBe('n7');
    const decision = harness.decide(podOf('q', { pin: 'n7', cpu: 9 }));
    expect(decision).toMatchObject({ outcome: 'refused', refusals: [{ nos: [{ code: 'InsufficientCpu' }] }] });
  });

  it('goes to the better of several', () => {
    const harness = createSchedulerHarness();
    for (const name of ['a', 'b', 'c']) harness.setNode(nodeOf(name));
    harness.place(podOf('there', { cpu: 3 }), 'a');
    expect(placedOn(harness.decide(podOf('p', { cpu: 1, spec: { affinity: pinnedTo('a', 'b', 'gone') } })))).toBe('b');
  });

  it('goes nowhere when its terms contradict each other', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a'));
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchFields: ['a', 'b'].map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
            },
          ],
        },
      },
    };
    expect(harness.decide(podOf('p', { spec: { affinity } }))).toMatchObject({
      outcome: 'refused',
      prepared: { refusal: { nos: [{ message: 'pod affinity terms conflict' }] } },
    });
  });
});

describe('the search', () => {
  it('looks at all of fewer than a hundred nodes', () => {
    const harness = createSchedulerHarness();
    for (let i = 0; i < 99; i++) harness.setNode(nodeOf(`n${i}`, { cpu: i === 98 ? 64 : 4 }));
    for (let i = 0; i < 20; i++) expect(placedOn(harness.decide(podOf(`p${i}`, { cpu: 1 })))).toBe('n98');
  });

  it('looks at some of many, and starts where the last one stopped', () => {
    const cluster = createClusterState();
    for (let i = 0; i < 1000; i++) cluster.setNode(nodeOf(`n${i}`));
    const order = createNodeOrder(cluster);
    const cycle = createCycle({
      cluster,
      order,
      random: createSeededRandom(1),
      plugins: [],
      turn: turnOf(() => false),
    });
    const starts: number[] = [];
    for (let i = 0; i < 4; i++) {
      starts.push(order.start);
      cycle.attempt(compilePodOnce(podOf(`p${i}`, { cpu: 1 }))).next();
    }
    // 42 % of a thousand.
    expect(starts).toEqual([0, 420, 840, 260]);
  });

  it('takes nodes of each zone in turn', () => {
    const cluster = createClusterState();
    for (const [name, zone] of Object.entries({ a: 'x', b: 'x', c: 'x', d: 'y', e: 'z' })) {
      cluster.setNode(nodeOf(name, { labels: { 'topology.kubernetes.io/zone': zone } }));
    }
    const order = createNodeOrder(cluster);
    expect(order.list().map(({ name }) => name)).toEqual(['a', 'd', 'e', 'b', 'c']);
    expect([...order.slots()]).toEqual(order.list().map(({ slot }) => slot));
    cluster.removeNode('d');
    order.stale();
    expect(order.list().map(({ name }) => name)).toEqual(['a', 'e', 'b', 'c']);
  });

  it('tries the promised node first', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a', { cpu: 64 }));
    harness.setNode(nodeOf('b'));
    const pod = podOf('p', { cpu: 1 });
    harness.nominations.set(pod, 'b');
    expect(placedOn(harness.decide(pod))).toBe('b');
  });

  it('keeps away from room that was promised to somebody at least as important', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a'));
    harness.nominations.set(podOf('promised', { cpu: 4, priority: 5 }), 'a');
    expect(harness.decide(podOf('lesser', { cpu: 1, priority: 5 })).outcome).toBe('refused');
    expect(placedOn(harness.decide(podOf('greater', { cpu: 1, priority: 6 })))).toBe('a');
  });

  it('says that there are no nodes', () => {
    expect(createSchedulerHarness().decide(podOf('p'))).toEqual({ outcome: 'no-nodes' });
  });

  it('breaks ties by chance, and fairly', () => {
    const counts = new Map<string, number>();
    const harness = createSchedulerHarness({ seed: 3 });
    for (const name of ['a', 'b', 'c', 'd']) harness.setNode(nodeOf(name));
    for (let i = 0; i < 2000; i++) {
      const name = placedOn(harness.decide(podOf(`p${i}`, { cpu: 1 })));
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
    expect(counts.size).toBe(4);
  });
});

describe('a choice from memory', () => {
  const placed = fc.record({ cpu: fc.constantFrom(1, 2, 3), on: fc.nat(7) });
  it('is one the scores themselves would make, whatever came and went in between', () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 30 }), fc.constantFrom(1, 2), fc.integer(), (others, cpu, seed) => {
        const harness = createSchedulerHarness({ seed });
        for (let i = 0; i < 8; i++) harness.setNode(nodeOf(`n${i}`, { cpu: 4 + (i % 3) * 4 }));
        others.forEach((other, index) => {
          harness.place(podOf(`o${index}`, { cpu: other.cpu }), `n${other.on}`);
          if (index % 4 === 3) harness.remove(`o${index - 2}`);
          const pod = podOf(`p${index}`, { cpu });
          const prepared = preparePod(compilePodOnce(pod), harness.cluster);
          const states = [...harness.cluster.nodes.values()].filter(
            ({ requestedCpu, allocatable }) => Number(allocatable.cpu) - Number(requestedCpu) >= cpu * 1000,
          );
          const decision = placedOn(harness.decide(pod));
          if (states.length === 0) {
            expect(decision).toBe('refused');
            return;
          }
          const { totals } = scoreNodes(prepared, states);
          const most = Math.max(...totals);
          const best = states.filter((_, at) => totals[at] === most).map(({ name }) => name);
          expect(best).toContain(decision);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('is not made where a node is better avoided', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a', { cpu: 64 }));
    const avoided = nodeOf('a', { cpu: 64 });
    harness.setNode({ ...avoided, spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } });
    harness.setNode(nodeOf('b'));
    expect(placedOn(harness.decide(podOf('p', { cpu: 1 })))).toBe('b');
  });
});

describe('a search of several turns', () => {
  it('comes to the same answer', () => {
    const harness = createSchedulerHarness({ turn: turnOf(() => true) });
    for (let i = 0; i < 300; i++) harness.setNode(nodeOf(`n${i}`, { taint: 'x' }));
    const decision = harness.decide(podOf('p'));
    expect(decision.outcome === 'refused' && decision.refusals.length).toBe(300);
  });

  it('notices that what it passed has become free', () => {
    const harness = createSchedulerHarness({ turn: turnOf(() => true) });
    for (let i = 0; i < 200; i++) harness.setNode(nodeOf(`n${i}`, { taint: 'x' }));
    const attempt = harness.cycle.attempt(compilePodOnce(podOf('p')));
    let step = attempt.next();
    for (let i = 0; i < 3; i++) step = attempt.next();
    harness.setNode(nodeOf('n199'));
    harness.removeNode('n150');
    while (step.done !== true) step = attempt.next();
    expect(step.value).toEqual({ outcome: 'overtaken' });
  });

  it('does not choose what was taken meanwhile', () => {
    let expired = true;
    const harness = createSchedulerHarness({ turn: turnOf(() => expired) });
    // Something that memory cannot answer, so that the nodes are asked one by one.
    harness.place(
      podOf('holder', {
        labels: { app: 'x' },
        spec: {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, podAffinityTerm: { topologyKey: 'none', labelSelector: {} } },
              ],
            },
          },
        },
      }),
      'n0',
    );
    for (let i = 0; i < 130; i++) harness.setNode(nodeOf(`n${i}`, i === 0 ? { cpu: 1 } : { taint: 'x' }));
    const attempt = harness.cycle.attempt(compilePodOnce(podOf('p', { cpu: 1 })));
    expect(attempt.next().done).toBe(false);
    harness.place(podOf('thief', { cpu: 1 }), 'n0');
    expired = false;
    expect(attempt.next()).toEqual({ done: true, value: { outcome: 'overtaken' } });
  });
});

describe('the like of a pod that was refused', () => {
  it('is refused in the same words without a search, until something changes', () => {
    const harness = createSchedulerHarness();
    for (let i = 0; i < 5; i++) harness.setNode(nodeOf(`n${i}`));
    const like = (name: string) => compilePodOnce(podOf(name, { cpu: 9, labels: { app: 'x' } }));
    expect(harness.cycle.quick(like('a'))).toBeUndefined();
    harness.decide(podOf('a', { cpu: 9, labels: { app: 'x' } }));
    expect(harness.cycle.quick(like('b'))?.outcome).toBe('refused');
    expect(harness.cycle.quick(compilePodOnce(podOf('c', { cpu: 8, labels: { app: 'x' } })))).toBeUndefined();
    harness.setNode(nodeOf('n5', { cpu: 16 }));
    expect(harness.cycle.quick(like('d'))).toBeUndefined();
  });

  it('is looked at anew when storage changed', () => {
    const harness = createSchedulerHarness();
    harness.setNode(nodeOf('a'));
    harness.decide(podOf('a', { cpu: 9 }));
    harness.cycle.forget();
    expect(harness.cycle.quick(compilePodOnce(podOf('b', { cpu: 9 })))).toBeUndefined();
  });
});
