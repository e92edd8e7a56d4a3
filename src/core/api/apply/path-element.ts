/**
 * One step of a field's path, in the spelling of FieldsV1: `f:name` (a field or a key of a map), `k:{"name":"x"}` (an
 * item of a list, by its keys), `v:"x"` (an item of a set), `i:0` (an item by place). The text is the identity; what is
 * in a key is read again only where two keys have to be put in order, which is rare.
 */
import { compareBytes, goQuote } from '../../kube/go-text.ts';
import { encodeGoJson, type Json, type JsonObject, parseJson } from '../../kube/json.ts';

export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: Json): PathElement => `v:${scalarText(value)}`;

/** Text that JSON writes as it is, between quotes. */
const PLAIN = /^[\w\-./:@ ]*$/;

const scalarText = (value: Json): string =>
  typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : encodeGoJson(value);

/** Keys must be in order of their names. */
export function keyElement(keys: readonly (readonly [string, Json])[]): PathElement {
  let text = 'k:{';
  for (let i = 0; i < keys.length; i++) {
    const [name, value] = keys[i] as readonly [string, Json];
    text += `${i === 0 ? '' : ','}${scalarText(name)}:${scalarText(value)}`;
  }
  return `${text}}`;
}

export const isField = (element: PathElement): boolean => element.charCodeAt(0) === 102; // f
export const isKey = (element: PathElement): boolean => element.charCodeAt(0) === 107; // k
/** The name of a field element. */
export const fieldName = (element: PathElement): string => element.slice(2);

const RANKS: { readonly [kind: string]: number } = { f: 0, k: 1, v: 2, i: 3 };
const rankOf = (element: PathElement): number => RANKS[element.charAt(0)] ?? 4;

/** Fields first, then keys, values and places; each in the order of what they hold. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charCodeAt(0);
  if (kind !== b.charCodeAt(0)) return rankOf(a) - rankOf(b);
  if (kind === 102) return compareBytes(a, b);
  const quick = compareInString(a, b);
  if (quick !== undefined) return quick;
  const left = contentOf(a);
  const right = contentOf(b);
  return Array.isArray(left) && Array.isArray(right) && kind === 107
    ? compareKeys(left as readonly KeyPart[], right as readonly KeyPart[])
    : compareValues(left, right);
}

/**
 * Most keys differ inside a string: up to there they are the same text, so the order is that of the two strings, where a
 * quote is the end of one. Undefined where they differ elsewhere, or where an escape would have to be read.
 */
function compareInString(a: PathElement, b: PathElement): number | undefined {
  const length = Math.min(a.length, b.length);
  let inString = false;
  for (let i = 2; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) {
      if (x === BACKSLASH) return undefined;
      if (x === QUOTE) inString = !inString;
      continue;
    }
    if (!inString || x === BACKSLASH || y === BACKSLASH || x > 0x7f || y > 0x7f) return undefined;
    return x === QUOTE ? -1 : y === QUOTE ? 1 : x - y;
  }
  return undefined;
}

const QUOTE = 34;
const BACKSLASH = 92;

type KeyPart = readonly [string, Json];

/** Elements were canonical when they were made, so members of a key are in order. */
function contentOf(element: PathElement): Json | readonly KeyPart[] {
  const value = parseJson(element.slice(2));
  return isKey(element) ? (Object.entries(value as JsonObject) as KeyPart[]) : value;
}

function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [leftName, left] = a[i] as KeyPart;
    const [rightName, right] = b[i] as KeyPart;
    const order = compareBytes(leftName, rightName) || compareValues(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const VALUE_RANKS: { readonly [type: string]: number } = { number: 0, bigint: 0, string: 1, boolean: 2 };
const valueRank = (value: Json): number =>
  value === null ? 5 : Array.isArray(value) ? 3 : (VALUE_RANKS[typeof value] ?? 4);

/** A total order of values: numbers, strings, booleans, lists, maps, null. */
function compareValues(a: Json, b: Json): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string') return compareBytes(a, b as string);
  if (valueRank(a) > 2) return compareBytes(encodeGoJson(a, { sortKeys: true }), encodeGoJson(b, { sortKeys: true }));
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

/**
 * Reads an element that a client wrote and returns its canonical form. Undefined for unknown kinds of elements, which
 * are passed over; throws for malformed text.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text.charAt(1) !== ':') throw new Error(`missing colon: ${text}`);
  switch (text.charAt(0)) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parseJson(text.slice(2)));
    case 'k': {
      const keys = parseJson(text.slice(2));
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw new Error(`${text} is no key`);
      return keyElement(Object.entries(keys as JsonObject).sort(([a], [b]) => compareBytes(a, b)) as KeyPart[]);
    }
    case 'i':
      if (!/^i:-?\d{1,15}$/.test(text))
        throw new Error(`strconv.Atoi: parsing ${goQuote(text.slice(2))}: invalid syntax`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

/** A description for messages: `.spec`, `[name="x"]`, `[="x"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k':
      return `[${(contentOf(element) as readonly KeyPart[]).map(([name, value]) => `${name}=${describeValue(value)}`).join(',')}]`;
    case 'v':
      return `[=${describeValue(parseJson(element.slice(2)))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

function describeValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(describeValue).join(',')}]`;
  return Object.entries(value)
    .map(([name, member]) => `${name}=${describeValue(member as Json)}`)
    .join('');
}
