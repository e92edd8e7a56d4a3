/** What two sides made of the same, where it is not the same. */
import { isDeepStrictEqual } from 'node:util';

export interface Difference {
  /** After which step. */
  readonly after: string;
  readonly kubernetes: unknown;
  readonly everynode: unknown;
}

type Answer = { readonly [what: string]: unknown };

/** Only what differs, by its name. */
export function differenceOf(after: string, kubernetes: Answer, everynode: Answer): Difference | undefined {
  const names = [...new Set([...Object.keys(kubernetes), ...Object.keys(everynode)])].filter(
    (name) => !isDeepStrictEqual(kubernetes[name], everynode[name]),
  );
  if (names.length === 0) return undefined;
  const only = (answer: Answer): Answer => Object.fromEntries(names.map((name) => [name, answer[name] ?? 'nothing']));
  return { after, kubernetes: only(kubernetes), everynode: only(everynode) };
}

const indented = (value: unknown): string =>
  (JSON.stringify(value, undefined, 1) ?? 'nothing').replaceAll(/^/gm, '    ');

export const differenceText = (seed: string, smallest: unknown, difference: Difference): string =>
  [
    `case ${seed} differs after ${difference.after}`,
    '  kubernetes:',
    indented(difference.kubernetes),
    '  everynode:',
    indented(difference.everynode),
    `  smallest form: ${JSON.stringify(smallest)}`,
    `  again: EVERYNODE_DIFFERENTIAL_CASE=${seed}`,
  ].join('\n');
