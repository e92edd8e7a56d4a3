/**
 * Paths of selections and indexes. A path is one step of evaluation with one price for its start and one for each
 * part; conditions are part of paths too, so that `(a ? b : c).d` selects in the branch that is taken.
 */
import { charge, type Eval, type Frame } from './frame.ts';
import { printGo } from './values/print-go.ts';
import {
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  isError,
  JsonList,
  NO_OVERLOAD,
  NONE,
  typeNameOf,
  type CelValue,
  type Val,
} from './values/values.ts';

/** The key of a part: a constant or an expression. */
type Key = { readonly constant: CelValue } | { readonly resolve: Eval };

export interface Qualifier {
  readonly key: Key;
  /** `?.` and `[?]`: an absent member yields none. */
  readonly optional: boolean;
  /** `has()`: only the presence of the member. */
  readonly test: boolean;
}

export type Attribute =
  | { readonly kind: 'path'; readonly start: Eval; readonly qualifiers: readonly Qualifier[] }
  | { readonly kind: 'condition'; readonly condition: Eval; readonly yes: Attribute; readonly no: Attribute };

export function withQualifier(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'path') return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  return {
    ...attribute,
    yes: withQualifier(attribute.yes, qualifier),
    no: withQualifier(attribute.no, qualifier),
  };
}

/** The value of the path, without the price of its start. */
export function resolver(attribute: Attribute): Eval {
  if (attribute.kind === 'condition') {
    const { condition } = attribute;
    const yes = resolver(attribute.yes);
    const no = resolver(attribute.no);
    return (frame) => {
      const chosen = condition(frame);
      if (chosen === true) return yes(frame);
      if (chosen === false) return no(frame);
      return isError(chosen) ? chosen : NO_OVERLOAD;
    };
  }
  const { start, qualifiers } = attribute;
  const [only] = qualifiers;
  if (only === undefined) return start;
  if (qualifiers.length === 1 && 'constant' in only.key && !only.optional && !only.test) {
    const key = only.key.constant;
    return (frame) => {
      const object = start(frame);
      if (isError(object)) return object;
      if (object instanceof CelOptional) return applyAll(frame, object, qualifiers);
      charge(frame, 1);
      return select(object, key);
    };
  }
  return (frame) => {
    const object = start(frame);
    return isError(object) ? object : applyAll(frame, object, qualifiers);
  };
}

/** The value of the path, with its full price. */
export function attributeEval(attribute: Attribute): Eval {
  const resolve = resolver(attribute);
  if (attribute.kind === 'condition') return resolve;
  return (frame) => {
    const value = resolve(frame);
    charge(frame, 1);
    return value;
  };
}

/** `has(path)`: the start is free; a path that starts with a condition gets the price of its last part back. */
export function presenceEval(attribute: Attribute): Eval {
  const resolve = resolver(attribute);
  const refund = attribute.kind === 'condition' ? -1 : 0;
  return (frame) => {
    const value = resolve(frame);
    charge(frame, refund);
    return value;
  };
}

function applyAll(frame: Frame, object: CelValue, qualifiers: readonly Qualifier[]): Val {
  let optional = object instanceof CelOptional;
  let current: CelValue = object;
  if (object instanceof CelOptional) {
    if (object.value === undefined) return qualifiers.at(-1)?.test === true ? false : object;
    current = object.value;
  }
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    const next = optional ? applyIfPresent(frame, current, qualifier) : apply(frame, current, qualifier);
    if (next === undefined) return qualifier.test ? false : NONE;
    if (isError(next)) return next;
    current = next;
  }
  if (qualifiers.at(-1)?.test === true) return optional || current;
  return optional ? new CelOptional(current) : current;
}

const keyOf = (frame: Frame, key: Key): Val => ('constant' in key ? key.constant : key.resolve(frame));

function apply(frame: Frame, object: CelValue, qualifier: Qualifier): Val {
  const key = keyOf(frame, qualifier.key);
  charge(frame, 1);
  if (isError(key)) return key;
  if (!qualifier.test) return select(object, key);
  const found = find(object, key);
  return isError(found) ? found : found !== undefined;
}

function applyIfPresent(frame: Frame, object: CelValue, qualifier: Qualifier): Val | undefined {
  const key = keyOf(frame, qualifier.key);
  if (isError(key)) return key;
  const found = find(object, key);
  if (found !== undefined && !isError(found)) charge(frame, 1);
  return found;
}

function select(object: CelValue, key: CelValue): Val {
  const found = find(object, key);
  if (found !== undefined) return found;
  return new CelError(
    object instanceof CelList ? `index out of bounds: ${printGo(key)}` : `no such key: ${printGo(key)}`,
  );
}

/** The member under the key; `undefined` if there is none. */
function find(object: CelValue, key: CelValue): Val | undefined {
  if (object instanceof CelMap) return isKey(key) ? object.find(key) : invalidKey(key);
  if (!(object instanceof CelList)) return isKey(key) ? undefined : invalidKey(key);
  const index = indexOf(key);
  if (typeof index !== 'number') return index;
  if (index < 0 || index >= object.size) return undefined;
  if (object instanceof JsonList && typeof key !== 'bigint') return new CelError(`unsupported index: ${printGo(key)}`);
  return object.at(index);
}

function isKey(key: CelValue): boolean {
  return (key !== null && typeof key !== 'object') || key instanceof CelUint;
}

const invalidKey = (key: CelValue): CelError => new CelError(`invalid qualifier type: ${goTypeName(key)}`);

function indexOf(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof CelUint && key.value <= 9223372036854775807n) return Number(key.value);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  if (typeof key === 'number' || key instanceof CelUint) {
    return new CelError(`unsupported index value ${printGo(key)} in list`);
  }
  return isKey(key) ? new CelError(`unsupported index type '${typeNameOf(key)}' in list`) : invalidKey(key);
}

const GO_TYPES: ReadonlyMap<string, string> = new Map([
  ['null_type', 'types.Null'],
  ['bool', 'types.Bool'],
  ['int', 'types.Int'],
  ['uint', 'types.Uint'],
  ['double', 'types.Double'],
  ['string', 'types.String'],
  ['bytes', 'types.Bytes'],
  ['google.protobuf.Duration', 'types.Duration'],
  ['google.protobuf.Timestamp', 'types.Timestamp'],
  ['optional_type', '*types.Optional'],
  ['type', '*types.Type'],
  ['list', '*types.baseList'],
  ['map', '*types.baseMap'],
]);

/** The Go type some messages name. */
export const goTypeName = (value: Val): string => GO_TYPES.get(typeNameOf(value)) ?? typeNameOf(value);
