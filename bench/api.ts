/** Bench `api`: the API server by itself, in one process and over HTTPS. docs/benchmarks.md says what each case is. */
import { isSelected, note } from './support/report.ts';

interface Group {
  readonly module: string;
  readonly cases: readonly string[];
  /** Cases that take too long to be run with the others. */
  readonly onlyWhenNamed?: readonly string[];
}

export default async function api(selected: readonly string[]): Promise<void> {
  const groups: readonly Group[] = [
    {
      module: './api/create-inprocess.ts',
      cases: ['create-inprocess-ephemeral', 'create-inprocess-fresh', 'create-inprocess-durable'],
    },
    {
      module: './api/https.ts',
      cases: ['create-https-durable', 'create-https1-durable', 'list-10k-https', 'fanout-1000-watchers'],
    },
    {
      module: './api/neighbour.ts',
      cases: ['yaml', 'yaml-bodies', 'protobuf', 'selector', 'slow-watch'].map((load) => `neighbour-p99-${load}`),
    },
    { module: './api/apply.ts', cases: ['apply-ssa', 'apply-ssa-change'] },
    { module: './api/housekeeping.ts', cases: ['gc-10k'], onlyWhenNamed: ['soak'] },
    { module: './api/process.ts', cases: ['start', 'help', 'heap-per-pod', 'loop-delay'] },
  ];
  const known = groups.flatMap((group) => [...group.cases, ...(group.onlyWhenNamed ?? [])]);
  const unknown = selected.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no case ${unknown.join(', ')}; cases: ${known.join(', ')}`);
  for (const group of groups) {
    const long = (group.onlyWhenNamed ?? []).filter((name) => selected.includes(name));
    const wanted = [...group.cases.filter((name) => isSelected(selected, name)), ...long];
    if (wanted.length === 0) continue;
    note(`# ${wanted.join(', ')}`);
    const { run } = (await import(group.module)) as { run: (cases: readonly string[]) => Promise<void> };
    await run(wanted);
  }
}
