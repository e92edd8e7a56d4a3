/** What is allowed and unwise. A lint is silenced on the component, with a reason that everybody can read. */
import type { Place } from '../problem.ts';
import type { ReadComponent } from '../read/read-component.ts';
import { locate } from '../trace.ts';
import type { Rendered } from '../render/render.ts';
import { containerLints } from './containers.ts';
import type { Lint, LintOptions } from './context.ts';
import { hostPorts, missingObjects, selectors } from './others.ts';
import { bareVolumes, labels, logins, podSecurity, rights, strategy, tolerations } from './pod.ts';
import { reads } from './reads.ts';
import { type Level, LINT_RULES, lintCode, type LintRule, SILENCE_PREFIX } from './rules.ts';

export interface LintFinding {
  readonly rule: LintRule;
  readonly code: string;
  readonly level: Level;
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly place: Place;
  /** Why it does not count, as the author says. */
  readonly silenced?: string;
}

const LINTS: readonly Lint[] = [
  podSecurity,
  hostPorts,
  selectors,
  missingObjects,
  containerLints,
  tolerations,
  strategy,
  rights,
  labels,
  logins,
  bareVolumes,
  reads,
];

const lineOf = ({ line }: Place): number => line ?? Number.POSITIVE_INFINITY;

/** In the order of the file; silenced findings are there, too, and say so. */
export function lintComponent(
  read: ReadComponent,
  rendered: Rendered,
  options: LintOptions = {},
): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const silences = silencesOf(read);
  const add = (rule: LintRule, path: readonly (string | number)[], message: string, suggestion?: string): void => {
    const reason = silences.get(rule);
    findings.push({
      rule,
      code: lintCode(rule),
      level: LINT_RULES[rule].level,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
      ...locate(read.document, read.trace, path),
      ...(reason === undefined || reason === '' ? {} : { silenced: reason }),
    });
  };
  for (const lint of LINTS) lint({ ...options, component: read.component, rendered, report: add });
  for (const [rule, reason] of silences) {
    const path = ['metadata', 'annotations', `${SILENCE_PREFIX}${rule}`];
    if (!Object.hasOwn(LINT_RULES, rule)) add('unknown-silence', path, `there is no lint called ${rule}`);
    else if (reason === '') add('silence-without-reason', path, 'says no reason, so the lint still counts');
  }
  return findings.toSorted((a, b) => lineOf(a.place) - lineOf(b.place));
}

function silencesOf({ component }: ReadComponent): ReadonlyMap<string, string> {
  const { annotations = {} } = component.metadata;
  return new Map(
    Object.entries(annotations).flatMap(([key, reason]) =>
      key.startsWith(SILENCE_PREFIX) ? [[key.slice(SILENCE_PREFIX.length), reason.trim()] as const] : [],
    ),
  );
}
