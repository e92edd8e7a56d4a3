/** Runs every lint over a component. A lint is silenced on the component, with a reason that every reader sees. */
import { containersOf } from '../containers-of.ts';
import type { Place } from '../problem.ts';
import type { ReadComponent } from '../read/read-component.ts';
import type { Rendered } from '../render/render.ts';
import { locate } from '../trace.ts';
import type { Level, LintContext, LintOptions } from './contract/lint.ts';
import { SILENCE_PREFIX } from './contract/silence.ts';
import { lintCode, type LintName, LINTS } from './list.ts';

export interface LintFinding {
  readonly rule: LintName;
  readonly code: string;
  readonly level: Level;
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly place: Place;
  /** The author's reason why the finding does not count. */
  readonly silenced?: string;
}

const NAMES: ReadonlySet<string> = new Set(LINTS.map(({ name }) => name));

/** Findings in the order of the file, those of one line in the order of the list. Silenced findings are among them, and say so. */
export function lintComponent(
  read: ReadComponent,
  rendered: Rendered,
  options: LintOptions = {},
): readonly LintFinding[] {
  const { component } = read;
  const silences = silencesOf(read);
  const context: LintContext = {
    ...options,
    component,
    containers: containersOf(component),
    rendered,
    silences,
    names: NAMES,
  };
  const findings: LintFinding[] = [];
  for (const { name, level, check } of LINTS) {
    const reason = silences.get(name) ?? '';
    for (const { path, message, suggestion } of check(context))
      findings.push({
        rule: name,
        code: lintCode(name),
        level,
        message,
        ...(suggestion === undefined ? {} : { suggestion }),
        ...locate(read.document, read.trace, path),
        ...(reason === '' ? {} : { silenced: reason }),
      });
  }
  return findings.toSorted((a, b) => lineOf(a.place) - lineOf(b.place));
}

const lineOf = ({ line }: Place): number => line ?? Number.POSITIVE_INFINITY;

function silencesOf({ component }: ReadComponent): ReadonlyMap<string, string> {
  const { annotations = {} } = component.metadata;
  return new Map(
    Object.entries(annotations).flatMap(([key, reason]) =>
      key.startsWith(SILENCE_PREFIX) ? [[key.slice(SILENCE_PREFIX.length), reason.trim()] as const] : [],
    ),
  );
}
