/**
 * Plain scalars as Kubernetes' YAML reader takes them. That reader follows YAML 1.1 where it hurts most: `yes`, `no`, `on`, `off`, `y`
 * and `n` are booleans and a leading zero means octal; sexagesimals and dates it leaves alone.
 */
import type { ScalarTag } from 'yaml';

const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;
/** Longer than any integer there is a place for, in the widest notation. */
const MOST_DIGITS = 80;

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const INTEGER = /^[-+]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][\d_]*)$/;
const FLOAT = /^[-+]?(?:\.[\d_]+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?$/;

/** A number too large for a double stays text. */
function float(text: string): number | string {
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : text;
}

function integer(text: string): bigint | undefined {
  const isNegative = text.startsWith('-');
  const plain = text.replaceAll('_', '').replace(/^[-+]/, '');
  if (plain.length > MOST_DIGITS) return undefined;
  const value = BigInt(/^0[0-7]+$/.test(plain) ? `0o${plain.slice(1)}` : plain.toLowerCase());
  const signed = isNegative ? -value : value;
  return signed < MIN_INT64 || signed > MAX_UINT64 ? undefined : signed;
}

const plain = (name: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag => ({
  tag: `tag:yaml.org,2002:${name}`,
  default: true,
  test,
  resolve,
});

export const GO_SCALARS: readonly ScalarTag[] = [
  plain('null', /^(?:~|[Nn]ull|NULL)?$/, () => null),
  plain('bool', /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON|n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/, (text) =>
    TRUE.test(text),
  ),
  plain('int', INTEGER, (text) => integer(text) ?? float(text)),
  plain('float', FLOAT, float),
  plain('float', /^(?:\.nan|\.NaN|\.NAN)$/, () => NaN),
  plain('float', /^[-+]?(?:\.inf|\.Inf|\.INF)$/, (text) => (text.startsWith('-') ? -Infinity : Infinity)),
  { tag: 'tag:yaml.org,2002:binary', resolve: (text: string) => Buffer.from(text, 'base64').toString('utf8') },
];
