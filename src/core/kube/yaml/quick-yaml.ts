/**
 * The YAML that people write in manifests, read in one pass: block mappings and lists, scalars on one line, texts after
 * `|`, flow collections on one line, comments, several documents. For every other text (anchors, tags, folded texts, tabs, a
 * mistake) the quick reader answers undefined, and the full parser takes over. So the quick reader need not be clever, only never
 * wrong; tests hold both against each other.
 */
import { plainScalar } from './plain-scalar.ts';
import { type Entry, listNode, mapNode, MAX_DEPTH, scalarNode, type SourceNode } from './source-node.ts';

/** Thrown where the text is left to the full parser; caught in `readQuickly` alone. */
const NOT_OURS = new Error('not for the quick reader');

const SPACE = 0x20;
const HASH = 0x23;
const DASH = 0x2d;
const COLON = 0x3a;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const COMMA = 0x2c;
const BAR = 0x7c;

/** Characters that begin something other than a plain word. */
const INDICATORS = new Set(Array.from('?:,[]{}#&*!|>%@`"\'', (character) => character.charCodeAt(0)));
const WORD_KEY = /[A-Za-z0-9_$][A-Za-z0-9_./$-]*/y;

/** The roots of the documents that are not empty, or undefined. */
export function readQuickly(text: string): readonly SourceNode[] | undefined {
  if (!text.endsWith('\n') || /[\t\r\ufeff\u0085\u2028\u2029]/.test(text)) return undefined;
  try {
    return new QuickReader(text).documents();
  } catch (error) {
    if (error === NOT_OURS) return undefined;
    throw error;
  }
}

const refuse = (): never => {
  throw NOT_OURS;
};

