import { describe, expect, it } from 'vitest';
import { createFaultPlan, LATENCY } from '../../../src/foresight/simulation/faults/plan.ts';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import { generateScenario } from '../../../src/foresight/simulation/scenario/generate-scenario.ts';
import { runWorld } from '../../../src/foresight/simulation/run/world.ts';
import { WHOLE } from './broken-actors.ts';
import { smallScenario } from './scenarios.ts';

const SCENARIO = smallScenario(`
  - { at: 10s, image: { daemon: agent, image: 'example.com/agent:2' } }
  - { between: [10s, 40s], kill: { node: any } }
  - { between: [10s, 40s], recreate: any }`);

describe('a world from a seed', () => {
  it('is the same to the letter each time', async () => {
    for (const seed of [1, 2, 3]) {
      const once = await runSeed({ seed, scenario: SCENARIO, withFaults: true });
      const again = await runSeed({ seed, scenario: SCENARIO, withFaults: true });
      expect(again.outcome.log).toEqual(once.outcome.log);
      expect(again.outcome.digest).toBe(once.outcome.digest);
      expect(again.struck).toEqual(once.struck);
    }
  });

  it('is the same when another ran in between', async () => {
    const first = await runSeed({ seed: 7, scenario: generateScenario(7), withFaults: true });
    await runSeed({ seed: 8, scenario: generateScenario(8), withFaults: true });
    const again = await runSeed({ seed: 7, scenario: generateScenario(7), withFaults: true });
    expect(again.outcome.digest).toBe(first.outcome.digest);
  });

  it('is another from another seed', async () => {
    const digests = new Set<string>();
    for (let seed = 1; seed <= 5; seed += 1)
      digests.add((await runSeed({ seed, scenario: SCENARIO, withFaults: true })).outcome.digest);
    expect(digests.size).toBe(5);
  });

  it('is replayed by keeping every step and every fault that struck', async () => {
    const { outcome, struck } = await runSeed({ seed: 4, scenario: SCENARIO, withFaults: true });
    const keep = { steps: new Set(SCENARIO.steps.keys()), faults: new Set(struck.map(({ at }) => at)) };
    const replayed = await runSeed({ seed: 4, scenario: SCENARIO, withFaults: true, keep });
    expect(replayed.outcome.digest).toBe(outcome.digest);
  });

  it('is the unperturbed one when no fault is kept', async () => {
    const keep = { steps: new Set(SCENARIO.steps.keys()), faults: new Set<string>() };
    const { outcome, struck } = await runSeed({ seed: 4, scenario: SCENARIO, withFaults: true, keep });
    expect(struck).toEqual([]);
    const calm = await runWorld({ seed: 4, scenario: SCENARIO, actors: WHOLE });
    expect(outcome.state).toEqual(calm.state);
  });
});

describe('a crash', () => {
  it('loses what was known, and the world goes on from the API', async () => {
    const crashing = smallScenario(`
  - { at: 5s, image: { daemon: agent, image: 'example.com/agent:2' } }
  - { at: 5200ms, crash: { actor: daemonset, down: 20s } }
  - { at: 6s, crash: { actor: fleet, down: 3s } }
  - { at: 7s, crash: { actor: scheduler, down: 1s } }`);
    const { violation, log, state } = await runWorld({ seed: 1, scenario: crashing, actors: WHOLE });
    expect(violation).toBeUndefined();
    expect(log.filter((line) => line.includes('crashes'))).toHaveLength(3);
    const down = log.filter(
      (line) => /^000:(?:0[6-9]|1\d|2[0-4])/.test(line) && / daemonset (?:creates|changes)/.test(line),
    );
    expect(down).toEqual([]);
    expect(state?.lines.filter((line) => line.includes('agent:2 Running ready'))).toHaveLength(4);
  });
});

describe('faults', () => {
  it('strike all over the place and stop in the end', async () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 12; seed += 1) {
      const { struck } = await runSeed({ seed, scenario: SCENARIO, withFaults: true });
      for (const { fault } of struck) kinds.add(fault.kind);
    }
    for (const kind of ['overtaken', 'refused', 'answer-lost', 'delayed', 'crash-before', 'crash-after'])
      expect(kinds).toContain(kind);
    for (const kind of ['dropped', 'expired', 'lagging', 'replayed', 'crash', 'latency']) expect(kinds).toContain(kind);
  });

  it('are decided by seed and place alone', () => {
    const points = Array.from({ length: 200 }, (_, i) => `scheduler bind pods #${i}`);
    const all = createFaultPlan(3);
    for (const point of points) all.write(point, 'bind');
    const kept = all.struck.filter(({ at }) => at !== LATENCY).slice(1, 3);
    const some = createFaultPlan(3, new Set(kept.map(({ at }) => at)));
    for (const point of points.toReversed()) some.write(point, 'bind');
    expect(some.struck.toSorted((a, b) => (a.at < b.at ? -1 : 1))).toEqual(
      kept.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
    );
  });
});
