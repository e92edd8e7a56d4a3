/**
 * The structural checker. In one pass over a parsed object it finds type errors (in the words of Kubernetes' decoder)
 * and unknown fields, and brings the object into the form Go would write: unknown fields pruned, null and empty optional
 * values dropped, structs and required fields present, quantities, times and base64 in canonical spelling. What needs no
 * change is returned as it is, down to the object itself.
 *
 * Checkers are compiled from the schema on first use, one closure a type.
 */
import { setOwn } from '../../kube/immutable.ts';
import { beginPass, enter, mistyped, pass, refuse, unknownField, wordFor } from './check-pass.ts';
import { type Check, scalarCheck } from './check-scalars.ts';
import { rememberSeen } from './remember-seen.ts';
import { type FieldSchema, goElementType, type TypeSchema, typeSchema } from './type-schema.ts';
import type { Scalar, TypeExpression } from './parse-facts.ts';
import { dropsEmpty, isAlwaysPresent, isEmpty, zeroValue } from './zero-value.ts';

export interface CheckOptions {
  /** The value was made in this process and is immutable: subtrees seen before are not walked again. */
  readonly immutable?: boolean;
  /** An object that was checked before; parts the value shares with it are taken as they are. */
  readonly baseline?: object | undefined;
}

export interface Checked {
  /** The object in canonical form; not to be used if there is an error. */
  readonly object: object;
  /** The message of Kubernetes' decoder, without the text around it. */
  readonly error: string | undefined;
  /** Paths of fields the type does not have, in document order: `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

const NONE: readonly string[] = [];

/** Checks a value against the schema of that name (`core/v1.Pod`). */
export function checkObject(schemaName: string, value: unknown, options?: CheckOptions): Checked {
  const check = objectCheck(schemaName);
  beginPass(options?.immutable ?? false);
  const object = check(value, options?.baseline) as object;
  return { object, error: pass.fatalError ?? pass.typeError, unknownFields: pass.unknownFields ?? NONE };
}

type Bag = { readonly [key: string]: unknown };
type StructCheck = (value: unknown, baseline: unknown) => unknown;

const objectChecks = new Map<string, StructCheck>();

function objectCheck(name: string): StructCheck {
  const known = objectChecks.get(name);
  if (known !== undefined) return known;
  // Registered before its fields are compiled, because a type may contain itself.
  let compiled: StructCheck | undefined;
  const lazy: StructCheck = (value, baseline) => (compiled ??= compileObject(typeSchema(name)))(value, baseline);
  objectChecks.set(name, lazy);
  return lazy;
}

/** How the loop over an object's members treats one of its fields. */
interface Member {
  readonly schema: FieldSchema;
  readonly isString: boolean;
  /** Empty values are dropped, as Go leaves them out. */
  readonly dropsEmpty: boolean;
  readonly structured: boolean;
  readonly check: StructCheck;
  /** One bit for each field that every checked object has; 0 for the others. */
  readonly bit: number;
}

/** Keys from this position on are looked up every time; only hostile objects have so many. */
const MOST_KEYS = 64;

function compileObject(schema: TypeSchema): StructCheck {
  const { goType, open } = schema;
  const present = schema.fields.filter(isAlwaysPresent);
  if (present.length > 31) throw new Error(`${schema.name} has more fields to fill in than bits`);
  const members = new Map<string, Member>(
    schema.fields.map((field) => [
      field.name,
      member(field, present.includes(field) ? 1 << present.indexOf(field) : 0),
    ]),
  );
  const all = 2 ** present.length - 1;
  // Objects of one type mostly have the same keys in the same order: comparing with the last object's keys saves a
  // lookup.
  const lastKeys: string[] = [];
  const lastMembers: (Member | undefined)[] = [];
  const lookUp = (key: string, index: number): Member | undefined => {
    const found = members.get(key);
    if (found !== undefined && index < MOST_KEYS) {
      while (lastKeys.length <= index) {
        lastKeys.push('');
        lastMembers.push(undefined);
      }
      lastKeys[index] = key;
      lastMembers[index] = found;
    }
    return found;
  };

  return (value, baseline) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return mistyped(wordFor(value), goType);
    if (value === baseline) return value;
    if (!enter()) return undefined;
    const source = value as Bag;
    const base = baseline as Bag | undefined;
    const at = pass.depth - 1;
    let found = 0;
    let index = 0;
    let copy: { [key: string]: unknown } | undefined;
    for (const key in source) {
      const before = source[key];
      const known = lastKeys[index] === key ? lastMembers[index] : lookUp(key, index);
      index++;
      let after: unknown;
      if (known === undefined) {
        if (open) after = before;
        else {
          pass.depth = at;
          unknownField(key);
          pass.depth = at + 1;
        }
      } else if (before === null || before === undefined) {
        after = undefined;
      } else if (known.isString && typeof before === 'string') {
        if (before !== '' || !known.dropsEmpty) {
          after = before;
          found |= known.bit;
        }
      } else {
        if (known.structured && base !== undefined && before === base[key]) after = before;
        else {
          pass.path[at] = known.schema;
          after = known.check(before, base === undefined ? undefined : base[key]);
        }
        if (known.dropsEmpty && isEmpty(after)) after = undefined;
        if (after !== undefined) found |= known.bit;
      }
      if (copy !== undefined) {
        if (after !== undefined) setOwn(copy, key, after);
      } else if (after !== before) {
        copy = membersBefore(source, key);
        if (after !== undefined) setOwn(copy, key, after);
      }
    }
    pass.depth = at;
    if (found === all) return copy ?? value;
    copy ??= { ...source };
    for (let i = 0; i < present.length; i++) {
      const field = present[i];
      if (field !== undefined && (found & (1 << i)) === 0) copy[field.name] = zeroValue(field.type);
    }
    return copy;
  };
}

