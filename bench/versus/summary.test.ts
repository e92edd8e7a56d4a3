import { describe, expect, it } from 'vitest';
import { CONTESTANTS, type Contestant } from './plan.ts';
import { ratios, reportsOf, tableOf, type Sample } from './summary.ts';

const sample = (contestant: Contestant, round: number, wall: number, cpu = wall, memory = 100): Sample => ({
  case: 'rollout-500',
  contestant,
  round,
  wall,
  cpu,
  memory,
});

const PAIR = { ours: 'everynode-embedded', theirs: 'kubernetes-raised' } as const;

describe('ratios', () => {
  it('compares what ran in the same round, whatever the machine did in the others', () => {
    const samples = [
      sample('kubernetes-raised', 0, 10),
      sample('everynode-embedded', 0, 0.5),
      sample('everynode-embedded', 1, 2),
      sample('kubernetes-raised', 1, 40),
    ];
    expect(ratios(samples, 'rollout-500', PAIR, 'wall')).toEqual([20, 20]);
  });

  it('leaves out rounds in which one of the two is missing', () => {
    const samples = [sample('kubernetes-raised', 0, 10), sample('everynode-embedded', 1, 1)];
    expect(ratios(samples, 'rollout-500', PAIR, 'wall')).toEqual([]);
  });

  it('makes nothing of what was too short to be counted', () => {
    const samples = [sample('kubernetes-raised', 0, 10), sample('everynode-embedded', 0, 1, 0)];
    expect(ratios(samples, 'rollout-500', PAIR, 'cpu')).toEqual([]);
    expect(ratios(samples, 'rollout-500', PAIR, 'wall')).toEqual([10]);
  });
});

describe('reportsOf', () => {
  const samples = [0, 1].flatMap((round) => [
    sample('kubernetes-raised', round, 10),
    sample('everynode-embedded', round, 0.4, 0.5, 50),
  ]);
  const reports = reportsOf(samples, ['rollout-500', 'rollout-1000'], CONTESTANTS);

  it('reports wall time, CPU and memory of each that was measured, and ratios besides', () =>
    expect(reports.map((report) => report.case)).toEqual([
      'rollout-500-kubernetes-raised-wall',
      'rollout-500-kubernetes-raised-cpu',
      'rollout-500-kubernetes-raised-memory',
      'rollout-500-everynode-embedded-wall',
      'rollout-500-everynode-embedded-cpu',
      'rollout-500-everynode-embedded-memory',
      'rollout-500-embedded-vs-raised-wall',
      'rollout-500-embedded-vs-raised-cpu',
      'rollout-500-embedded-vs-raised-memory',
    ]));

  it('gives ratios as ratios, more being better', () => {
    const ratio = reports.find((report) => report.case === 'rollout-500-embedded-vs-raised-cpu');
    expect(ratio).toMatchObject({ unit: 'ratio', better: 'higher', samples: [20, 20] });
  });
});

describe('tableOf', () => {
  it('says what was reached and what was not', () => {
    const samples = [sample('kubernetes-raised', 0, 10), sample('everynode-embedded', 0, 0.4, 1)];
    const table = tableOf(samples, ['rollout-500'], ['kubernetes-raised', 'everynode-embedded', 'everynode-operator']);
    expect(table).toContain('25.0 times faster (goal 20: reached), 10.0 times less CPU (goal 20: missed)');
    expect(table).toMatch(/everynode-operator +not measured/);
  });
});
