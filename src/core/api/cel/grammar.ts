/** Which tokens may stand where. */
import { TOKEN_NAMES, type TokenType } from './lexer.ts';

export const START: readonly TokenType[] = [
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
];
export const STARTS: ReadonlySet<TokenType> = new Set(START);
export const RELATIONS: ReadonlyMap<TokenType, string> = new Map<TokenType, string>([
  ["'<'", '_<_'],
  ["'<='", '_<=_'],
  ["'>='", '_>=_'],
  ["'>'", '_>_'],
  ["'=='", '_==_'],
  ["'!='", '_!=_'],
  ["'in'", '@in'],
]);
export const SUMS: ReadonlyMap<TokenType, string> = new Map<TokenType, string>([
  ["'+'", '_+_'],
  ["'-'", '_-_'],
]);
export const PRODUCTS: ReadonlyMap<TokenType, string> = new Map<TokenType, string>([
  ["'*'", '_*_'],
  ["'/'", '_/_'],
  ["'%'", '_%_'],
]);
/** Tokens that may follow an operand anywhere. */
export const OPERATORS: ReadonlySet<TokenType> = new Set<TokenType>([
  ...RELATIONS.keys(),
  ...SUMS.keys(),
  ...PRODUCTS.keys(),
  "'&&'",
  "'||'",
  "'?'",
  "'.'",
  "'['",
]);

/** The expected tokens, as messages list them. */
export function expectingText(types: readonly TokenType[]): string {
  const sorted = TOKEN_NAMES.filter((name) => types.includes(name));
  return sorted.length === 1 ? (sorted[0] ?? '') : `{${sorted.join(', ')}}`;
}
