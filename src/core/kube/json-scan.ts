/**
 * A JSON scanner that builds nothing: it finds where a document breaks the grammar, how deep it nests and which keys it
 * repeats. The platform's parser does the real reading; the scanner runs for the answers that the parser cannot give.
 */
import { goQuote } from './go-text.ts';

export interface SyntaxProblem {
  readonly reason: string;
  readonly offset: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The offset of the bracket that goes beyond `limit` levels, or -1. */
export function nestsDeeperThan(text: string, limit: number): number {
  // Each level takes a bracket on either side, and too few brackets cannot nest too deep: hopping from one to the next
  // costs a tenth of reading every character, and settles all but long documents.
  if (text.length <= limit * 2) return -1;
  const left = limit - countUpTo(text, '{', limit);
  if (left >= 0 && countUpTo(text, '[', left) <= left) return -1;
  return measureDepth(text, limit);
}

/** How often the character occurs; stops counting at one above the limit. */
function countUpTo(text: string, character: string, limit: number): number {
  let count = 0;
  for (let i = text.indexOf(character); i !== -1 && count <= limit; i = text.indexOf(character, i + 1)) count++;
  return count;
}

function measureDepth(text: string, limit: number): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = stringEnd(text, i);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return i;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return -1;
}

/** The index of the quote that closes the string opened at `start`, or the last index of the text. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  return text.length - 1;
}

class Broken extends Error {
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

/** A position in a document, by whether the decoder looks at the keys of the value there. */
export interface Place {
  /** The places below: `undefined` where the decoder takes the value as a whole and ignores its keys. */
  member(key: string): Place | undefined;
  item(): Place | undefined;
}

/** A document that is read into maps: every key of every object counts. */
export const EVERYWHERE: Place = { member: () => EVERYWHERE, item: () => EVERYWHERE };

/** A level that is open: an object with the keys seen so far, or an array with the index it stands at. */
interface Level {
  readonly keys: Set<string> | undefined;
  readonly place: Place | undefined;
  key: string;
  index: number;
}

interface Visitor {
  readonly document: Place;
  /** Called for a key that its object already had, with the levels that lead there and where its value starts. */
  duplicate(levels: readonly Level[], valueAt: number): void;
}

/** Where and how the text fails to be one JSON document; `undefined` when it is one. */
export function findSyntaxError(text: string): SyntaxProblem | undefined {
  try {
    walk(text, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return { reason: error.message, offset: error.offset };
    throw error;
  }
}

/** Duplicates that upstream lists at most. */
const MAX_DUPLICATES = 100;
/** Characters of paths that are written at most: deep levels with long keys would multiply. */
const MAX_PATH_CHARACTERS = 64 * 1024;

/** Colons that a plain search for `":` would not find. */
const SPACE_BEFORE_COLON = /"[ \t\r\n]+:/;

/**
 * Whether the text of `value` may hold a key twice in one object. A key twice in the text is once in the value, so equal
 * counts rule it out; a `":` within a string only makes the text's count too high, which costs a closer look.
 */
export function mayRepeatKeys(text: string, value: unknown): boolean {
  if (SPACE_BEFORE_COLON.test(text)) return true;
  let inText = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) inText++;
  return inText !== countKeys(value);
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) count += countKeys(value[i]);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as { readonly [key: string]: unknown })[key]);
  return count;
}

/**
 * Paths of keys that are repeated within one object (`spec.containers[0].name`), each path once, in order of appearance.
 * `document` says where keys are looked at; without it, everywhere.
 */
export function findDuplicateFields(text: string, document: Place = EVERYWHERE): readonly string[] {
  const found = new Set<string>();
  let written = 0;
  walk(text, {
    document,
    duplicate(levels) {
      if (found.size >= MAX_DUPLICATES || written > MAX_PATH_CHARACTERS) return;
      const path = pathOf(levels);
      written += path.length;
      found.add(path);
    },
  });
  return [...found];
}

/** Keys that are repeated within one object, each time with the line of its value (counted from 1), in order. */
export function findDuplicateLines(text: string): readonly { readonly key: string; readonly line: number }[] {
  const found: { readonly key: string; readonly line: number }[] = [];
  let line = 1;
  let counted = 0;
  walk(text, {
    document: EVERYWHERE,
    duplicate(levels, valueAt) {
      if (found.length >= MAX_DUPLICATES) return;
      for (let at = text.indexOf('\n', counted); at !== -1 && at < valueAt; at = text.indexOf('\n', at + 1)) line++;
      counted = valueAt;
      found.push({ key: levels.at(-1)?.key ?? '', line });
    },
  });
  return found;
}

