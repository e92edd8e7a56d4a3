/** The cost of house-keeping: collecting the dependents of a deleted owner, and staying flat over a long time. */
import { note, reportCase } from '../support/report.ts';
import { inChild } from '../support/child.ts';
import { SERVER_FLAG } from '../support/server.ts';

const SOAK_MINUTES = process.env['EVERYNODE_SOAK_MINUTES'] ?? '10';

async function measureCollection(): Promise<void> {
  const samples = await inChild<number>(new URL('gc-child.ts', import.meta.url), [SERVER_FLAG]);
  reportCase({ bench: 'api', case: 'gc-10k', unit: 's', better: 'lower', samples });
}

interface Sample {
  readonly heap: number;
  readonly descriptors: number;
}

/** The end against the beginning, leaving out the time in which caches and history fill. */
function growth(values: readonly number[]): number {
  const third = Math.floor(values.length / 3);
  const mean = (some: readonly number[]): number => some.reduce((sum, value) => sum + value, 0) / some.length;
  return mean(values.slice(-third)) / mean(values.slice(third, 2 * third));
}

async function measureSoak(): Promise<void> {
  const flags = [SERVER_FLAG, '--expose-gc'];
  const samples = await inChild<Sample>(new URL('soak-child.ts', import.meta.url), flags, [SOAK_MINUTES]);
  note(samples.map(({ heap, descriptors }) => `${(heap / 2 ** 20).toFixed(1)} MiB, ${descriptors} fds`).join('\n'));
  const heap = growth(samples.map((sample) => sample.heap));
  const descriptors = growth(samples.map((sample) => sample.descriptors));
  reportCase({ bench: 'api', case: 'soak-heap', unit: 'ratio', better: 'lower', samples: [heap] });
  reportCase({ bench: 'api', case: 'soak-descriptors', unit: 'ratio', better: 'lower', samples: [descriptors] });
}

const MEASURES: { readonly [name: string]: () => Promise<void> } = { 'gc-10k': measureCollection, soak: measureSoak };

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) await MEASURES[name]?.();
}
