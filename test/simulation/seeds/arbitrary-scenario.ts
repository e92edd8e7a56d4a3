/** Scenarios for property tests: they shrink to fewer and earlier steps. */
import fc from 'fast-check';
import { SIMULATED_ACTORS } from '../../../src/assembly/simulated.ts';
import { daemon } from '../../../src/foresight/simulation/scenario/generate-scenario.ts';
import {
  DEFAULT_SETTLE_MS,
  type Action,
  type Scenario,
  type Step,
} from '../../../src/foresight/simulation/scenario/scenario.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';

const DAEMONS = ['agent', 'logger'];

const image = fc.record({ daemon: fc.constantFrom(...DAEMONS), version: fc.integer({ min: 1, max: 4 }) });
const effect = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule');

const action: fc.Arbitrary<Action> = fc.oneof(
  image.map(({ daemon: name, version }): Action => ({
    do: 'image',
    daemon: name,
    image: `example.com/${name}:${version}`,
  })),
  fc
    .constantFrom<Action['do']>('cordon', 'uncordon', 'drain', 'fail', 'recover', 'remove', 'recreate')
    .map((verb) => ({ do: verb, node: 'any' }) as Action),
  effect.map((each): Action => ({ do: 'taint', node: 'any', taint: { key: 'dedicated', value: 'gpu', effect: each } })),
  fc.constant<Action>({ do: 'untaint', node: 'any', key: 'dedicated' }),
  fc.constantFrom(...DAEMONS).map((name): Action => ({ do: 'rollback', daemon: name })),
  fc.constantFrom(...DAEMONS).map((name): Action => ({ do: 'kill', daemon: name, node: 'any' })),
  fc.integer({ min: 1, max: 3 }).map((count): Action => ({ do: 'join', group: 'worker', count })),
  fc.integer({ min: 1, max: 5 }).map((count): Action => ({ do: 'workload', name: 'web', count, cpu: '300m' })),
  fc.integer({ min: 1, max: 5 }).map((count): Action => ({ do: 'finish', workload: 'web', count })),
  fc
    .tuple(fc.constantFrom(...SIMULATED_ACTORS.map(({ name }) => name)), fc.integer({ min: 1, max: 20_000 }))
    .map(([actor, downMs]): Action => ({ do: 'crash', actor, downMs })),
);

const step: fc.Arbitrary<Step> = fc.record({ at: fc.integer({ min: 0, max: 100_000 }), action });

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 5 }),
    cpu: fc.constantFrom('1', '32'),
    daemons: fc.subarray(DAEMONS, { minLength: 1 }),
    dice: fc.integer({ min: 1, max: 50 }),
    steps: fc.array(step, { maxLength: 10 }),
  })
  .map(({ nodes, cpu, daemons, dice, steps }) => ({
    name: 'any',
    nodes: [
      { name: 'worker', count: nodes, labels: { pool: 'worker' }, capacity: { cpu, memory: '16Gi', pods: '30' } },
    ],
    objects: [
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 1000,
      } as Scenario['objects'][number],
      ...daemons.map((name) => daemon(name, createSeededRandom(`${dice}/${name}`))),
    ],
    steps,
    contended: cpu === '1',
    settleWithinMs: DEFAULT_SETTLE_MS,
  }));
