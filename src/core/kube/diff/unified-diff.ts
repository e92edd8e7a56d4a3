/** The unified diff of two texts, as `diff -u` prints it and as Kubernetes quotes it in messages. */
import { editScript, MOST_DIFFERENCES, type Edit } from './edit-script.ts';
import { editsByRuns } from './matching-runs.ts';

export interface UnifiedOptions {
  readonly oldName: string;
  readonly newName: string;
  /** Unchanged lines shown around a change. */
  readonly context?: number;
}

const DEFAULT_CONTEXT = 3;
/** Lines of both texts together up to which the longest common runs are searched; longer texts take the search in linear space. */
const MOST_LINES_BY_RUNS = 4000;
/** The bound for messages of an API server, which must not stall over one hostile object. */
const MOST_DIFFERENCES_IN_MESSAGES = 100;

/** The diff with the names of both sides; empty where the texts are equal. */
export function unifiedDiff(before: string, after: string, options: UnifiedOptions): string {
  if (before === after) return '';
  const context = Math.max(0, options.context ?? DEFAULT_CONTEXT);
  const hunks = hunksText(linesOf(before), linesOf(after), context, MOST_DIFFERENCES);
  return `--- ${options.oldName}\n+++ ${options.newName}\n${hunks}`;
}

/**
 * The diff without names, in the form that Kubernetes appends to its messages about forbidden changes: a text that ends
 * with a line end has an empty last line.
 */
export const unifiedHunks = (before: string, after: string): string =>
  hunksText(before.split('\n'), after.split('\n'), DEFAULT_CONTEXT, MOST_DIFFERENCES_IN_MESSAGES);

function hunksText(a: readonly string[], b: readonly string[], context: number, mostDifferences: number): string {
  const edits = a.length + b.length > MOST_LINES_BY_RUNS ? editScript(a, b, mostDifferences) : editsByRuns(a, b);
  let text = '';
  for (const hunk of hunksOf(edits, context)) text += hunkText(a, b, hunk, context);
  return text;
}

/** A last line without a line end differs from the same line with one. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`);
  return lines;
}

/** Edits whose contexts meet stand in one hunk. */
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
