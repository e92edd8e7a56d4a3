/** `everynode lint`: errors, and valid but unwise settings. Needs no cluster without `--against-cluster`. */
import type { DaemonSet } from '../core/api/types/apps-v1.ts';
import { identityText } from '../control/component/apply/rendered.ts';
import type { PreparedComponent } from '../core/component/load/load.ts';
import { lintComponent, type LintFinding } from '../core/component/lint/lint-component.ts';
import type { Level, LintOptions } from '../core/component/lint/contract/lint.ts';
import { placeText, problemText } from '../core/component/problem.ts';
import { evaluate } from '../core/api/pod-security/evaluate.ts';
import type { LintFlags } from './component/flags.ts';
import { inspectInputs } from './component/prepare.ts';
import { count, printable } from './component/text.ts';
import { colorsFor } from './support/terminal.ts';

const GRAVITY: Readonly<Record<Level, number>> = { info: 0, warning: 1, error: 2 };

export async function lint(flags: LintFlags): Promise<void> {
  const { components, problems } = await inspectInputs(flags);
  // Components that cannot be rendered are not linted.
  const sound = components.filter((each) => each.problems.length === 0);
  const surroundings = await lookAround(flags, sound);
  const findings = sound.flatMap((each) =>
    lintComponent(each.read, each.rendered, { podSecurity: evaluate, ...surroundings(each) }),
  );
  const heard = findings.filter(({ silenced }) => silenced === undefined);
  if (flags.output === 'json') process.stdout.write(`${JSON.stringify({ problems, findings }, null, 2)}\n`);
  else {
    const colors = colorsFor(process.stdout);
    for (const problem of problems)
      process.stdout.write(`${printable(problemText(problem)).replace(': ', `: ${colors.red('error')}: `)}\n`);
    for (const finding of heard) process.stdout.write(`${findingText(finding, colors)}\n`);
    process.stderr.write(summaryText(components.length, problems.length, findings));
  }
  const isGrave = heard.some(({ level }) => GRAVITY[level] >= GRAVITY[flags.failOn]);
  if (problems.length > 0 || isGrave) process.exitCode = 1;
}

function findingText(finding: LintFinding, colors: ReturnType<typeof colorsFor>): string {
  const { place, level, path, message, suggestion, code } = finding;
  const paint = { error: colors.red, warning: colors.yellow, info: colors.cyan }[level];
  const hint = suggestion === undefined ? '' : ` (${suggestion})`;
  const at = path === '' ? '' : `${path}: `;
  return `${printable(placeText(place))}: ${paint(level)}: ${printable(`${at}${message}${hint}`)} [${code}]`;
}

function summaryText(components: number, problems: number, findings: readonly LintFinding[]): string {
  const heard = findings.filter(({ silenced }) => silenced === undefined);
  const of = (level: Level): number => heard.filter((finding) => finding.level === level).length;
  const parts = [
    count(problems + of('error'), 'error'),
    count(of('warning'), 'warning'),
    ...(of('info') === 0 ? [] : [`${of('info')} info`]),
    ...(findings.length === heard.length ? [] : [`${findings.length - heard.length} silenced`]),
  ];
  return `${count(components, 'component')}: ${parts.join(', ')}\n`;
}

type Surroundings = (each: PreparedComponent) => LintOptions;

/** Daemons of the same change, and with `--against-cluster` those of the cluster and the labels of its namespaces. */
async function lookAround(flags: LintFlags, components: readonly PreparedComponent[]): Promise<Surroundings> {
  const coming = components.map(({ rendered }) => rendered.daemonSet);
  if (flags.againstCluster !== true) return () => ({ otherDaemons: coming });
  const { lookAtCluster } = await import('./component/surroundings.ts');
  const { missingText } = await import('../control/component/apply/missing.ts');
  const { daemons, missing, labelsOf } = await lookAtCluster(
    flags,
    components.map(({ rendered }) => rendered),
  );
  const isComing = ({ metadata }: DaemonSet): boolean =>
    coming.some((set) => set.metadata.name === metadata.name && set.metadata.namespace === metadata.namespace);
  const otherDaemons = [...coming, ...daemons.filter((set) => !isComing(set))];
  return ({ rendered }) => {
    const namespaceLabels = labelsOf(rendered.identity.namespace);
    const lacking = missing.get(identityText(rendered.identity)) ?? [];
    const told = lacking.map((each) => ({ name: each.name, text: missingText(each) }));
    return { otherDaemons, missing: told, ...(namespaceLabels === undefined ? {} : { namespaceLabels }) };
  };
}
