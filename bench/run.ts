/** `npm run bench -- NAME [CASE…]`: runs `bench/NAME.ts`, whose default export measures and reports its cases. */
import { readdirSync } from 'node:fs';
import { note } from './support/report.ts';

interface BenchModule {
  readonly default: (selectedCases: readonly string[]) => Promise<void>;
}

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .toSorted();

const [name, ...selectedCases] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  note(`usage: npm run bench -- NAME [CASE…]\nbenchmarks: ${names.join(', ')}`);
  process.exitCode = 1;
} else {
  try {
    const bench = (await import(`./${name}.ts`)) as BenchModule;
    await bench.default(selectedCases);
  } catch (error) {
    note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  }
}
