/** The value of a string or bytes literal: quotes off, escapes resolved. */

const SIMPLE: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
]);

export type Unescaped<T> = { readonly value: T } | { readonly error: string };

const CANNOT = 'unable to unescape string';
const INVALID = 'invalid unicode code point';

interface Quoted {
  readonly raw: boolean;
  readonly text: string;
}

/** The lexer has seen to it that quotes match. Line ends are one character everywhere. */
function unquote(literal: string): Quoted {
  const text = literal.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const raw = text.startsWith('r') || text.startsWith('R');
  const quoted = raw ? text.slice(1) : text;
  const width = quoted.length >= 6 && (quoted.startsWith("'''") || quoted.startsWith('"""')) ? 3 : 1;
  return { raw, text: quoted.slice(width, -width) };
}

export function unescapeString(literal: string): Unescaped<string> {
  const { raw, text } = unquote(literal);
  if (raw || !text.includes('\\')) return { value: text };
  let value = '';
  for (let i = 0; i < text.length;) {
    if (text[i] !== '\\') {
      value += text[i];
      i++;
      continue;
    }
    const escape = readEscape(text, i);
    if (escape === undefined) return { error: CANNOT };
    if (escape.code > 0x10ffff || (escape.code >= 0xd800 && escape.code < 0xe000)) return { error: INVALID };
    value += String.fromCodePoint(escape.code);
    i += escape.length;
  }
  return { value };
}

export function unescapeBytes(literal: string): Unescaped<Uint8Array> {
  const { raw, text } = unquote(literal);
  if (raw || !text.includes('\\')) return { value: new TextEncoder().encode(text) };
  const parts: Uint8Array[] = [];
  for (let i = 0; i < text.length;) {
    if (text[i] !== '\\') {
      const end = text.indexOf('\\', i);
      const stop = end < 0 ? text.length : end;
      parts.push(new TextEncoder().encode(text.slice(i, stop)));
      i = stop;
      continue;
    }
    const escape = readEscape(text, i);
    if (escape === undefined || escape.unicode) return { error: CANNOT };
    parts.push(new Uint8Array([escape.code]));
    i += escape.length;
  }
  return { value: new Uint8Array(Buffer.concat(parts)) };
}

function readEscape(text: string, at: number): { code: number; length: number; unicode: boolean } | undefined {
  const kind = text[at + 1] ?? '';
  const simple = SIMPLE.get(kind);
  if (simple !== undefined) return { code: simple, length: 2, unicode: false };
  const digits = { x: 2, X: 2, u: 4, U: 8 }[kind];
  if (digits !== undefined) {
    const hex = text.slice(at + 2, at + 2 + digits);
    if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
    return { code: Number.parseInt(hex, 16), length: 2 + digits, unicode: digits > 2 };
  }
  const octal = text.slice(at + 1, at + 4);
  if (!/^[0-3][0-7]{2}$/.test(octal)) return undefined;
  return { code: Number.parseInt(octal, 8), length: 4, unicode: false };
}
