/** Small things about text that people read. */
import type { ObjectRef } from '../../control/component/apply/object-ref.ts';

/** Text from manifests and clusters must not move cursors, change colours or forge lines of everynode. */
// oxlint-disable-next-line no-control-regex -- exactly these
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export const printable = (text: string): string =>
  text.replaceAll(CONTROL, (char) => (char === '\n' || char === '\t' ? ' ' : '\ufffd'));

/** `daemonset.apps/agent`, as `kubectl -o name` has it. */
export const kubectlName = ({ group, kind, name }: Pick<ObjectRef, 'group' | 'kind' | 'name'>): string =>
  `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;

export const kubectlNameOf = (object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}): string => {
  const slash = object.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : object.apiVersion.slice(0, slash);
  return kubectlName({ group, kind: object.kind, name: object.metadata.name });
};

/** Columns as kubectl sets them: three blanks between, none at the end of a line. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One word of a command line that a user may copy into a shell, with any content. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
