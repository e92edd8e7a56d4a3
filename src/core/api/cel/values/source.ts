/** Places in an expression, and messages that point at them. */

export interface CelIssue {
  readonly message: string;
  /** Line counts from 1, column (in code points) from 0. */
  readonly line: number;
  readonly column: number;
}

/** Offset of issues that have no place. */
export const NOWHERE = -1;
const MAX_SNIPPET = 16384;
const MAX_ISSUES = 100;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if (isHighSurrogate(text.charCodeAt(i)) && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}

/** Line from 1, column in code points from 0. */
function locate(source: string, offset: number): { line: number; column: number; lineStart: number } {
  if (offset === NOWHERE) return { line: -1, column: -1, lineStart: 0 };
  if (source === '') return { line: 1, column: -1, lineStart: 0 };
  let line = 1;
  let lineStart = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { line, column: codePointLength(source.slice(lineStart, offset)), lineStart };
}

export function issueAt(source: string, offset: number, message: string): CelIssue {
  const { line, column } = locate(source, offset);
  return { message, line, column };
}

/** All issues in order of their place, each with its line and a caret, as Kubernetes prints them. */
export function printIssues(source: string, issues: readonly CelIssue[]): string {
  const sorted = [...issues].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = source.split('\n');
  const texts = sorted.slice(0, MAX_ISSUES).map((issue) => printIssue(source, lines, issue));
  if (sorted.length > MAX_ISSUES) texts.push(`${sorted.length - MAX_ISSUES} more errors were truncated`);
  return texts.join('\n');
}

function printIssue(source: string, lines: readonly string[], issue: CelIssue): string {
  const head = `ERROR: <input>:${issue.line}:${issue.column + 1}: ${issue.message}`;
  const snippet = lines[issue.line - 1]?.replaceAll('\t', ' ');
  if (source === '' || snippet === undefined || Buffer.byteLength(snippet) > MAX_SNIPPET) return head;
  let pointer = '';
  let column = 0;
  let mark = '^';
  for (const character of snippet) {
    const wide = character.codePointAt(0)! > 0x7f;
    if (column === issue.column) {
      mark = wide ? '\uff3e' : '^';
      break;
    }
    pointer += wide ? '\uff0e' : '.';
    column++;
  }
  return `${head}\n | ${snippet}\n | ${pointer}${mark}`;
}
