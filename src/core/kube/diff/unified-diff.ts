/** Two texts as a unified diff, as `diff -u` prints it. */
import { editScript, type Edit } from './edit-script.ts';

export interface UnifiedOptions {
  readonly oldName: string;
  readonly newName: string;
  /** Unchanged lines shown around a change. */
  readonly context?: number;
}

const DEFAULT_CONTEXT = 3;

/** Empty where the texts are equal. */
export function unifiedDiff(before: string, after: string, options: UnifiedOptions): string {
  if (before === after) return '';
  const a = linesOf(before);
  const b = linesOf(after);
  const context = Math.max(0, options.context ?? DEFAULT_CONTEXT);
  let text = `--- ${options.oldName}\n+++ ${options.newName}\n`;
  for (const hunk of hunksOf(editScript(a, b), context)) text += hunkText(a, b, hunk, context);
  return text;
}

/** A last line without its end counts as another line than the same with it. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`);
  return lines;
}

/** Changes whose surroundings meet stand in one hunk. */
function hunksOf(edits: readonly Edit[], context: number): readonly (readonly Edit[])[] {
  const hunks: Edit[][] = [];
  for (const edit of edits) {
    const last = hunks.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && edit.aStart - before.aEnd <= 2 * context) last.push(edit);
    else hunks.push([edit]);
  }
  return hunks;
}

function hunkText(a: readonly string[], b: readonly string[], hunk: readonly Edit[], context: number): string {
  const [first] = hunk;
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return '';
  const aFrom = Math.max(0, first.aStart - context);
  const aTo = Math.min(a.length, last.aEnd + context);
  const bFrom = Math.max(0, first.bStart - context);
  const bTo = Math.min(b.length, last.bEnd + context);
  let text = `@@ -${rangeText(aFrom, aTo)} +${rangeText(bFrom, bTo)} @@\n`;
  let at = aFrom;
  for (const { aStart, aEnd, bStart, bEnd } of hunk) {
    for (; at < aStart; at += 1) text += ` ${a[at] ?? ''}\n`;
    for (; at < aEnd; at += 1) text += `-${a[at] ?? ''}\n`;
    for (let i = bStart; i < bEnd; i += 1) text += `+${b[i] ?? ''}\n`;
  }
  for (; at < aTo; at += 1) text += ` ${a[at] ?? ''}\n`;
  return text;
}

/** Lines count from 1; an empty range names the line before it. */
const rangeText = (from: number, to: number): string =>
  to - from === 1 ? `${from + 1}` : `${to === from ? from : from + 1},${to - from}`;
