/** Lint findings of a component that is stored all the same, as warnings that `kubectl` shows to the writer. */
import { lintComponent } from '../../../core/component/lint/lint-component.ts';
import type { LintName } from '../../../core/component/lint/list.ts';
import type { Verdict } from './judge.ts';

/** API servers cut off longer warnings, by their total length. */
const MOST = 10;
const LONGEST = 256;

/**
 * Secrets in plain text were refused (only stand-ins for references are left), and a controller reads no files or
 * variables for a manifest.
 */
const ELSEWHERE: ReadonlySet<LintName> = new Set(['literal-secret', 'reads-outside', 'reads-variable', 'reads-file']);

export function warningsOf({ read, rendered }: Verdict): readonly string[] {
  if (rendered === undefined) return [];
  const texts = lintComponent(read, rendered)
    .filter(({ level, silenced, rule }) => level !== 'info' && silenced === undefined && !ELSEWHERE.has(rule))
    .map(({ path, message, suggestion, code }) => {
      const hint = suggestion === undefined ? '' : ` (${suggestion})`;
      return shortened(`${path}: ${message}${hint} [${code}]`);
    });
  const unlike = [...new Set(texts)];
  return unlike.length <= MOST ? unlike : [...unlike.slice(0, MOST - 1), `and ${unlike.length - MOST + 1} more`];
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
