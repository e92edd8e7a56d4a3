/** Values of literals. */
import type { Literal } from './ast.ts';
import type { TokenType } from './lexer.ts';
import { unescapeBytes, unescapeString, type Unescaped } from './unescape.ts';
import { CelUint } from './values/values.ts';

const MAX_INT64 = 9223372036854775807n;
const MAX_UINT64 = 18446744073709551615n;
/** Longer numbers are out of range unless they are mostly zeros; upstream would still read those. */
const MAX_DIGITS = 1000;

export function readLiteral(type: TokenType, text: string, negative: boolean): Unescaped<Literal> {
  if (type === 'NUM_INT') return readInt(text, negative);
  if (type === 'NUM_UINT') return readUint(text.slice(0, -1));
  if (type === 'NUM_FLOAT') {
    const value = Number(text) * (negative ? -1 : 1);
    return Number.isFinite(value) ? { value } : { error: 'invalid double literal' };
  }
  if (type === 'STRING') return unescapeString(text);
  if (type === 'BYTES') return unescapeBytes(text.slice(1));
  return { value: type === "'null'" ? null : type === "'true'" };
}

function readInt(text: string, negative: boolean): Unescaped<Literal> {
  const value = text.length > MAX_DIGITS ? MAX_UINT64 : BigInt(text) * (negative ? -1n : 1n);
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n ? { value } : { error: 'invalid int literal' };
}

function readUint(text: string): Unescaped<Literal> {
  const value = text.length > MAX_DIGITS ? MAX_UINT64 + 1n : BigInt(text);
  return value <= MAX_UINT64 ? { value: new CelUint(value) } : { error: 'invalid uint literal' };
}