function walk(text: string, visitor: Visitor | undefined): void {
  const levels: Level[] = [];
  let at = skipSpace(text, 0);
  for (;;) {
    // A value starts at `at`.
    const code = text.charCodeAt(at);
    if (code === 0x7b) {
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== 0x7d) {
        const place = placeWithin(levels.at(-1), visitor);
        levels.push({ keys: place === undefined ? undefined : new Set(), place, key: '', index: -1 });
        at = readKey(text, at, levels, visitor);
        continue;
      }
      at++;
    } else if (code === 0x5b) {
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== 0x5d) {
        levels.push({ keys: undefined, place: placeWithin(levels.at(-1), visitor), key: '', index: 0 });
        continue;
      }
      at++;
    } else {
      at = readScalar(text, at);
    }
    // A value has ended: close what closes, then go on to the next value.
    for (;;) {
      at = skipSpace(text, at);
      const level = levels.at(-1);
      if (level === undefined) {
        if (at < text.length) throw unexpected(text, at, 'after top-level value');
        return;
      }
      const next = text.charCodeAt(at);
      if (level.index >= 0) {
        if (next === 0x2c) {
          level.index++;
          at = skipSpace(text, at + 1);
          break;
        }
        if (next !== 0x5d) throw unexpected(text, at, 'after array element');
      } else {
        if (next === 0x2c) {
          at = readKey(text, skipSpace(text, at + 1), levels, visitor);
          break;
        }
        if (next !== 0x7d) throw unexpected(text, at, 'after object key:value pair');
      }
      levels.pop();
      at++;
    }
  }
}

const placeWithin = (level: Level | undefined, visitor: Visitor | undefined): Place | undefined =>
  level === undefined ? visitor?.document : level.index >= 0 ? level.place?.item() : level.place?.member(level.key);

/** Reads `"key" :` and answers with where its value starts. */
function readKey(text: string, start: number, levels: readonly Level[], visitor: Visitor | undefined): number {
  if (text.charCodeAt(start) !== QUOTE) throw unexpected(text, start, 'looking for beginning of object key string');
  const end = readString(text, start);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== 0x3a) throw unexpected(text, colon, 'after object key');
  const valueAt = skipSpace(text, colon + 1);
  const level = levels.at(-1);
  if (visitor !== undefined && level !== undefined && level.keys !== undefined) {
    const key = text.slice(start + 1, end - 1);
    level.key = key.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : key;
    if (level.keys.has(level.key)) visitor.duplicate(levels, valueAt);
    else level.keys.add(level.key);
  }
  return valueAt;
}

function pathOf(levels: readonly Level[]): string {
  let path = '';
  for (const { index, key } of levels) {
    if (index >= 0) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}

function skipSpace(text: string, start: number): number {
  let i = start;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return i;
}

/**
 * Contexts in which a space is an error too. Go ends its input with a space, and reports that one at the end of the
 * text.
 */
const TIGHT_CONTEXT = /^in (?!string literal)|^after decimal/;

function unexpected(text: string, at: number, context: string): Broken {
  const point = text.codePointAt(at);
  if (point === undefined) {
    return new Broken(
      TIGHT_CONTEXT.test(context) ? `invalid character ' ' ${context}` : 'unexpected end of JSON input',
      at,
    );
  }
  const character = String.fromCodePoint(point);
  const shown = character === "'" ? "'\\''" : character === '"' ? `'"'` : `'${goQuote(character).slice(1, -1)}'`;
  return new Broken(`invalid character ${shown} ${context}`, at);
}

/** Reads a string, number or literal and answers with where it ended. */
function readScalar(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return readString(text, start);
  if (code === 0x74) return readLiteral(text, start, 'true');
  if (code === 0x66) return readLiteral(text, start, 'false');
  if (code === 0x6e) return readLiteral(text, start, 'null');
  if (code === 0x2d || isDigit(code)) return readNumber(text, start);
  throw unexpected(text, start, 'looking for beginning of value');
}

function readLiteral(text: string, start: number, literal: string): number {
  for (let i = 1; i < literal.length; i++) {
    if (text[start + i] !== literal[i]) {
      throw unexpected(text, start + i, `in literal ${literal} (expecting '${literal[i]}')`);
    }
  }
  return start + literal.length;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function digitsEnd(text: string, start: number, context: string): number {
  let i = start;
  while (isDigit(text.charCodeAt(i))) i++;
  if (i === start) throw unexpected(text, i, context);
  return i;
}

function readNumber(text: string, start: number): number {
  let i = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  i = text.charCodeAt(i) === 0x30 ? i + 1 : digitsEnd(text, i, 'in numeric literal');
  if (text.charCodeAt(i) === 0x2e) i = digitsEnd(text, i + 1, 'after decimal point in numeric literal');
  if ((text.charCodeAt(i) | 0x20) === 0x65) {
    const sign = text.charCodeAt(i + 1);
    i = digitsEnd(text, sign === 0x2b || sign === 0x2d ? i + 2 : i + 1, 'in exponent of numeric literal');
  }
  return i;
}

function readString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code < 0x20) throw unexpected(text, i, 'in string literal');
    if (code === BACKSLASH) i = readEscape(text, i + 1);
  }
  throw unexpected(text, text.length, '');
}

/** Reads what follows a backslash and answers with its last index. */
function readEscape(text: string, start: number): number {
  if ('"\\/bfnrt'.includes(text[start] ?? ' ')) return start;
  if (text[start] !== 'u') throw unexpected(text, start, 'in string escape code');
  for (let i = start + 1; i <= start + 4; i++) {
    if (!/^[0-9a-fA-F]$/.test(text[i] ?? '')) throw unexpected(text, i, 'in \\u hexadecimal character escape');
  }
  return start + 4;
}
