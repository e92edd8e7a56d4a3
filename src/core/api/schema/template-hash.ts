/**
 * The hash in the names of ControllerRevisions and ReplicaSets and in the labels of their pods. Kubernetes hashes what a
 * debug printer makes of the Go struct, field by field, empty ones included; so that is printed here, letter for letter.
 */
import { GO_POD_TEMPLATE } from '../facts/go-pod-template.ts';
import { fnv1a32, safeEncode } from '../../kube/hash.ts';
import { canonicalQuantity } from '../../kube/quantity.ts';

type Bag = { readonly [key: string]: unknown };
/** Writes a value of one type without the type's name in front. */
type Printer = (value: unknown) => string;

interface GoField {
  readonly name: string;
  /** Absent where the members of the field stand in the parent's place. */
  readonly json: string | undefined;
  readonly type: string;
}

const structs = new Map<string, readonly GoField[]>();
const named = new Map<string, string>();
const printers = new Map<string, Printer>();

/** Parsed on first use: most processes never hash a template. */
function readTypes(): void {
  let fields: GoField[] = [];
  for (const line of GO_POD_TEMPLATE.trim().split('\n')) {
    if (line.startsWith('=')) {
      const [name = '', underlying = ''] = line.slice(1).split(' ');
      named.set(name, underlying);
    } else if (line.startsWith(' ')) {
      const [name = '', json = '', type = ''] = line.slice(1).split(' ');
      fields.push({ name, json: json === '-' ? undefined : json, type });
    } else structs.set(line, (fields = []));
  }
}

function printerOf(type: string): Printer {
  let printer = printers.get(type);
  if (printer === undefined) {
    if (structs.size === 0) readTypes();
    // The printer of a type is looked up when it is needed, because types contain themselves by way of others.
    printers.set(type, (printer = makePrinter(type)));
  }
  return printer;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function makePrinter(type: string): Printer {
  if (type.startsWith('*')) {
    const target = type.slice(1);
    return (value) => (isAbsent(value) ? '<nil>' : printerOf(target)(value));
  }
  if (type.startsWith('[]')) {
    const element = type.slice(2);
    return (value) => printList(value as readonly unknown[] | undefined, printerOf(element));
  }
  const map = /^map\[[^\]]+\](.+)$/.exec(named.get(type) ?? type);
  if (map !== null) return (value) => printMap(value as Bag | undefined, printerOf(map[1] ?? ''));
  switch (type) {
    case 'v1.Time':
      return () => '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
    case 'resource.Quantity':
      return (value) => printQuantity(value as string | number | undefined);
    case 'intstr.IntOrString':
      return printIntOrString;
    default:
  }
  const fields = structs.get(type);
  if (fields !== undefined) return (value) => printStruct(fields, (value ?? {}) as Bag);
  switch (named.get(type) ?? type) {
    case 'string':
      return (value) => (isAbsent(value) ? '' : (value as string));
    case 'bool':
      return (value) => (value === true ? 'true' : 'false');
    default:
      return (value) => String((value as number | bigint | undefined) ?? 0);
  }
}

function printStruct(fields: readonly GoField[], object: Bag): string {
  let text = '{';
  for (const { name, json, type } of fields) {
    const value = json === undefined ? object : object[json];
    text += `${text === '{' ? '' : ' '}${name}:(${type})${printerOf(type)(value)}`;
  }
  return `${text}}`;
}

/** Empty lists print as nil, because the server's own encoding drops them. */
function printList(list: readonly unknown[] | undefined | null, print: Printer): string {
  if (list === undefined || list === null || list.length === 0) return '<nil>';
  return `[${list.map(print).join(' ')}]`;
}

function printMap(map: Bag | undefined | null, print: Printer): string {
  if (map === undefined || map === null) return '<nil>';
  const keys = Object.keys(map).sort(compareText);
  if (keys.length === 0) return '<nil>';
  return `map[${keys.map((key) => `${key}:${print(map[key])}`).join(' ')}]`;
}

/** Go compares strings byte by byte. */
const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function printIntOrString(value: unknown): string {
  const isText = typeof value === 'string';
  const [type, number, text] = isText ? [1, 0, value] : [0, (value as number | undefined) ?? 0, ''];
  return `{Type:(intstr.Type)${type} IntVal:(int32)${number} StrVal:(string)${text}}`;
}

const NO_DECIMAL = '<nil>';
const QUANTITY = /^(-?)(\d+)([a-zA-Z]*|[eE][+-]?\d+)$/;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: { readonly [suffix: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const DECIMAL_DIGITS = 18;
const WORD = 1n << 64n;

/** A quantity as Go holds it after reading its canonical text: a small number with a scale, or a big decimal. */
function printQuantity(value: string | number | undefined): string {
  if (value === undefined) return quantityText(0n, 0, NO_DECIMAL, '', '');
  const text = canonicalQuantity(String(value));
  if (text === '0') return quantityText(0n, 0, NO_DECIMAL, text, 'DecimalSI');
  const [, sign = '', digits = '', suffix = ''] = QUANTITY.exec(text) ?? [];
  const number = BigInt(`${sign}${digits}`);
  const power = BINARY.indexOf(suffix);
  if (power > 0) {
    const exponent = power * 10;
    const amount = number << BigInt(exponent);
    if (15 - digits.length - Math.trunc(Math.fround(Math.fround(exponent) * 3) / 10) - 1 < 0)
      return quantityText(0n, 0, decimalText(amount * 1_000_000_000n), '', 'BinarySI');
    return quantityText(amount, 0, NO_DECIMAL, (BigInt(digits) & 7n) === 0n ? '' : text, 'BinarySI');
  }
  const isExponent = DECIMAL[suffix] === undefined;
  const scale = isExponent ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0);
  const format = isExponent ? 'DecimalExponent' : 'DecimalSI';
  if (digits.length > DECIMAL_DIGITS)
    return quantityText(0n, 0, decimalText(number * 10n ** BigInt(9 + scale)), '', format);
  const isCanonical = scale % 3 === 0 && !digits.endsWith('000');
  return quantityText(number, scale, NO_DECIMAL, isCanonical ? text : '', format);
}

const quantityText = (value: bigint, scale: number, decimal: string, text: string, format: string): string =>
  `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} ` +
  `d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} s:(string)${text} Format:(resource.Format)${format}}`;

/** Billionths, in words of 64 bits, the lowest first. */
function decimalText(nanos: bigint): string {
  const words: bigint[] = [];
  for (let rest = nanos < 0n ? -nanos : nanos; rest > 0n; rest /= WORD) words.push(rest % WORD);
  return `{unscaled:(big.Int){neg:(bool)${nanos < 0n} abs:(big.nat)[${words.join(' ')}]} scale:(inf.Scale)9}`;
}

/** The template as Kubernetes' debug printer prints it. */
const printTemplate = (template: object): string => `(v1.PodTemplateSpec)${printerOf('v1.PodTemplateSpec')(template)}`;

const printed = new WeakMap<object, Buffer>();

/** The hash that names the template. Another collision count gives another name where two templates had the same. */
export function podTemplateHash(template: object, collisionCount: number | undefined): string {
  let text = printed.get(template);
  if (text === undefined) printed.set(template, (text = Buffer.from(printTemplate(template))));
  if (collisionCount === undefined) return safeEncode(String(fnv1a32(text)));
  const count = Buffer.alloc(8);
  count.writeUInt32LE(collisionCount >>> 0);
  return safeEncode(String(fnv1a32(Buffer.concat([text, count]))));
}
