/**
 * The promise of the queue, held against a plain reading of the rules: when the queue is quiet, no pod waits that could go. Clusters
 * are small and crowded, changes come in any order, and no time passes, so that nothing but the hints can wake a pod.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../core/api/types/core-v1.ts';
import { compilePodOnce } from '../../core/placement/compiled-pod.ts';
import { judgeWithNominated } from '../../core/placement/filters.ts';
import { preparePod } from '../../core/placement/prepared-pod.ts';
import { preemptionForbidden, selectVictims } from '../../core/placement/victims.ts';
import { createSchedulerHarness, nodeOf, podOf, type SchedulerHarness } from './testing/scheduler-harness.ts';

const NODES = ['n0', 'n1', 'n2', 'n3'];
const ZONES = ['za', 'zb'];
const APPS = ['x', 'y'];

const term = (app: string, topologyKey: string) => ({ topologyKey, labelSelector: { matchLabels: { app } } });
const keys = fc.constantFrom('kubernetes.io/hostname', 'zone');
const app = fc.constantFrom(...APPS);

const rules = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Partial<PodSpec>>({}) },
  {
    weight: 2,
    arbitrary: fc.tuple(app, keys).map(([name, key]): Partial<PodSpec> => ({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(name, key)] } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(app, keys).map(([name, key]): Partial<PodSpec> => ({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(name, key)] } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(app, keys, fc.constantFrom('Honor', 'Ignore'))
      .map(([name, topologyKey, nodeTaintsPolicy]): Partial<PodSpec> => ({
        topologySpreadConstraints: [
          {
            topologyKey,
            maxSkew: 1,
            whenUnsatisfiable: 'DoNotSchedule',
            nodeTaintsPolicy,
            labelSelector: { matchLabels: { app: name } },
          },
        ],
      })),
  },
  { weight: 1, arbitrary: fc.constant<Partial<PodSpec>>({ nodeSelector: { zone: 'za' } }) },
  { weight: 1, arbitrary: fc.constant<Partial<PodSpec>>({ tolerations: [{ operator: 'Exists' }] }) },
  { weight: 1, arbitrary: fc.constant<Partial<PodSpec>>({ preemptionPolicy: 'Never' }) },
);

const wish = fc.record({
  cpu: fc.constantFrom(1, 2, 3),
  priority: fc.constantFrom(0, 0, 0, 5, 9),
  app,
  pin: fc.option(fc.constantFrom(...NODES), { nil: undefined, freq: 3 }),
  port: fc.option(fc.constantFrom(80, 81), { nil: undefined, freq: 5 }),
  rules,
  copies: fc.constantFrom(1, 1, 2, 4),
});

const nodeWish = fc.record({
  cpu: fc.constantFrom(1, 2, 4),
  pods: fc.constantFrom(2, 5, 110),
  zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
  taint: fc.option(fc.constant('dedicated'), { nil: undefined, freq: 3 }),
  unschedulable: fc.boolean().map((value) => value),
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), wish }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('node' as const), name: fc.constantFrom(...NODES), nodeWish }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), name: fc.constantFrom(...NODES) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('relabel' as const), at: fc.nat(30), app }) },
  { weight: 3, arbitrary: fc.constant({ do: 'victims' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function apply(harness: SchedulerHarness, names: string[], action: Step, count: { pods: number }): void {
  switch (action.do) {
    case 'add': {
      const { app: label, pin, port, rules: spec, cpu, priority, copies } = action.wish;
      for (let copy = 0; copy < copies; copy++) {
        const name = `p${count.pods++}`;
        names.push(name);
        const pinned = pin === undefined ? spec : withPin(spec, pin);
        harness.add(
          podOf(name, { cpu, priority, labels: { app: label }, ...(port === undefined ? {} : { port }), spec: pinned }),
        );
      }
      break;
    }
    case 'remove': {
      const name = names.splice(action.at % Math.max(1, names.length), 1)[0];
      if (name !== undefined) harness.remove(name);
      break;
    }
    case 'node': {
      const { zone, taint, unschedulable, ...rest } = action.nodeWish;
      harness.setNode(
        nodeOf(action.name, {
          ...rest,
          ...(zone === undefined ? {} : { labels: { zone } }),
          ...(taint === undefined ? {} : { taint }),
          unschedulable: unschedulable && rest.cpu === 1,
        }),
      );
      break;
    }
    case 'lose':
      harness.removeNode(action.name);
      break;
    case 'relabel': {
      const name = [...harness.bound.keys()][action.at % Math.max(1, harness.bound.size)];
      if (name !== undefined) harness.relabel(name, { app: action.app });
      break;
    }
    case 'victims':
      for (const name of [...harness.leaving.keys()]) {
        names.splice(names.indexOf(name), 1);
        harness.remove(name);
      }
  }
}

function withPin(spec: Partial<PodSpec>, pin: string): Partial<PodSpec> {
  const required = {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [pin] }] }],
  };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}

/** Pods that wait although a node would take them, or would after others left. */
function sleepers(harness: SchedulerHarness): string[] {
  const found: string[] = [];
  for (const entry of harness.queue.waiting()) {
    const prepared = preparePod(compilePodOnce(entry.pod), harness.cluster);
    const nominated = entry.pod.status?.nominatedNodeName ?? '';
    for (const state of harness.cluster.nodes.values()) {
      const answer = judgeWithNominated(prepared, state);
      if (answer.ok) found.push(`${entry.pod.metadata.name} fits ${state.name}`);
      else if (answer.preemptionHelps && nominated === '') {
        if (preemptionForbidden(prepared, undefined) !== undefined) continue;
        if (selectVictims(prepared, state, []).ok)
          found.push(`${entry.pod.metadata.name} could preempt on ${state.name}`);
      }
    }
  }
  return found;
}

function overfull(harness: SchedulerHarness): string[] {
  return [...harness.cluster.nodes.values()]
    .filter(({ requestedCpu, allocatable }) => requestedCpu > allocatable.cpu)
    .map(({ name }) => name);
}

describe('when the queue is quiet', () => {
  it('nobody waits who could go, whatever happened and in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), fc.integer(), (steps, seed) => {
        const harness = createSchedulerHarness({ seed });
        const names: string[] = [];
        const count = { pods: 0 };
        const shrunk = new Set<string>();
        for (const action of steps) {
          apply(harness, names, action, count);
          if (action.do === 'node') shrunk.add(action.name);
          harness.run();
          expect(sleepers(harness)).toEqual([]);
        }
        // Only a node that was made smaller under its pods may hold more than it has.
        expect(overfull(harness).filter((name) => !shrunk.has(name))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
