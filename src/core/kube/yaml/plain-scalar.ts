/**
 * The value of a word without quotes. As in YAML 1.2, but for one rule of YAML 1.1 that Kubernetes' tools follow and whose lack would
 * be costly: a leading zero means octal, so that `defaultMode: 0440` is the mode it looks like.
 */
/** First characters of words that may be no text; most words begin otherwise. */
const SPECIAL = /^(?:[-+.~0-9tTfFnN]|$)/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const TRUE = /^(?:true|True|TRUE)$/;
const FALSE = /^(?:false|False|FALSE)$/;
const DECIMAL = /^[-+]?(?:0|[1-9][0-9]{0,39})$/;
const OCTAL = /^0o?[0-7]{1,21}$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]{1,16}$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

const integer = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

export function plainScalar(text: string): string | number | bigint | boolean | null {
  if (!SPECIAL.test(text)) return text;
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (DECIMAL.test(text)) return integer(BigInt(text.startsWith('+') ? text.slice(1) : text));
  if (OCTAL.test(text)) return integer(BigInt(`0o${text.replace(/^0o?/, '')}`));
  if (HEXADECIMAL.test(text)) return integer(BigInt(text));
  if (FLOAT.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : text;
  }
  return text;
}
