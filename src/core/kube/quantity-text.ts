/** The grammar of quantities: sign, digits, and one of three families of suffixes. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

export type ParsedQuantity =
  | {
      readonly ok: true;
      readonly mantissa: bigint;
      readonly scale: number;
      readonly format: QuantityFormat;
      /** The text itself, when Kubernetes would print it back unchanged. */
      readonly canonical?: string;
    }
  | { readonly ok: false; readonly error: string };

const wrong = (error: string): ParsedQuantity => ({ ok: false, error });
const FORMAT_WRONG = wrong(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);
const SUFFIX_WRONG = wrong("unable to parse quantity's suffix");

/** Guards against texts and exponents made to exhaust memory; no honest quantity comes near. */
const MAX_TEXT_LENGTH = 1000;
const MAX_EXPONENT = 1000;

const NANO = -9;
const MAX_INT64 = 9223372036854775807n;

interface Suffix {
  readonly format: QuantityFormat;
  /** Power of ten, or of two for BinarySI. */
  readonly exponent: number;
}

const SUFFIXES = new Map<string, Suffix>([
  ...(
    [
      ['n', -9],
      ['u', -6],
      ['m', -3],
      ['', 0],
      ['k', 3],
      ['M', 6],
      ['G', 9],
      ['T', 12],
      ['P', 15],
      ['E', 18],
    ] as const
  ).map(([suffix, exponent]): [string, Suffix] => [suffix, { format: 'DecimalSI', exponent }]),
  ...(['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const).map((suffix, index): [string, Suffix] => [
    suffix,
    { format: 'BinarySI', exponent: (index + 1) * 10 },
  ]),
]);

function interpretSuffix(text: string): Suffix | undefined {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  const first = text.charCodeAt(0) | 0x20;
  // `e` or `E`, a sign if any, and digits.
  if (first !== 0x65 || !/^[+-]?\d+$/.test(text.slice(1))) return undefined;
  const exponent = Number(text.slice(1));
  return Math.abs(exponent) > 2147483647 ? undefined : { format: 'DecimalExponent', exponent };
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isSuffixLetter = (character: string): boolean => 'eEinumkKMGTP'.includes(character);

function digitsEnd(text: string, start: number): number {
  let i = start;
  while (i < text.length && isDigit(text.charCodeAt(i))) i++;
  return i;
}

export function parseQuantityText(text: string): ParsedQuantity {
  if (text === '' || text.length > MAX_TEXT_LENGTH) return FORMAT_WRONG;

  const sign = text.charCodeAt(0);
  let at = sign === 0x2b || sign === 0x2d ? 1 : 0;
  while (at < text.length && text.charCodeAt(at) === 0x30) at++;
  if (at === text.length) return { ok: true, mantissa: 0n, scale: 0, format: 'DecimalSI' };

  let end = digitsEnd(text, at);
  const whole = end === at ? '0' : text.slice(at, end);
  let fraction = '';
  if (text.charCodeAt(end) === 0x2e) {
    const start = end + 1;
    end = digitsEnd(text, start);
    fraction = text.slice(start, end);
  }

  const suffixStart = end;
  while (end < text.length && isSuffixLetter(text.charAt(end))) end++;
  if (text.charCodeAt(end) === 0x2b || text.charCodeAt(end) === 0x2d) end++;
  if (digitsEnd(text, end) !== text.length) return FORMAT_WRONG;
  const suffix = interpretSuffix(text.slice(suffixStart));
  if (suffix === undefined) return SUFFIX_WRONG;

  return assemble(text, sign === 0x2d, whole, fraction, suffix);
}

function assemble(text: string, negative: boolean, whole: string, fraction: string, suffix: Suffix): ParsedQuantity {
  const digits = whole + fraction;
  const unsigned = BigInt(digits);
  const { format, exponent } = suffix;

  if (format !== 'BinarySI') {
    const scale = exponent - fraction.length;
    if (unsigned === 0n) return { ok: true, mantissa: 0n, scale: 0, format };
    if (scale > MAX_EXPONENT) return SUFFIX_WRONG;
    const [mantissa, kept] = atLeastNano(unsigned, scale);
    const signed = negative ? -mantissa : mantissa;
    // Kubernetes keeps the text of a quantity that looks canonical, leading zeros, plus signs and `1.500` included.
    const looksCanonical =
      digits.length <= 18 && scale >= NANO && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
    return { ok: true, mantissa: signed, scale: kept, format, ...(looksCanonical ? { canonical: text } : {}) };
  }

  const factor = 1n << BigInt(exponent);
  if (fraction === '') {
    const product = unsigned * factor;
    const direct = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0 && product <= MAX_INT64;
    const capped = product > MAX_INT64 ? MAX_INT64 : product;
    const looksCanonical = direct && (unsigned & 7n) !== 0n;
    return {
      ok: true,
      mantissa: negative ? -capped : capped,
      scale: 0,
      format,
      ...(looksCanonical ? { canonical: text } : {}),
    };
  }

  const [mantissa, scale] = atLeastNano(unsigned * factor, -fraction.length);
  const one = 10n ** BigInt(-scale);
  if (mantissa > MAX_INT64 * one) return { ok: true, mantissa: negative ? -MAX_INT64 : MAX_INT64, scale: 0, format };
  return {
    ok: true,
    mantissa: negative ? -mantissa : mantissa,
    scale,
    // Less than one of anything binary is printed in decimal.
    format: mantissa > 0n && mantissa < one ? 'DecimalSI' : format,
  };
}

/** Rounds amounts finer than a billionth up to one billionth, so that a request never becomes zero. */
function atLeastNano(mantissa: bigint, scale: number): readonly [bigint, number] {
  if (scale >= NANO) return [mantissa, scale];
  const shift = NANO - scale;
  if (shift > MAX_TEXT_LENGTH) return [mantissa === 0n ? 0n : 1n, NANO];
  const power = 10n ** BigInt(shift);
  return [(mantissa + power - 1n) / power, NANO];
}
