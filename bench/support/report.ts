/**
 * One physical JSON line a case on stdout, so that a script can read a run; everything meant for people goes to stderr.
 */
export type Unit = 's' | 'ms' | 'us' | '/s' | 'B' | 'MiB' | 'ratio';

export interface CaseReport {
  readonly bench: string;
  readonly case: string;
  readonly unit: Unit;
  readonly better: 'lower' | 'higher';
  /** One number a run; the median is the value reported. */
  readonly samples: readonly number[];
}

/** Four significant digits say all a benchmark knows; the number stays plain, never in exponent form. */
const rounded = (value: number): number => Number(value.toPrecision(4));

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function reportCase({ bench, case: name, unit, better, samples }: CaseReport): void {
  if (samples.length === 0 || samples.some((sample) => !Number.isFinite(sample))) {
    throw new Error(`bench ${bench}, case ${name}: nothing was measured`);
  }
  const line = {
    bench,
    case: name,
    value: rounded(median(samples)),
    unit,
    better,
    runs: samples.length,
    min: rounded(Math.min(...samples)),
    max: rounded(Math.max(...samples)),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** For people watching the run. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** `selected` as given on the command line; empty means every case. */
export const isSelected = (selected: readonly string[], name: string): boolean =>
  selected.length === 0 || selected.includes(name);
