/** `'%s is %d'.format([name, age])`, at run time and, as far as types tell, when compiled. */
import { goQuote, compareBytes } from '../../../kube/go-text.ts';
import { convert } from '../values/convert.ts';
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isError,
  typeNameOf,
  type CelValue,
  type Val,
} from '../values/values.ts';
import { work, workText } from '../values/work.ts';

export type Clause = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

export const CLAUSE_PROBLEMS: { readonly [clause in Clause]: string } = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ',
  d: 'decimal clause can only be used on integers, was given ',
  f: 'fixed-point clause can only be used on doubles, was given ',
  e: 'scientific clause can only be used on doubles, was given ',
  b: 'only integers and bools can be formatted as binary, was given ',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  o: 'octal clause can only be used on integers, was given ',
};

export type FormatPiece =
  | { readonly text: string }
  | { readonly clause: Clause; readonly precision: number | undefined }
  /** Reported when formatting gets here, unless the argument is missing. */
  | { readonly problem: string };

const CLAUSES: ReadonlySet<string> = new Set(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o']);
const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 1000;

const UNPARSED = 'could not parse formatting clause: ';

/** The format taken apart; reading stops at the first problem. */
export function parseFormat(format: string): readonly FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let text = '';
  let i = 0;
  while (i < format.length) {
    const character = format[i] ?? '';
    if (character !== '%') {
      text += character;
      i++;
      continue;
    }
    if (format[i + 1] === '%') {
      text += '%';
      i += 2;
      continue;
    }
    if (text !== '') pieces.push({ text });
    text = '';
    const { piece, length } = parseClause(format, i + 1);
    pieces.push(piece);
    if ('problem' in piece) return pieces;
    i += 1 + length;
  }
  if (text !== '') pieces.push({ text });
  return pieces;
}

function parseClause(format: string, at: number): { piece: FormatPiece; length: number } {
  const fail = (problem: string): { piece: FormatPiece; length: number } => ({ piece: { problem }, length: 0 });
  if (at >= format.length) return fail('unexpected end of string');
  let i = at;
  let precision: number | undefined;
  if (format[i] === '.') {
    const digits = /^[0-9]*/.exec(format.slice(i + 1))?.[0] ?? '';
    i += 1 + digits.length;
    const wrong = `${UNPARSED}error while parsing precision: `;
    if (i >= format.length) return fail(`${wrong}could not find end of precision specifier`);
    if (digits === '') {
      return fail(`${wrong}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`);
    }
    precision = Number(digits);
  }
  const clause = format[i] ?? '';
  if (!CLAUSES.has(clause)) return fail(`${UNPARSED}unrecognized formatting clause "${clause}"`);
  return { piece: { clause: clause as Clause, precision }, length: i + 1 - at };
}

export function formatText(format: string, args: CelList): Val {
  let result = '';
  let index = 0;
  for (const piece of parseFormat(format)) {
    if ('text' in piece) {
      result += piece.text;
      continue;
    }
    if (index >= args.size) return new CelError(`index ${index} out of range`);
    if ('problem' in piece) return new CelError(piece.problem);
    const arg = args.at(index++);
    if (isError(arg)) return arg;
    const text = formatClause(arg, piece.clause, piece.precision);
    if (text instanceof CelError) return new CelError(`error during formatting: ${text.message}`);
    workText(result.length + text.length);
    result += text;
  }
  return result;
}

const wrongType = (clause: Clause, value: CelValue): CelError =>
  new CelError(CLAUSE_PROBLEMS[clause] + typeNameOf(value));

function formatClause(value: CelValue, clause: Clause, precision: number | undefined): string | CelError {
  switch (clause) {
    case 's':
      return formatString(value);
    case 'd':
      return integerOf(value)?.toString() ?? wrongType(clause, value);
    case 'f':
    case 'e':
      return formatDouble(value, clause, Math.min(precision ?? DEFAULT_PRECISION, MAX_PRECISION));
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerOf(value)?.toString(2) ?? wrongType(clause, value);
    case 'o':
      return integerOf(value)?.toString(8) ?? wrongType(clause, value);
    case 'x':
    case 'X': {
      const hex = formatHex(value);
      if (hex === undefined) return wrongType(clause, value);
      return clause === 'X' ? hex.toUpperCase() : hex;
    }
  }
}

