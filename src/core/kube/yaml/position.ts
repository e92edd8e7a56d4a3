/** Lines and columns of offsets in a text. */

export interface Position {
  /** From 1 on, as the column. */
  readonly line: number;
  readonly column: number;
}

/** Offsets at which lines begin. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) starts.push(next + 1);
  return starts;
}

export function positionAt(starts: readonly number[], at: number): Position {
  // The last line that begins at or before the offset.
  let line = 0;
  for (let end = starts.length; end - line > 1;) {
    const middle = (line + end) >> 1;
    if ((starts[middle] ?? 0) <= at) line = middle;
    else end = middle;
  }
  return { line: line + 1, column: at - (starts[line] ?? 0) + 1 };
}
