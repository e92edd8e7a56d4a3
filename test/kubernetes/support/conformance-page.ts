/** docs/conformance.md: what Kubernetes' own cases said of each kind of cluster, case by case. */
import { failureKnown, type ConformancePlan } from './conformance-plan.ts';
import type { E2eCase } from './e2e.ts';

/** By the name of the cluster, as a column says it. */
type Verdicts = ReadonlyMap<string, readonly E2eCase[]>;

export interface ConformanceReport {
  readonly release: string;
  readonly verdicts: Verdicts;
  readonly plan: ConformancePlan;
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => [
  row(head),
  row(head.map(() => '---')),
  ...rows.map(row),
  '',
];
/** `[sig-apps]`, and how the rest of the name begins with capitals: `[sig-apps] Daemon set …` is of `sig-apps`. */
const groupOf = (name: string): string => /^\[(.+?)\]/.exec(name)?.[1] ?? 'others';
const names = (cases: readonly { readonly name: string }[]): readonly string[] => cases.map(({ name }) => name);

export function conformancePage({ release, verdicts, plan }: ConformanceReport): string {
  const clusters = [...verdicts.keys()];
  const all = [...verdicts.values()].flat();
  const ran = [...new Set(names(all.filter(({ outcome }) => outcome !== 'skipped')))].toSorted();
  const skipped = new Map(all.filter(({ outcome }) => outcome === 'skipped').map(({ name, reason }) => [name, reason]));
  const seen = new Map(
    clusters.map((cluster) => [cluster, new Map(verdicts.get(cluster)?.map((each) => [each.name, each]))]),
  );
  const cell = (cluster: string, name: string): string => seen.get(cluster)?.get(name)?.outcome ?? 'not asked';
  const isFailed = (name: string): boolean => all.some((each) => each.name === name && each.outcome === 'failed');
  const leftOut = [
    ...plan.unfit,
    ...Array.from(skipped, ([name, reason]) => ({ name, reason: `it will not run: ${firstLine(reason)}` })),
  ];
  const groups = [...new Set([...ran, ...names(plan.endless), ...names(leftOut)].map(groupOf))].toSorted();
  const count = (of: readonly string[], group: string): number => of.filter((name) => groupOf(name) === group).length;
  const failed = [...ran.filter(isFailed), ...names(plan.endless)].toSorted();
  const why = new Map(plan.endless.map(({ name, reason }) => [name, `${reason}: not asked, it would never end`]));
  return [
    '# Conformance',
    '',
    `Cases of Kubernetes ${release}'s own end-to-end tests, run from its own binary. This page is written by the run:`,
    '`EVERYNODE_CONFORMANCE=wide EVERYNODE_WRITE_DOCS=1 npm run test:kubernetes -- conformance`. Of the groups `sig-apps`,',
    '`sig-scheduling`, `sig-api-machinery` and `sig-auth` every case is here; of the others, those about objects of the API.',
    '',
    ...table(
      ['group', 'passed', 'failed', 'left out'],
      groups.map((group) => [
        group,
        String(
          count(
            ran.filter((name) => !isFailed(name)),
            group,
          ),
        ),
        String(count(failed, group)),
        String(count(names(leftOut), group)),
      ]),
    ),
    ...(failed.length === 0
      ? []
      : [
          '## Failing',
          '',
          ...table(
            ['case', 'why'],
            failed.map((name) => [name, why.get(name) ?? failureKnown(name) ?? 'not known']),
          ),
        ]),
    '## Asked',
    '',
    ...table(
      ['case', ...clusters],
      ran.map((name) => [name, ...clusters.map((cluster) => cell(cluster, name))]),
    ),
    '## Left out',
    '',
    ...table(
      ['case', 'why'],
      leftOut.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, reason }) => [name, reason]),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
