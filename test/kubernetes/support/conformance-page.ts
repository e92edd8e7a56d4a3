/** docs/conformance.md: what Kubernetes' own cases said of each kind of cluster, case by case. */
import type { E2eCase } from './e2e.ts';

/** By the name of the cluster, as a column says it. */
export type Verdicts = ReadonlyMap<string, readonly E2eCase[]>;

export function conformancePage(version: string, verdicts: Verdicts): string {
  const clusters = [...verdicts.keys()];
  const names = new Set([...verdicts.values()].flatMap((cases) => cases.map(({ name }) => name)));
  const cell = (cluster: string, name: string): string =>
    verdicts.get(cluster)?.find((each) => each.name === name)?.outcome ?? 'not run';
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    '# Conformance',
    '',
    `Cases of Kubernetes ${version}'s own end-to-end tests, run from its own binary by \`npm run test:kubernetes\`. This page is`,
    'written by such a run, with `EVERYNODE_WRITE_DOCS=1`.',
    '',
    row(['case', ...clusters]),
    row(['---', ...clusters.map(() => '---')]),
    ...[...names].toSorted().map((name) => row([name, ...clusters.map((cluster) => cell(cluster, name))])),
    '',
  ].join('\n');
}