const integerOf = (value: CelValue): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof CelUint ? value.value : undefined;

function formatHex(value: CelValue): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value)?.toString(16);
}

const NAMED_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function formatDouble(value: CelValue, clause: 'f' | 'e', precision: number): string | CelError {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? NAMED_NUMBERS.get(value) : undefined;
  if (number === undefined) return wrongType(clause, value);
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '-∞';
  return clause === 'f' ? fixedWithCommas(number, precision) : scientific(number, precision);
}

/** The locale is American English: thousands are set apart. */
function fixedWithCommas(value: number, precision: number): string {
  const text = fixed(value, precision);
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Exact decimal digits, rounded half to even as Go does; toFixed stops at 100 digits and 1e21. */
export function fixed(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [numerator, denominator] = fractionOf(Math.abs(value));
  const scaled = numerator * 10n ** BigInt(precision);
  let digits = scaled / denominator;
  const rest = (scaled % denominator) * 2n;
  if (rest > denominator || (rest === denominator && digits % 2n === 1n)) digits++;
  const text = digits.toString().padStart(precision + 1, '0');
  if (precision === 0) return sign + text;
  return `${sign}${text.slice(0, -precision)}.${text.slice(-precision)}`;
}

/** A double as the exact fraction it is. */
function fractionOf(value: number): readonly [bigint, bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = bits & 0xfffffffffffffn;
  const whole = exponent === 0 ? mantissa : mantissa | 0x10000000000000n;
  const shift = (exponent === 0 ? 1 : exponent) - 1075;
  return shift >= 0 ? [whole << BigInt(shift), 1n] : [whole, 1n << BigInt(-shift)];
}

/** Upstream's locale writes exponents as people do, `1.234560×10⁰³`, and takes the precision for a width. */
function scientific(value: number, width: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(DEFAULT_PRECISION).split('e');
  const power = Number(exponent);
  const raised = Array.from(String(Math.abs(power)).padStart(2, '0'), (digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${digits}×10${power < 0 ? '⁻' : ''}${raised}`.padStart(width, ' ');
}

const SUPERSCRIPTS = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'] as const;

function formatString(value: CelValue): string | CelError {
  work(1);
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  if (value === null) return 'null';
  const text = convert(value, 'string');
  if (typeof text === 'string') return text;
  if (value instanceof Uint8Array) return text as CelError;
  return wrongType('s', value);
}

/** An element as it could be written in an expression. */
function formatElement(value: Val): string | CelError {
  if (isError(value)) return value;
  const type = typeNameOf(value);
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return '"NaN"';
    if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
    return fixed(value, DEFAULT_PRECISION);
  }
  if (value instanceof CelTimestamp || value instanceof CelDuration) {
    const text = convert(value, 'string') as string;
    return `${value instanceof CelTimestamp ? 'timestamp' : 'duration'}(${goQuote(text)})`;
  }
  if (value instanceof CelTypeValue) return value.name;
  const text = formatString(value);
  if (text instanceof CelError) return new CelError(`no formatting function for ${type}`);
  if (typeof value === 'string') return goQuote(text);
  return value instanceof Uint8Array ? `b${goQuote(text)}` : text;
}

function formatList(list: CelList): string | CelError {
  const items: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const text = formatElement(list.at(i));
    if (text instanceof CelError) return text;
    items.push(text);
  }
  return `[${items.join(', ')}]`;
}

function formatMap(map: CelMap): string | CelError {
  const pairs: (readonly [string, string])[] = [];
  for (const key of map.keys()) {
    const keyText = formatElement(key);
    if (keyText instanceof CelError) return keyText;
    const valueText = formatElement(map.find(key) ?? null);
    if (valueText instanceof CelError) return valueText;
    pairs.push([keyText, valueText]);
  }
  pairs.sort(([a], [b]) => compareBytes(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
