/**
 * Two checkouts of everynode measured against each other in one run, because these figures move with the machine: each
 * pair runs a benchmark in both, in an order that alternates, and what counts is the ratio within a pair.
 *
 *     node scripts/bench-pairs.mjs --before=DIR [--pairs=10] [--out=FILE] BENCH CASE… [-- BENCH CASE…]
 *
 * DIR is another checkout with its dependencies installed (`git worktree add DIR COMMIT && (cd DIR && npm run build)`).
 * Prints one JSON line a case: the median of this checkout's figure over the other's, turned so that below 1 is better, and
 * the 95 % interval of that median (from order statistics, so that no shape of the noise is assumed).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const flag = (name) => args.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const before = flag('before');
const pairs = Number(flag('pairs') ?? 10);
const out = flag('out');
const runs = args
  .filter((each) => !/^--\w+=/.test(each))
  .join(' ')
  .split(/\s+--\s+/)
  .map((run) => run.split(' ').filter((word) => word !== ''))
  .filter((run) => run.length > 0);
if (before === undefined || runs.length === 0 || !(pairs > 0)) {
  process.stderr.write('usage: bench-pairs --before=DIR [--pairs=10] [--out=FILE] BENCH CASE… [-- BENCH CASE…]\n');
  process.exit(1);
}

/** The value of each case, by `bench/case`. */
function measure(folder, run) {
  const script = join(folder, 'scripts', 'with-runtime.mjs');
  const done = spawnSync(process.execPath, [script, 'bench', ...run], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (done.status !== 0) throw new Error(`bench ${run.join(' ')} in ${folder}: ${done.stderr.slice(-2000)}`);
  const lines = done.stdout.split('\n').filter((line) => line.startsWith('{'));
  return new Map(lines.map((line) => JSON.parse(line)).map((line) => [`${line.bench}/${line.case}`, line]));
}

const median = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;

/** Ranks between which the true median lies with at least 95 % probability: a binomial with one half. */
function interval(sorted) {
  const n = sorted.length;
  let term = 0.5 ** n;
  let below = 0;
  let rank = 0;
  while (rank < n / 2 && below + term <= 0.025) {
    below += term;
    term = (term * (n - rank)) / (rank + 1);
    rank += 1;
  }
  return [sorted[Math.max(0, rank - 1)], sorted[Math.min(n - 1, n - rank)]];
}

for (const folder of [ROOT, before])
  execFileSync(process.execPath, [join(folder, 'scripts', 'with-runtime.mjs'), 'build'], {
    cwd: folder,
    stdio: 'ignore',
  });

for (const run of runs) {
  const ratios = new Map();
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? [before, ROOT] : [ROOT, before];
    const results = new Map(order.map((folder) => [folder, measure(folder, run)]));
    for (const [name, mine] of results.get(ROOT)) {
      const other = results.get(before).get(name);
      if (other === undefined) continue;
      const ratio = mine.better === 'lower' ? mine.value / other.value : other.value / mine.value;
      ratios.set(name, [...(ratios.get(name) ?? []), ratio]);
      const line = `pair ${pair + 1} of ${pairs}: ${name} ${other.value} → ${mine.value} ${mine.unit}, ratio ${ratio.toFixed(3)}\n`;
      process.stderr.write(line);
      if (out !== undefined) appendFileSync(out, line);
    }
  }
  for (const [name, found] of ratios) {
    const sorted = found.toSorted((a, b) => a - b);
    const [low, high] = interval(sorted);
    const [bench, ...rest] = name.split('/');
    const value = (number) => Number(number.toPrecision(4));
    const line = {
      bench,
      case: `pairs-${rest.join('/')}`,
      value: value(median(sorted)),
      unit: 'ratio',
      better: 'lower',
      runs: found.length,
      min: value(low),
      max: value(high),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    if (out !== undefined) appendFileSync(out, `${JSON.stringify(line)}\n`);
  }
}