class QuickReader {
  readonly #text: string;
  /** Offsets at which lines begin, and one more for the end of the text. */
  readonly #starts: number[] = [];
  readonly #indents: number[] = [];
  /** The line being read, and where its document ends. */
  #line = 0;
  #last = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at < text.length; at = text.indexOf('\n', at) + 1) {
      this.#starts.push(at);
      let end = at;
      while (text.charCodeAt(end) === SPACE) end += 1;
      this.#indents.push(end - at);
    }
    this.#starts.push(text.length);
  }

  documents(): readonly SourceNode[] {
    const roots: SourceNode[] = [];
    const count = this.#starts.length - 1;
    const bounds = [...this.#boundaries(), count];
    let first = 0;
    for (const bound of bounds) {
      this.#line = first;
      this.#last = bound;
      this.#skip();
      if (this.#line < this.#last) {
        roots.push(this.#indent() === 0 ? this.#block(0) : refuse());
        if (this.#line < this.#last) refuse();
      }
      first = bound + 1;
    }
    return roots;
  }

  /** Lines that are `---`. Directives and document ends are left to the full parser. */
  *#boundaries(): Generator<number> {
    for (let line = 0; line < this.#starts.length - 1; line++) {
      const start = this.#starts[line] ?? 0;
      const code = this.#text.charCodeAt(start);
      if (code === 0x25 || this.#text.startsWith('...', start)) refuse();
      if (code !== DASH || !this.#text.startsWith('---', start)) continue;
      if (!/^--- *(?:#.*)?$/.test(this.#text.slice(start, this.#endOf(line)))) refuse();
      yield line;
    }
  }

  #endOf(line: number): number {
    return (this.#starts[line + 1] ?? this.#text.length) - 1;
  }

  #indent(): number {
    return this.#indents[this.#line] ?? 0;
  }

  /** Moves to the next line with content; stays if the current line has content. */
  #skip(): void {
    for (; this.#line < this.#last; this.#line++) {
      const at = (this.#starts[this.#line] ?? 0) + this.#indent();
      if (at < this.#endOf(this.#line) && this.#text.charCodeAt(at) !== HASH) return;
    }
  }

  /** The list or mapping that begins on this line, at this indent. */
  #block(indent: number): SourceNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) refuse();
    const at = (this.#starts[this.#line] ?? 0) + indent;
    const node = this.#isItem(at) ? this.#list(indent) : this.#map(indent, at);
    this.#depth -= 1;
    return node;
  }

  #isItem(at: number): boolean {
    if (this.#text.charCodeAt(at) !== DASH) return false;
    const next = this.#text.charCodeAt(at + 1);
    return next === SPACE || next === 0x0a;
  }

  #list(indent: number): SourceNode {
    const start = (this.#starts[this.#line] ?? 0) + indent;
    const items: SourceNode[] = [];
    while (this.#line < this.#last && this.#indent() === indent) {
      const dash = (this.#starts[this.#line] ?? 0) + indent;
      if (!this.#isItem(dash)) break;
      items.push(this.#item(dash + 1, indent));
    }
    if (this.#line < this.#last && this.#indent() > indent) refuse();
    return listNode(items, start);
  }

  #item(after: number, indent: number): SourceNode {
    const at = this.#spaces(after);
    const end = this.#endOf(this.#line);
    if (at >= end || this.#text.charCodeAt(at) === HASH) return this.#below(indent, after, false);
    if (this.#isItem(at)) refuse();
    // A mapping may begin behind the dash; its other keys stand below its first.
    if (this.#keyAt(at, end) !== undefined) {
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) refuse();
      const node = this.#map(at - (this.#starts[this.#line] ?? 0), at);
      this.#depth -= 1;
      return node;
    }
    return this.#inline(at, indent);
  }

  /** The value of a key or item without a value on its line: the block indented below it, or null. */
  #below(indent: number, at: number, isKey: boolean): SourceNode {
    this.#line += 1;
    this.#skip();
    if (this.#line >= this.#last) return scalarNode(null, at);
    const next = this.#indent();
    if (next > indent) return this.#block(next);
    // Lists may stand at the indent of their key.
    if (isKey && next === indent && this.#isItem((this.#starts[this.#line] ?? 0) + next)) return this.#list(next);
    return scalarNode(null, at);
  }

  #map(indent: number, start: number): SourceNode {
    const entries: Entry[] = [];
    const seen = new Set<string>();
    let at = start;
    for (;;) {
      const end = this.#endOf(this.#line);
      const found = this.#keyAt(at, end) ?? refuse();
      if (seen.has(found.key)) refuse();
      seen.add(found.key);
      const from = this.#spaces(found.after);
      const isBare = from >= end || this.#text.charCodeAt(from) === HASH;
      const value = isBare ? this.#below(indent, found.after, true) : this.#inline(from, indent);
      entries.push({ key: found.key, keyAt: at, value });
      if (this.#line >= this.#last || this.#indent() < indent) break;
      at = (this.#starts[this.#line] ?? 0) + indent;
      if (this.#indent() > indent) refuse();
      if (this.#isItem(at)) break;
    }
    return mapNode(entries, start);
  }

  #spaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  /** A key with its colon; undefined where there is none. */
  #keyAt(at: number, end: number): { readonly key: string; readonly after: number } | undefined {
    const code = this.#text.charCodeAt(at);
    let key: string;
    let after: number;
    if (code === DOUBLE || code === SINGLE) {
      after = this.#quoteEnd(at, end);
      if (this.#text.charCodeAt(after) !== COLON) return undefined;
      key = this.#quoted(at, after);
    } else {
      WORD_KEY.lastIndex = at;
      const word = WORD_KEY.exec(this.#text)?.[0];
      if (word === undefined) return undefined;
      after = at + word.length;
      // Words such as `true` or `1` are not read as texts; keys of that kind are left to the full parser.
      if (this.#text.charCodeAt(after) === COLON && typeof plainScalar(word) !== 'string') refuse();
      key = word;
    }
    if (this.#text.charCodeAt(after) !== COLON) return undefined;
    const next = this.#text.charCodeAt(after + 1);
    return after + 1 >= end || next === SPACE ? { key, after: after + 1 } : undefined;
  }

  /** A value on the line of its key or dash. Leaves the reader on the next line with content. */
  #inline(at: number, indent: number): SourceNode {
    const end = this.#endOf(this.#line);
    const code = this.#text.charCodeAt(at);
    if (code === BAR) return this.#literal(at, end, indent);
    let node: SourceNode;
    let after: number;
    if (code === DOUBLE || code === SINGLE) {
      after = this.#quoteEnd(at, end);
      node = scalarNode(this.#quoted(at, after), at);
    } else if (code === 0x5b || code === 0x7b) {
      const flow = new FlowReader(this.#text, at, end);
      node = flow.value(this.#depth);
      after = flow.at;
    } else {
      const word = this.#plain(at, end);
      node = scalarNode(plainScalar(word), at);
      after = at + word.length;
    }
    const rest = this.#spaces(after);
    const isCommented = rest > after && this.#text.charCodeAt(rest) === HASH;
    if (rest < end && !isCommented) refuse();
    this.#line += 1;
    this.#skip();
    // A deeper line would continue this value.
    if (this.#line < this.#last && this.#indent() > indent) refuse();
    return node;
  }

  #plain(at: number, end: number): string {
    const first = this.#text.charCodeAt(at);
    if (INDICATORS.has(first) || (first === DASH && this.#isItem(at))) refuse();
    let stop = at;
    let last = at;
    for (; stop < end; stop++) {
      const code = this.#text.charCodeAt(stop);
      if (code === SPACE) continue;
      if (code === HASH && this.#text.charCodeAt(stop - 1) === SPACE) break;
      if (code === COLON) {
        const next = this.#text.charCodeAt(stop + 1);
        if (next === SPACE || stop + 1 >= end) refuse();
      }
      last = stop + 1;
    }
    return this.#text.slice(at, last);
  }

  #quoteEnd(at: number, end: number): number {
    return quoteEnd(this.#text, at, end);
  }

  #quoted(at: number, after: number): string {
    return quotedText(this.#text, at, after);
  }

  /** A text of several lines, kept as it is. */
  #literal(at: number, end: number, indent: number): SourceNode {
    const header = /^\|(-?) *(?: #.*)?$/.exec(this.#text.slice(at, end)) ?? refuse();
    const isStripped = header[1] === '-';
    const lines: string[] = [];
    let own = -1;
    let line = this.#line + 1;
    for (; line < this.#last; line++) {
      const start = this.#starts[line] ?? 0;
      const stop = this.#endOf(line);
      const spaces = this.#indents[line] ?? 0;
      if (start + spaces >= stop) {
        // Blank lines longer than the indent are part of the text; the full parser knows how.
        if (own === -1 ? spaces > 0 : spaces > own) refuse();
        lines.push('');
        continue;
      }
      if (own === -1) {
        if (spaces <= indent) break;
        own = spaces;
      }
      if (spaces < own) {
        if (spaces > indent) refuse();
        break;
      }
      lines.push(this.#text.slice(start + own, stop));
    }
    if (own === -1) refuse();
    this.#line = line;
    this.#skip();
    while (lines.at(-1) === '') lines.pop();
    return scalarNode(lines.join('\n') + (isStripped ? '' : '\n'), at);
  }
}

/** Behind the closing quote. */
function quoteEnd(text: string, at: number, end: number): number {
  const quote = text.charCodeAt(at);
  for (let next = at + 1; next < end; next++) {
    const code = text.charCodeAt(next);
    if (code === 0x5c && quote === DOUBLE) next += 1;
    else if (code === quote) {
      if (quote === SINGLE && text.charCodeAt(next + 1) === SINGLE) next += 1;
      else return next + 1;
    }
  }
  return refuse();
}

/** Escapes that JSON does not have; they are left to the full parser. */
const OTHER_ESCAPE = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/;

function quotedText(text: string, at: number, after: number): string {
  const inner = text.slice(at + 1, after - 1);
  if (text.charCodeAt(at) === SINGLE) return inner.replaceAll("''", "'");
  if (!inner.includes('\\')) return inner;
  const unescaped = inner.replaceAll('\\\\', '');
  if (OTHER_ESCAPE.test(unescaped) || unescaped.includes('\\u')) refuse();
  return JSON.parse(text.slice(at, after)) as string;
}

/** `[a, b]` and `{a: b}` on one line. */
class FlowReader {
  readonly #text: string;
  readonly #end: number;
  at: number;

  constructor(text: string, at: number, end: number) {
    this.#text = text;
    this.at = at;
    this.#end = end;
  }

  #code(): number {
    return this.at < this.#end ? this.#text.charCodeAt(this.at) : refuse();
  }

  #spaces(): void {
    while (this.at < this.#end && this.#text.charCodeAt(this.at) === SPACE) this.at += 1;
  }

  value(depth: number): SourceNode {
    if (depth > MAX_DEPTH) refuse();
    const start = this.at;
    const code = this.#code();
    if (code === 0x5b)
      return listNode(
        this.#members(0x5d, () => this.value(depth + 1)),
        start,
      );
    if (code === 0x7b) {
      const entries = this.#members(0x7d, () => this.#entry(depth));
      if (new Set(entries.map(({ key }) => key)).size < entries.length) refuse();
      return mapNode(entries, start);
    }
    if (code === DOUBLE || code === SINGLE) {
      this.at = quoteEnd(this.#text, start, this.#end);
      return scalarNode(quotedText(this.#text, start, this.at), start);
    }
    return scalarNode(plainScalar(this.#word()), start);
  }

  #members<T>(close: number, read: () => T): readonly T[] {
    this.at += 1;
    this.#spaces();
    const members: T[] = [];
    if (this.#code() === close) {
      this.at += 1;
      return members;
    }
    for (;;) {
      members.push(read());
      this.#spaces();
      const code = this.#code();
      this.at += 1;
      if (code === close) return members;
      if (code !== COMMA) refuse();
      this.#spaces();
    }
  }

  #entry(depth: number): Entry {
    const keyAt = this.at;
    const node = this.value(MAX_DEPTH);
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || node.value === '<<') return refuse();
    if (this.#code() !== COLON || this.#text.charCodeAt(this.at + 1) !== SPACE) refuse();
    this.at += 1;
    this.#spaces();
    const code = this.#code();
    if (code === COMMA || code === 0x7d) refuse();
    return { key: node.value, keyAt, value: this.value(depth + 1) };
  }

  #word(): string {
    const start = this.at;
    const first = this.#code();
    const second = this.#text.charCodeAt(start + 1);
    if (INDICATORS.has(first) || (first === DASH && (second === SPACE || second === COMMA))) refuse();
    if (first === DASH && !/[A-Za-z0-9./-]/.test(this.#text.charAt(start + 1))) refuse();
    let last = start;
    for (; this.at < this.#end; this.at += 1) {
      const code = this.#text.charCodeAt(this.at);
      if (code === SPACE) continue;
      if (code === COMMA || code === 0x5d || code === 0x7d) break;
      if (code === 0x5b || code === 0x7b || code === HASH) refuse();
      if (code === COLON) {
        const next = this.#text.charAt(this.at + 1);
        if (next === ' ') break;
        if (!/[A-Za-z0-9/._-]/.test(next)) refuse();
      }
      last = this.at + 1;
    }
    // Blanks before a colon belong to neither key nor value; rare enough to be left to the full parser.
    if (this.at < this.#end && this.#text.charCodeAt(this.at) === COLON && last < this.at) refuse();
    return this.#text.slice(start, last);
  }
}
