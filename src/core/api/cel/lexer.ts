/** Tokens of the language. Text that is no token is reported and skipped, as the generated lexer upstream does. */

/** In the order in which messages list them. */
export const TOKEN_NAMES = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
  '<EOF>',
] as const;

export type TokenType = (typeof TOKEN_NAMES)[number];

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly at: number;
}

export interface LexerIssue {
  readonly at: number;
  readonly message: string;
}

const SYMBOLS: ReadonlyMap<string, TokenType> = new Map(
  TOKEN_NAMES.filter((name) => name.startsWith("'") && !/[a-z]/.test(name)).map((name) => [name.slice(1, -1), name]),
);
const WORDS: ReadonlyMap<string, TokenType> = new Map([
  ['in', "'in'"],
  ['true', "'true'"],
  ['false', "'false'"],
  ['null', "'null'"],
]);

const SPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED_NAME = /`[A-Za-z0-9_.\-/ ]+`/y;
const FLOAT = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const INTEGER = /0x[0-9a-fA-F]+|[0-9]+/y;
const STRING_START = /[bB]?[rR]?(?:'''|"""|'|")/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function tokenize(source: string, report: (issue: LexerIssue) => void): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    at += matchAt(SPACE, source, at)?.length ?? 0;
    if (at >= source.length) break;
    const token = readToken(source, at);
    if (typeof token === 'object') {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    // The error names the character that does not fit and the text before it; both are skipped.
    const end = Math.min(source.length, token + characterLength(source, token));
    report({ at, message: `token recognition error at: '${displayText(source.slice(at, end))}'` });
    at = end;
  }
  tokens.push({ type: '<EOF>', text: '<EOF>', at: source.length });
  return tokens;
}

const characterLength = (source: string, at: number): number => ((source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const displayText = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');

/** The longest token here, or the offset of the character at which every token failed. */
function readToken(source: string, at: number): Token | number {
  const start = matchAt(STRING_START, source, at);
  let failedAt = at;
  if (start !== undefined) {
    const end = stringEnd(source, at, start);
    if (end > 0) return { type: /^[bB]/.test(start) ? 'BYTES' : 'STRING', text: source.slice(at, end), at };
    failedAt = -end;
  }
  const name = matchAt(NAME, source, at);
  if (name !== undefined) return { type: WORDS.get(name) ?? 'IDENTIFIER', text: name, at };
  if (start !== undefined) return failedAt;
  const float = matchAt(FLOAT, source, at);
  if (float !== undefined) return { type: 'NUM_FLOAT', text: float, at };
  const integer = matchAt(INTEGER, source, at);
  if (integer !== undefined) {
    const unsigned = source[at + integer.length];
    if (unsigned === 'u' || unsigned === 'U') return { type: 'NUM_UINT', text: integer + unsigned, at };
    return { type: 'NUM_INT', text: integer, at };
  }
  const escaped = matchAt(ESCAPED_NAME, source, at);
  if (escaped !== undefined) return { type: 'ESC_IDENTIFIER', text: escaped, at };
  const two = source.slice(at, at + 2);
  const symbol = SYMBOLS.get(two) ?? SYMBOLS.get(two.slice(0, 1));
  if (symbol !== undefined) return { type: symbol, text: symbol.slice(1, -1), at };
  // `&`, `|` and `=` begin longer tokens: the character after them is the one that does not fit.
  return two[0] === '&' || two[0] === '|' || two[0] === '=' ? at + 1 : at;
}

const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

/** The end of the string that opens here; minus the offset of the first wrong character, if the string is malformed. */
function stringEnd(source: string, at: number, start: string): number {
  const raw = /[rR]/.test(start);
  const long = start.endsWith("'''") || start.endsWith('"""');
  const quote = long ? start.slice(-3) : start.slice(-1);
  let i = at + start.length;
  while (i < source.length) {
    if (source.startsWith(quote, i)) return i + quote.length;
    const character = source[i];
    if (!raw && character === '\\') {
      const escape = matchAt(ESCAPE, source, i);
      if (escape === undefined) return shortFallback(source, at, start) ?? -badEscapeAt(source, i);
      i += escape.length;
      continue;
    }
    if (!long && (character === '\n' || character === '\r')) return -i;
    i++;
  }
  return shortFallback(source, at, start) ?? -source.length;
}

/** `"""` that is never closed still begins with an empty string. */
function shortFallback(_source: string, at: number, start: string): number | undefined {
  return start.endsWith("'''") || start.endsWith('"""') ? at + start.length - 1 : undefined;
}

/** The character at which an escape goes wrong. */
function badEscapeAt(source: string, backslash: number): number {
  const kind = source[backslash + 1] ?? '';
  const digits = { x: 2, X: 2, u: 4, U: 8 }[kind];
  if (digits !== undefined) {
    let i = backslash + 2;
    while (i < backslash + 2 + digits && /[0-9a-fA-F]/.test(source[i] ?? '')) i++;
    return Math.min(i, source.length);
  }
  if (/[0-3]/.test(kind)) {
    const second = backslash + 2;
    return /[0-7]/.test(source[second] ?? '') ? second + 1 : second;
  }
  return Math.min(backslash + 1, source.length);
}