/** A copy of the members that come before `key`. */
function membersBefore(source: Bag, key: string): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = {};
  for (const earlier in source) {
    if (earlier === key) break;
    setOwn(copy, earlier, source[earlier]);
  }
  return copy;
}

function member(schema: FieldSchema, bit: number): Member {
  const { type } = schema;
  return {
    schema,
    isString: type.kind === 'scalar' && type.scalar === 'string',
    dropsEmpty: dropsEmpty(schema),
    structured: type.kind !== 'scalar',
    check: compile(type, schema.goType),
    bit,
  };
}

function compile(type: TypeExpression, goType: string): StructCheck {
  switch (type.kind) {
    case 'object':
      return objectCheck(type.name);
    case 'list':
      return compileList(type.element, goType);
    case 'map':
      return compileMap(type.value, goType);
    case 'scalar':
      return SCHEMA_CHECKS.get(type.scalar)?.() ?? scalarCheck(type.scalar, goType);
  }
}

function compileList(element: TypeExpression, goType: string): StructCheck {
  const check = compile(element, goElementType(goType, element));
  const zero = (): unknown => zeroValue(element);
  const isStrings = element.kind === 'scalar' && element.scalar === 'string';
  // Objects of one template share lists of structs (containers, volumes, tolerations).
  const seen = element.kind === 'object' ? rememberSeen() : undefined;

  const walk = (list: readonly unknown[]): unknown => {
    if (!enter()) return undefined;
    const at = pass.depth - 1;
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const before = list[i];
      let after: unknown;
      if (isStrings && typeof before === 'string') continue;
      if (before === null || before === undefined) after = zero();
      else {
        pass.path[at] = i;
        after = check(before, undefined) ?? zero();
      }
      if (after === before) continue;
      copy ??= [...list];
      copy[i] = after;
    }
    pass.depth = at;
    return copy ?? list;
  };

  return (value, baseline) => {
    if (!Array.isArray(value)) return mistyped(wordFor(value), goType);
    if (value === baseline) return value;
    // Inside a type with its own UnmarshalJSON nothing is remembered: unknown fields are accepted there and reported
    // elsewhere.
    if (seen === undefined || !pass.remember || pass.readThemselves > 0) return walk(value);
    const known = seen.find(value);
    if (known !== undefined) return known;
    const { complaints } = pass;
    const result = walk(value);
    if (pass.complaints === complaints) seen.add(value, result as object);
    return result;
  };
}

function compileMap(element: TypeExpression, goType: string): StructCheck {
  const check = compile(element, goElementType(goType, element));
  const isStrings = element.kind === 'scalar' && element.scalar === 'string';
  return (value, baseline) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return mistyped(wordFor(value), goType);
    if (value === baseline) return value;
    if (!enter()) return undefined;
    const at = pass.depth - 1;
    const source = value as Bag;
    let copy: { [key: string]: unknown } | undefined;
    for (const key in source) {
      const before = source[key];
      let after: unknown;
      if (isStrings && typeof before === 'string') after = before;
      else if (before === undefined) after = undefined;
      else if (before === null) after = zeroValue(element);
      else {
        pass.path[at] = key;
        after = check(before, undefined) ?? zeroValue(element);
      }
      if (copy !== undefined) {
        if (after !== undefined) setOwn(copy, key, after);
      } else if (after !== before || before === undefined) {
        copy = membersBefore(source, key);
        if (after !== undefined) setOwn(copy, key, after);
      }
    }
    pass.depth = at;
    return copy ?? value;
  };
}

const JSON_SCHEMA = 'apiextensions/v1.JSONSchemaProps';

/** Fields of a JSON schema that hold a schema or a simpler value. */
const SCHEMA_CHECKS: ReadonlyMap<Scalar, () => StructCheck> = new Map<Scalar, () => StructCheck>([
  ['schemaorbool', () => schemaOr((value) => (typeof value === 'boolean' ? value : undefined), true)],
  ['schemaorarray', () => schemaOr(ifList({ kind: 'object', name: JSON_SCHEMA }, '[]v1.JSONSchemaProps'), false)],
  ['schemaorstrings', () => schemaOr(ifList({ kind: 'scalar', scalar: 'string' }, '[]string'), false)],
]);

function ifList(element: TypeExpression, goType: string): Check {
  const check = compileList(element, goType);
  return (value) => (Array.isArray(value) ? check(value, undefined) : undefined);
}

function schemaOr(other: Check, required: boolean): StructCheck {
  const schema = objectCheck(JSON_SCHEMA);
  const read: Check = (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? schema(value, undefined) : other(value);
  return (value) => {
    pass.readThemselves++;
    const result = read(value);
    pass.readThemselves--;
    if (result !== undefined) return result;
    // Kubernetes takes any other value as absent; only a place that holds a boolean or a schema refuses it.
    return required ? refuse('boolean or JSON schema expected') : undefined;
  };
}
