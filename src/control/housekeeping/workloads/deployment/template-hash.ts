/**
 * The hash of a pod template, the one that names ReplicaSets and labels their pods. It is taken over the text that a Go
 * dump of the template in memory gives, so that text is what is written here; names then agree with Kubernetes'.
 */
import type { PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { compareBytes } from '../../../../core/kube/go-text.ts';
import { fnv1a32, safeEncode } from '../../../../core/kube/hash.ts';
import { TEMPLATE_SHAPES } from './template-shapes.ts';

type Shape =
  | { readonly kind: 'scalar'; readonly spelled: string; readonly zero: string }
  | { readonly kind: 'pointer' | 'list'; readonly spelled: string; readonly element: Shape }
  | { readonly kind: 'map'; readonly spelled: string; readonly value: Shape }
  | { readonly kind: 'struct' | 'special'; readonly spelled: string };

interface Field {
  readonly name: string;
  readonly key: string;
  readonly shape: Shape;
}

type Dictionary = { readonly [key: string]: unknown };

let parsed: ReadonlyMap<string, readonly Field[]> | undefined;

/** Parsed when the first Deployment comes. */
function structs(): ReadonlyMap<string, readonly Field[]> {
  parsed ??= new Map(
    TEMPLATE_SHAPES.trim()
      .split('\n')
      .map((line) => {
        const [name = '', ...fields] = line.split(' ');
        return [name, fields.map(parseField)];
      }),
  );
  return parsed;
}

function parseField(text: string): Field {
  const colon = text.indexOf(':');
  const [name = '', key] = text.slice(0, colon).split('=');
  return { name, key: key ?? name.slice(0, 1).toLowerCase() + name.slice(1), shape: parseShape(text.slice(colon + 1)) };
}

const ZEROS: { readonly [kind: string]: string } = { string: '', bool: 'false', int32: '0', int64: '0' };
const SPECIAL = new Set(['resource.Quantity', 'v1.Time', 'intstr.IntOrString', 'v1.FieldsV1', 'v1.MicroTime']);

function parseShape(text: string): Shape {
  if (text.startsWith('*')) {
    const element = parseShape(text.slice(1));
    return { kind: 'pointer', spelled: `*${element.spelled}`, element };
  }
  if (text.startsWith('[]')) {
    const element = parseShape(text.slice(2));
    return { kind: 'list', spelled: `[]${element.spelled}`, element };
  }
  if (text.startsWith('{')) {
    const [key = '', ...rest] = text.slice(1).split(',');
    const value = parseShape(rest.join(','));
    return { kind: 'map', spelled: `map[${parseShape(key).spelled}]${value.spelled}`, value };
  }
  const [spelled, kind] = splitOnce(text, '<');
  if (kind?.startsWith('{') === true) {
    const map = parseShape(kind);
    return map.kind === 'map' ? { ...map, spelled } : map;
  }
  const zero = ZEROS[kind ?? spelled];
  if (zero !== undefined) return { kind: 'scalar', spelled, zero };
  return { kind: SPECIAL.has(spelled) ? 'special' : 'struct', spelled };
}

const splitOnce = (text: string, by: string): readonly [string, string?] => {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** The value behind its type, as a field shows it. */
const typed = (shape: Shape, value: unknown): string => `(${shape.spelled})${bare(shape, value)}`;

/** The value alone, as elements of lists and maps show it. */
function bare(shape: Shape, value: unknown): string {
  switch (shape.kind) {
    case 'scalar':
      return value === undefined || value === null ? shape.zero : plain(value);
    case 'pointer':
      return value === undefined || value === null ? '<nil>' : bare(shape.element, value);
    case 'list':
      if (!Array.isArray(value) || value.length === 0) return '<nil>';
      return `[${value.map((element) => bare(shape.element, element)).join(' ')}]`;
    case 'map':
      return mapText(shape.value, value);
    case 'special':
      return specialText(shape.spelled, value);
    case 'struct':
      return structText(shape.spelled, isDictionary(value) ? value : {});
  }
}

/** What the API server lets into such a field. */
const plain = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const isDictionary = (value: unknown): value is Dictionary => typeof value === 'object' && value !== null;

function mapText(shape: Shape, value: unknown): string {
  if (!isDictionary(value)) return '<nil>';
  const keys = Object.keys(value).toSorted(compareBytes);
  return keys.length === 0 ? '<nil>' : `map[${keys.map((key) => `${key}:${bare(shape, value[key])}`).join(' ')}]`;
}

const structText = (name: string, value: Dictionary): string =>
  `{${(structs().get(name) ?? [])
    .map((field) => `${field.name}:${typed(field.shape, field.key === '@' ? value : own(value, field.key))}`)
    .join(' ')}}`;

const own = (value: Dictionary, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);

/** Types that JSON writes as something else than what they are. */
function specialText(name: string, value: unknown): string {
  switch (name) {
    case 'resource.Quantity':
      return quantityText(plain(value));
    case 'intstr.IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${value === undefined ? '0' : plain(value)} StrVal:(string)}`;
    case 'v1.Time':
      // No template carries a time that the API server keeps.
      return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
    default:
      return '{}';
  }
}

const QUANTITY = /^([+-]?)0*([0-9]*)(?:\.([0-9]*?)0*)?(?:([numkMGTPE]?)|([KMGTPE]i)|[eE]([+-]?[0-9]+))$/;
const DECIMAL = 'num kMGTPE';
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * A quantity in memory: a number and a power of ten, its text where that is known to be canonical, and its format. Larger ones
 * are held as words of 64 bits.
 */
function quantityText(text: string): string {
  if (text === '0' || text === '') return smallQuantity('0', 0, text, text === '' ? '' : 'DecimalSI');
  const match = QUANTITY.exec(text);
  if (match === null) return smallQuantity('0', 0, text, '');
  const [, sign = '', whole = '', fraction = '', decimal, binary, exponent] = match;
  const digits = `${whole}${fraction}`;
  const number = BigInt(digits === '' ? '0' : digits);
  const minus = sign === '-' ? '-' : '';
  if (binary !== undefined) {
    const bits = 10 * (BINARY.indexOf(binary) + 1);
    const value = number << BigInt(bits);
    const fits = fraction === '' && 15 - whole.length - Math.trunc((bits * 3) / 10) - 1 >= 0;
    if (!fits) return largeQuantity(value, minus !== '', 'BinarySI');
    return smallQuantity(`${minus}${value}`, 0, (number & 7n) === 0n ? '' : text, 'BinarySI');
  }
  const power = exponent === undefined ? 3 * (DECIMAL.indexOf(decimal || ' ') - 3) : Number(exponent);
  const scale = power - fraction.length;
  const isCanonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0') && digits !== '';
  const format = exponent === undefined ? 'DecimalSI' : 'DecimalExponent';
  return smallQuantity(`${number === 0n ? '' : minus}${number}`, scale, isCanonical ? text : '', format);
}

const smallQuantity = (value: string, scale: number, text: string, format: string): string =>
  `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;

function largeQuantity(value: bigint, isNegative: boolean, format: string): string {
  const words: string[] = [];
  for (let rest = value * 1_000_000_000n; rest > 0n; rest >>= 64n) words.push(String(rest & 0xffffffffffffffffn));
  const number = `{neg:(bool)${isNegative} abs:(big.nat)[${words.join(' ')}]}`;
  return `{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec){unscaled:(big.Int)${number} scale:(inf.Scale)9}} s:(string) Format:(resource.Format)${format}}`;
}

const ROOT: Shape = { kind: 'struct', spelled: 'v1.PodTemplateSpec' };
const texts = new WeakMap<PodTemplateSpec, string>();

/** Exported for tests. */
export const templateText = (template: PodTemplateSpec): string => typed(ROOT, template);

/** Names the template. Another collision count gives another name where two templates had the same. */
export function podTemplateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let text = texts.get(template);
  if (text === undefined) texts.set(template, (text = templateText(template)));
  if (collisionCount === undefined) return safeEncode(String(fnv1a32(text)));
  const bytes = Buffer.from(text);
  const salted = Buffer.alloc(bytes.length + 8);
  bytes.copy(salted);
  salted.writeUInt32LE(collisionCount >>> 0, bytes.length);
  return safeEncode(String(fnv1a32(salted)));
}
