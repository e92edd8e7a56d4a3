import { describe, expect, it } from 'vitest';
import { CONTESTANTS, planRuns, readOptions } from './plan.ts';

const planOf = (...args: string[]) => {
  const { cases, options } = readOptions(args, {});
  return planRuns(cases, options);
};

describe('readOptions', () => {
  it('measures three sizes and an update on a thousand nodes, five times, unless told otherwise', () => {
    const { cases, options } = readOptions([], {});
    expect(cases).toEqual(['rollout-500', 'rollout-1000', 'rollout-2000', 'update-1000']);
    expect(options).toMatchObject({ rounds: 5, defaultRounds: 3, contestants: CONTESTANTS, warmUp: false });
  });

  it('takes sizes and rounds from flags, and from the environment where there is no flag', () => {
    const { cases, options } = readOptions(['--nodes', '100,200'], { VERSUS_NODES: '7', VERSUS_ROUNDS: '2' });
    expect(cases).toEqual(['rollout-100', 'rollout-200', 'update-100']);
    expect(options).toMatchObject({ rounds: 2, defaultRounds: 2 });
  });

  it('runs only the cases that are named', () => {
    expect(readOptions(['update-1000'], {}).cases).toEqual(['update-1000']);
    expect(() => readOptions(['rollout-7'], {})).toThrow('no case rollout-7; cases: rollout-500');
  });

  it.each([
    [['--nodes', '0'], '--nodes: expected whole numbers'],
    [['--nodes', 'many'], 'not "many"'],
    [['--nodes', ','], '--nodes names no size'],
    [['--rounds', '1.5'], '--rounds: expected'],
    [['--contestants', 'nomad'], 'no contestant nomad; there are kubernetes-default'],
    [['--round', '2'], 'usage: versus-kubernetes'],
  ])('refuses %j', (args, message) => expect(() => readOptions(args, {})).toThrow(message));
});

describe('planRuns', () => {
  it('lets every contestant take its turn before the next round, and another begin', () => {
    const runs = planOf('--nodes', '100', '--rounds', '4', '--default-rounds', '4');
    const rounds = [0, 1, 2, 3].map((round) =>
      runs.filter((run) => run.round === round).map(({ contestant }) => contestant),
    );
    for (const round of rounds) expect(round.toSorted()).toEqual(CONTESTANTS.toSorted());
    expect(rounds.map(([first]) => first)).toEqual(CONTESTANTS);
  });

  it('has the slow one run less often', () => {
    const runs = planOf('--nodes', '100', '--rounds', '5');
    expect(runs.filter(({ contestant }) => contestant === 'kubernetes-default').map(({ round }) => round)).toEqual([
      0, 1, 2,
    ]);
    expect(runs).toHaveLength(5 * 3 + 3);
  });

  it('updates where the rollout of that size has ended', () => {
    const [run] = planOf('--nodes', '100', '--rounds', '1');
    expect(run).toMatchObject({ nodes: 100, rollout: 'rollout-100', update: 'update-100' });
  });

  it('measures an update alone when nothing else is asked for', () => {
    const runs = planOf('update-1000', '--rounds', '1');
    expect(runs).toHaveLength(CONTESTANTS.length);
    for (const run of runs) expect(run).toMatchObject({ nodes: 1000, rollout: undefined, update: 'update-1000' });
  });

  it('updates on a size of its own', () => {
    const runs = planOf(
      '--nodes',
      '100',
      '--update-nodes',
      '50',
      '--contestants',
      'everynode-embedded',
      '--rounds',
      '1',
    );
    expect(runs.map(({ nodes, rollout, update }) => [nodes, rollout, update])).toEqual([
      [100, 'rollout-100', undefined],
      [50, undefined, 'update-50'],
    ]);
  });
});
