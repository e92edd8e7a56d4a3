/** Reading what kubectl prints for people. */

export interface Row {
  readonly [column: string]: string;
}

/** The rows of a printed table, by column. Columns begin where their headings do; a heading may hold single spaces. */
export function rowsOf(text: string): readonly Row[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map((match) => ({ name: match[0], start: match.index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, start }, i) => [name, line.slice(start, columns[i + 1]?.start ?? line.length).trim()]),
    ),
  );
}

/** The tables of one output (`get pods,services`), which blank lines part. */
export const tablesOf = (text: string): readonly (readonly Row[])[] => text.trimEnd().split('\n\n').map(rowsOf);

/** `12s`, `3m4s`, `2d` */
export const AGE = /^\d+[smhdy](\d+[smh])?$/;

/** Fields of `describe`: `Name:  x` at the left edge. */
export function fieldsOf(text: string): Row {
  const fields = text.split('\n').flatMap((line) => {
    const match = /^([A-Z][^:]*): *(.*)$/.exec(line);
    return match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const];
  });
  return Object.fromEntries(fields);
}
