/**
 * Values at run time. What JavaScript has is used as it is: null, booleans, strings; a bigint is an int, a number is a
 * double, a Uint8Array bytes. The rest are the classes below. Errors travel as values too, because `||`, `&&` and `?:`
 * may absorb them.
 */
import type { Quantity } from '../../../kube/quantity.ts';
import type { Json } from '../../../kube/json.ts';

/** An error of evaluation, in cel-go's words. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class CelDuration {
  /** Nanoseconds, within 64 bits. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class CelTimestamp {
  /** Seconds since 1970 and nanoseconds within the second. */
  readonly seconds: number;
  readonly nanos: number;
  /** Minutes east of UTC the text was written with; only printing shows it. */
  readonly offsetMinutes: number;
  constructor(seconds: number, nanos: number, offsetMinutes = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

export class CelTypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class CelOptional {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export const NONE = new CelOptional(undefined);

/** Values that only functions look into. `type` is the name of the type, `payload` belongs to its library. */
export class CelOpaque {
  readonly type: string;
  readonly payload: unknown;
  /** The size by which costs are computed; undefined for values without one. */
  readonly size: number | undefined;
  constructor(type: string, payload: unknown, size?: number) {
    this.type = type;
    this.payload = payload;
    this.size = size;
  }
}

/** Data below x-kubernetes-preserve-unknown-fields: supports comparison and nothing else. */
export class CelUnknownData {
  readonly json: Json;
  constructor(json: Json) {
    this.json = json;
  }
}

/** How members of JSON become values; the schema decides. */
export type Adapt = (json: Json) => Val;

/** How lists of a schema compare and add up. */
export type ListRule =
  | { readonly type: 'atomic' }
  | { readonly type: 'set' }
  | { readonly type: 'map'; readonly keys: readonly string[] };

export const ATOMIC: ListRule = { type: 'atomic' };

/** A list. Elements are looked at when asked for; they may turn out to be errors. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): Val;
}

export class ArrayList extends CelList {
  readonly items: readonly CelValue[];
  constructor(items: readonly CelValue[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Val {
    return this.items[index] ?? null;
  }
}

/** The list a macro builds: adding to it changes it. No expression can hold on to one. */
export class GrowingList extends CelList {
  readonly items: CelValue[] = [];
  get size(): number {
    return this.items.length;
  }
  at(index: number): Val {
    return this.items[index] ?? null;
  }
}

export class JsonList extends CelList {
  readonly elements: readonly Json[];
  readonly adapt: Adapt;
  readonly rule: ListRule;
  constructor(elements: readonly Json[], adapt: Adapt, rule: ListRule) {
    super();
    this.elements = elements;
    this.adapt = adapt;
    this.rule = rule;
  }
  get size(): number {
    return this.elements.length;
  }
  at(index: number): Val {
    return this.adapt(this.elements[index] ?? null);
  }
}

/** A sum of lists costs nothing to make, whatever their size: doubling a list sixty times must not fill memory. */
export class ConcatList extends CelList {
  readonly left: CelList;
  readonly right: CelList;
  readonly size: number;
  /** A sum of sums nests; deep sums are copied into one list. */
  readonly depth: number;
  constructor(left: CelList, right: CelList) {
    super();
    this.left = left;
    this.right = right;
    this.size = left.size + right.size;
    this.depth = 1 + Math.max(depthOf(left), depthOf(right));
  }
  at(index: number): Val {
    return index < this.left.size ? elementOf(this.left, index) : elementOf(this.right, index - this.left.size);
  }
}

function elementOf(from: CelList, index: number): Val {
  let list = from;
  let i = index;
  while (list instanceof ConcatList) {
    if (i < list.left.size) list = list.left;
    else {
      i -= list.left.size;
      list = list.right;
    }
  }
  return list.at(i);
}

const depthOf = (list: CelList): number => (list instanceof ConcatList ? list.depth : 0);

/** A value with keys. `find` returns undefined when the key is absent and an error when it cannot be a key. */
export abstract class CelMap {
  abstract readonly size: number;
  abstract find(key: CelValue): Val | undefined;
  abstract keys(): readonly CelValue[];
}

type MapKey = string;

/** Numbers that are equal are the same key, whatever their type. */
export function mapKeyOf(key: CelValue): MapKey | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'boolean') return key ? 'b1' : 'b0';
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

export class EntryMap extends CelMap {
  readonly entries: ReadonlyMap<MapKey, readonly [CelValue, CelValue]>;
  constructor(entries: ReadonlyMap<MapKey, readonly [CelValue, CelValue]>) {
    super();
    this.entries = entries;
  }
  get size(): number {
    return this.entries.size;
  }
  find(key: CelValue): Val | undefined {
    const text = mapKeyOf(key);
    return text === undefined ? undefined : this.entries.get(text)?.[1];
  }
  keys(): readonly CelValue[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }
}

/** An object an expression builds, of a type with a name. */
export class CelStruct extends CelMap {
  readonly type: string;
  readonly fields: ReadonlyMap<string, CelValue>;
  constructor(type: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.fields = fields;
  }
  get size(): number {
    return this.fields.size;
  }
  find(key: CelValue): Val | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }
  keys(): readonly CelValue[] {
    return [...this.fields.keys()];
  }
}

/** The map a macro builds. */
export class GrowingMap extends EntryMap {
  readonly growing: Map<MapKey, readonly [CelValue, CelValue]>;
  constructor() {
    const growing = new Map<MapKey, readonly [CelValue, CelValue]>();
    super(growing);
    this.growing = growing;
  }
}

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | CelUint
  | Uint8Array
  | CelDuration
  | CelTimestamp
  | CelTypeValue
  | CelOptional
  | CelOpaque
  | CelUnknownData
  | CelList
  | CelMap;

/** A value, or the error in place of one. */
export type Val = CelValue | CelError;

export const isError = (value: Val | undefined): value is CelError => value instanceof CelError;

export const NO_OVERLOAD = new CelError('no such overload');

/** The name of the value's type at run time. */
export function typeNameOf(value: Val): string {
  if (typeof value === 'object') return value === null ? 'null_type' : objectTypeName(value);
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  return typeof value === 'number' ? 'double' : 'string';
}

function objectTypeName(value: object): string {
  if (value instanceof CelMap) return value instanceof CelStruct ? value.type : 'map';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelOpaque) return value.type;
  if (value instanceof CelOptional) return 'optional_type';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelTypeValue) return 'type';
  return value instanceof CelUnknownData ? 'unknown' : 'error';
}

export const QUANTITY_TYPE = 'kubernetes.Quantity';
export const quantityValue = (quantity: Quantity): CelOpaque => new CelOpaque(QUANTITY_TYPE, quantity);
