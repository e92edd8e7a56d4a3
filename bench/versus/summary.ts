/** From samples to figures: medians of each contestant, and ratios of runs in the same round. */
import { median, type CaseReport, type Unit } from '../support/report.ts';
import type { Contestant } from './plan.ts';

export interface Sample {
  readonly case: string;
  readonly contestant: Contestant;
  readonly round: number;
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
}

const BENCH = 'versus-kubernetes';

type Measure = 'wall' | 'cpu' | 'memory';
const MEASURES: readonly { readonly measure: Measure; readonly unit: Unit; readonly better: string }[] = [
  { measure: 'wall', unit: 's', better: 'times faster' },
  { measure: 'cpu', unit: 's', better: 'times less CPU' },
  { measure: 'memory', unit: 'MiB', better: 'times less memory' },
];

interface Pair {
  readonly ours: Contestant;
  readonly theirs: Contestant;
  /** Goals: the ratio of theirs to ours that we want to reach. */
  readonly goals: { readonly [measure in Measure]?: number };
}

const PAIRS: readonly Pair[] = [
  { ours: 'everynode-embedded', theirs: 'kubernetes-raised', goals: { wall: 20, cpu: 20 } },
  { ours: 'everynode-embedded', theirs: 'kubernetes-default', goals: {} },
  // The API server is two thirds of the cost of either: half as fast again would be the limit.
  { ours: 'everynode-operator', theirs: 'kubernetes-raised', goals: { wall: 1.25 } },
  { ours: 'everynode-operator', theirs: 'kubernetes-default', goals: {} },
];

const shortName = (contestant: Contestant): string => contestant.slice(contestant.indexOf('-') + 1);

const of = (samples: readonly Sample[], name: string, contestant: Contestant): readonly Sample[] =>
  samples.filter((sample) => sample.case === name && sample.contestant === contestant);

/** Theirs through ours, one for each round in which both were measured. */
export function ratios(
  samples: readonly Sample[],
  name: string,
  { ours, theirs }: Pick<Pair, 'ours' | 'theirs'>,
  measure: Measure,
): readonly number[] {
  const rounds = new Map(of(samples, name, theirs).map((sample) => [sample.round, sample[measure]]));
  return of(samples, name, ours).flatMap((sample) => {
    const other = rounds.get(sample.round);
    // A time too short for the kernel to count says nothing.
    return other === undefined || sample[measure] <= 0 ? [] : [other / sample[measure]];
  });
}

export function reportsOf(
  samples: readonly Sample[],
  cases: readonly string[],
  contestants: readonly Contestant[],
): readonly CaseReport[] {
  const reports: CaseReport[] = [];
  for (const name of cases) {
    for (const contestant of contestants) {
      for (const { measure, unit } of MEASURES) {
        const measured = of(samples, name, contestant).map((sample) => sample[measure]);
        const better = 'lower';
        reports.push({ bench: BENCH, case: `${name}-${contestant}-${measure}`, unit, better, samples: measured });
      }
    }
    for (const pair of PAIRS) {
      for (const { measure } of MEASURES) {
        const label = `${name}-${shortName(pair.ours)}-vs-${shortName(pair.theirs)}-${measure}`;
        const found = ratios(samples, name, pair, measure);
        reports.push({ bench: BENCH, case: label, unit: 'ratio', better: 'higher', samples: found });
      }
    }
  }
  return reports.filter((report) => report.samples.length > 0);
}

const figure = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

const spread = (values: readonly number[]): string =>
  values.length < 2
    ? figure(median(values))
    : `${figure(median(values))} (${figure(Math.min(...values))}–${figure(Math.max(...values))})`;

/** For people. */
export function tableOf(
  samples: readonly Sample[],
  cases: readonly string[],
  contestants: readonly Contestant[],
): string {
  const lines: string[] = [];
  const row = (cells: readonly string[]): void =>
    void lines.push(cells.map((cell, i) => (i === 0 ? cell.padEnd(24) : cell.padStart(22))).join(''));
  for (const name of cases) {
    row([name, 'wall, s', 'CPU, s', 'memory at most, MiB', 'runs']);
    for (const contestant of contestants) {
      const own = of(samples, name, contestant);
      if (own.length === 0) row([`  ${contestant}`, 'not measured']);
      else
        row([
          `  ${contestant}`,
          ...MEASURES.map(({ measure }) => spread(own.map((sample) => sample[measure]))),
          String(own.length),
        ]);
    }
    for (const pair of PAIRS) {
      const parts = MEASURES.flatMap(({ measure, better }) => {
        const found = ratios(samples, name, pair, measure);
        if (found.length === 0) return [];
        const goal = pair.goals[measure];
        const said = goal === undefined ? '' : ` (goal ${goal}: ${median(found) >= goal ? 'reached' : 'missed'})`;
        return [`${figure(median(found))} ${better}${said}`];
      });
      if (parts.length > 0) lines.push(`  ${pair.ours} against ${pair.theirs}: ${parts.join(', ')}`);
    }
    lines.push('');
  }
  return lines.join('\n');
}
