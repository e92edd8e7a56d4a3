/** Every check is shown an actor that breaks what it checks. A check that cannot fail proves nothing. */
import { describe, expect, it } from 'vitest';
import type { ActorFactory } from '../../../src/assembly/simulated.ts';
import { boundToANode, boundWhereItFits } from '../../../src/foresight/simulation/invariants/binding.ts';
import { daemonsComplete } from '../../../src/foresight/simulation/invariants/daemons-complete.ts';
import type { InvariantFactory } from '../../../src/foresight/simulation/invariants/invariant.ts';
import { nobodyWaits, victimsMatterLess } from '../../../src/foresight/simulation/invariants/nobody-waits.ts';
import { nodeCapacity } from '../../../src/foresight/simulation/invariants/node-capacity.ts';
import { onePerNode } from '../../../src/foresight/simulation/invariants/one-per-node.ts';
import { collectedByRight, nothingLeftBehind } from '../../../src/foresight/simulation/invariants/owners.ts';
import { rolloutBudget } from '../../../src/foresight/simulation/invariants/rollout-budget.ts';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import type { Scenario } from '../../../src/foresight/simulation/scenario/scenario.ts';
import {
  ALL_AT_ONCE,
  BLIND_TO_NODES,
  BOUNDLESS,
  CLUMSY,
  DEAF_TO_ROOM,
  EAGER,
  FAITHFUL,
  FORGETFUL,
  HASTY,
  LOST,
  RANDOM_NAMES,
  RESTLESS,
  SPINNING,
  SPITEFUL,
  WHOLE,
} from './broken-actors.ts';
import { smallScenario } from './scenarios.ts';

/** The whole cast, the broken one in the place of the one it is named as. */
const castWith = (...broken: readonly ActorFactory[]): readonly ActorFactory[] => [
  ...WHOLE.filter(({ name }) => !broken.some((each) => each.name === name)),
  ...broken,
];

async function firstViolation(
  actors: readonly ActorFactory[],
  scenario: Scenario,
  seeds: number,
  withFaults: boolean,
  invariants?: readonly InvariantFactory[],
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const request = { seed, scenario, withFaults, actors, ...(invariants === undefined ? {} : { invariants }) };
    const { violation } = await runSeed(request);
    if (violation !== undefined) return violation.invariant;
  }
  return undefined;
}

const ROLLOUT = smallScenario(`  - { at: 60s, image: { daemon: agent, image: 'example.com/agent:2' } }`);
const CROWD = smallScenario(`  - { at: 10s, workload: { name: web, count: 12, cpu: 400m } }`);
const LEAVING = smallScenario(`
  - { at: 10s, workload: { name: web, count: 4, cpu: 800m } }
  - { at: 20s, workload: { name: late, count: 1, cpu: 700m } }
  - { at: 40s, finish: web }`);
const SURGE = smallScenario(`
  - { at: 1s, patch: { kind: DaemonSet, name: agent, merge: { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } } } } }
  - { at: 60s, image: { daemon: agent, image: 'example.com/agent:2' } }`);
const IMPORTANT = smallScenario(`
  - { at: 10s, workload: { name: web, count: 4, cpu: 800m } }
  - { at: 40s, workload: { name: first, count: 1, cpu: 700m, priorityClass: system-cluster-critical } }`);
const DELETED = smallScenario(`  - { at: 30s, delete: { kind: DaemonSet, name: agent } }`);
const JOINING = smallScenario(`  - { at: 30s, join: worker }`);

describe('a check can fail', () => {
  it('one-per-node sees a controller whose pods have random names', async () => {
    expect(await firstViolation(castWith(RANDOM_NAMES), ROLLOUT, 40, true, [onePerNode])).toBe('one-per-node');
  });

  it('rollout-budget sees a controller that takes all pods down at once', async () => {
    expect(await firstViolation(castWith(ALL_AT_ONCE), ROLLOUT, 1, false, [rolloutBudget])).toBe('rollout-budget');
  });

  it('bound-where-it-fits sees a scheduler that forgets what it has just bound', async () => {
    expect(await firstViolation(castWith(FORGETFUL), CROWD, 1, false, [boundWhereItFits])).toBe('bound-where-it-fits');
  });

  it('node-capacity sees a fleet that takes more than it has', async () => {
    const actors = castWith(FORGETFUL, BOUNDLESS);
    expect(await firstViolation(actors, CROWD, 1, false, [nodeCapacity])).toBe('node-capacity');
  });

  it('nobody-waits-for-nothing sees a scheduler that does not hear of room', async () => {
    const actors = castWith(DEAF_TO_ROOM);
    expect(await firstViolation(actors, LEAVING, 1, false, [nobodyWaits])).toBe('nobody-waits-for-nothing');
  });

  it('daemons-complete sees a controller that does not hear of new nodes', async () => {
    const actors = castWith(BLIND_TO_NODES);
    expect(await firstViolation(actors, JOINING, 1, false, [daemonsComplete])).toBe('daemons-complete');
  });

  it('rollout-budget sees a controller that surges everywhere at once', async () => {
    expect(await firstViolation(castWith(EAGER), SURGE, 1, false, [rolloutBudget])).toBe('rollout-budget');
  });

  it('victims-matter-less sees a scheduler that takes pods away for nobody', async () => {
    const actors = castWith(SPITEFUL);
    expect(await firstViolation(actors, JOINING, 1, false, [victimsMatterLess])).toBe('victims-matter-less');
  });

  it('bound-to-a-node sees a scheduler that binds to a node that never was', async () => {
    expect(await firstViolation(castWith(LOST), JOINING, 1, false, [boundToANode])).toBe('bound-to-a-node');
  });

  it('nothing-left-behind sees a collector that does not hear of deleted owners', async () => {
    expect(await firstViolation(castWith(FAITHFUL), DELETED, 1, false, [nothingLeftBehind])).toBe(
      'nothing-left-behind',
    );
  });

  it('collected-by-right sees a collector that takes what is owned', async () => {
    expect(await firstViolation(castWith(HASTY), ROLLOUT, 1, false, [collectedByRight])).toBe('collected-by-right');
  });

  it('comes-to-rest sees an actor that never stops writing', async () => {
    expect(await firstViolation(castWith(RESTLESS), JOINING, 1, false)).toBe('comes-to-rest');
  });

  it('no-hot-loop sees an actor that asks without end', async () => {
    expect(await firstViolation(castWith(SPINNING), JOINING, 1, false)).toBe('no-hot-loop');
  });

  it('no-actor-breaks sees an actor that trips', async () => {
    expect(await firstViolation(castWith(CLUMSY), ROLLOUT, 1, false)).toBe('no-actor-breaks');
  });

  it('none of them complains of the actors as they are', async () => {
    for (const scenario of [ROLLOUT, SURGE, LEAVING, IMPORTANT, JOINING, DELETED])
      expect(await firstViolation(WHOLE, scenario, 3, true)).toBeUndefined();
  });
});
