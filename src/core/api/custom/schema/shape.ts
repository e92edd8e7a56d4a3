/**
 * Brings an object into the shape its schema knows: what is not specified is pruned, nulls that may not be are dropped,
 * defaults are filled in. What needs no change is returned as it is.
 */
import { setOwn } from '../../../kube/immutable.ts';
import { compareBytes } from '../../../kube/go-text.ts';
import { memberSchema, META_FIELDS, type Structural } from './structural.ts';

type Bag = { readonly [key: string]: unknown };

export const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Pruned<T> {
  readonly value: T;
  /** Paths of what was taken away, in order: `spec.list[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Unknown fields beyond this number are not reported. */
const MAX_UNKNOWN = 100;
const NONE: readonly string[] = [];

/** Prunes fields that the schema does not specify. Type and metadata of the resource itself are never pruned. */
export function prune<T>(value: T, schema: Structural, isResourceRoot = true): Pruned<T> {
  const pass: PrunePass = { path: [], unknown: undefined };
  const root = isResourceRoot && !schema.embeddedResource ? { ...schema, embeddedResource: true } : schema;
  const result = pruneValue(value, root, pass) as T;
  return { value: result, unknownFields: pass.unknown?.sort(compareBytes) ?? NONE };
}

interface PrunePass {
  readonly path: (string | number)[];
  unknown: string[] | undefined;
}

function pruneValue(value: unknown, schema: Structural | undefined, pass: PrunePass): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return pruneList(value, schema, pass, schema?.preserveUnknownFields === true);
  const keepsUnknown = schema?.preserveUnknownFields === true;
  const source = value as Bag;
  let copy: { [key: string]: unknown } | undefined;
  for (const key in source) {
    const before = source[key];
    let after: unknown = before;
    let keep = true;
    if (schema?.embeddedResource !== true || !META_FIELDS.has(key)) {
      const property = schema?.properties.get(key);
      if (property !== undefined) after = descend(before, property, key, pass);
      else if (schema?.additionalProperties !== undefined) {
        const { additionalProperties } = schema;
        after = descend(before, typeof additionalProperties === 'object' ? additionalProperties : undefined, key, pass);
      } else if (!keepsUnknown) {
        keep = false;
        if (pass.path.length > 0 || !META_FIELDS.has(key)) noteUnknown(pass, key);
      }
    }
    if (keep && after === before) {
      if (copy !== undefined) setOwn(copy, key, before);
      continue;
    }
    copy ??= membersBefore(source, key);
    if (keep) setOwn(copy, key, after);
  }
  return copy ?? value;
}

function descend(value: unknown, schema: Structural | undefined, step: string | number, pass: PrunePass): unknown {
  if (typeof value !== 'object' || value === null) return value;
  pass.path.push(step);
  const result = pruneValue(value, schema, pass);
  pass.path.pop();
  return result;
}

function pruneList(
  list: readonly unknown[],
  schema: Structural | undefined,
  pass: PrunePass,
  keepsUnknown: boolean,
): unknown {
  // In a list that keeps everything, items without a schema are kept as they are; those with one may still prune inside.
  if (keepsUnknown && schema?.items === undefined) return list;
  const items = keepsUnknown && schema?.items !== undefined ? keepingUnknown(schema.items) : schema?.items;
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const before = list[i];
    const after = descend(before, items, i, pass);
    if (after === before) continue;
    copy ??= [...list];
    copy[i] = after;
  }
  return copy ?? list;
}

const keeping = new WeakMap<Structural, Structural>();

function keepingUnknown(schema: Structural): Structural {
  if (schema.preserveUnknownFields) return schema;
  let known = keeping.get(schema);
  if (known === undefined) keeping.set(schema, (known = { ...schema, preserveUnknownFields: true }));
  return known;
}

function noteUnknown(pass: PrunePass, key: string): void {
  pass.unknown ??= [];
  if (pass.unknown.length >= MAX_UNKNOWN) return;
  let text = '';
  for (const step of [...pass.path, key]) {
    text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  }
  pass.unknown.push(text);
}

function membersBefore(source: Bag, key: string): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = {};
  for (const earlier in source) {
    if (earlier === key) break;
    setOwn(copy, earlier, source[earlier]);
  }
  return copy;
}

/** Drops nulls where there may be none, and fills in what was left out. Defaults are shared, not copied. */
export function fill<T>(value: T, schema: Structural): T {
  return fillValue(value, schema, undefined) as T;
}

/** Fills in what was left out, and leaves nulls without a default for validation to judge. */
export function fillAround<T>(value: T, schema: Structural): T {
  return fillValue(value, schema, null) as T;
}

/** `none` is the value for a null that is not allowed and has no default: undefined drops it. */
function fillValue(value: unknown, schema: Structural | undefined, none: null | undefined): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return fillList(value, schema.items, none);
  const source = value as Bag;
  let copy: { [key: string]: unknown } | undefined;
  for (const key in source) {
    const before = source[key];
    const member = memberSchema(schema, key);
    const after =
      before === null && member !== undefined && !member.nullable
        ? (fillValue(member.default, member, none) ?? none)
        : fillValue(before, member, none);
    if (after === before) {
      if (copy !== undefined) setOwn(copy, key, before);
      continue;
    }
    copy ??= membersBefore(source, key);
    if (after !== undefined) setOwn(copy, key, after);
  }
  for (const [name, property] of defaultedProperties(schema)) {
    if (Object.hasOwn(copy ?? source, name)) continue;
    copy ??= { ...source };
    setOwn(copy, name, fillValue(property.default, property, none));
  }
  return copy ?? value;
}

function fillList(list: readonly unknown[], items: Structural | undefined, none: null | undefined): unknown {
  if (items === undefined) return list;
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const before = list[i];
    const after =
      before === null && !items.nullable
        ? (fillValue(items.default, items, none) ?? null)
        : fillValue(before, items, none);
    if (after === before) continue;
    copy ??= [...list];
    copy[i] = after;
  }
  return copy ?? list;
}

/** Drops nulls where there may be none and no default would take their place. */
export function withoutNulls<T>(value: T, schema: Structural): T {
  return dropNulls(value, schema) as T;
}

function dropNulls(value: unknown, schema: Structural | undefined): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let items: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const after = dropNulls(value[i], schema.items);
      if (after !== value[i]) (items ??= [...(value as readonly unknown[])])[i] = after;
    }
    return items ?? value;
  }
  const source = value as Bag;
  let copy: { [key: string]: unknown } | undefined;
  for (const key in source) {
    const before = source[key];
    const member = memberSchema(schema, key);
    const drop = before === null && member !== undefined && !member.nullable && member.default === undefined;
    const after = drop ? undefined : dropNulls(before, member);
    if (!drop && after === before) {
      if (copy !== undefined) setOwn(copy, key, before);
      continue;
    }
    copy ??= membersBefore(source, key);
    if (!drop) setOwn(copy, key, after);
  }
  return copy ?? value;
}

type Properties = readonly (readonly [string, Structural])[];
const defaulted = new WeakMap<Structural, Properties>();

function defaultedProperties(schema: Structural): Properties {
  let known = defaulted.get(schema);
  if (known === undefined) {
    known = [...schema.properties].filter(([, property]) => property.default !== undefined);
    defaulted.set(schema, known);
  }
  return known;
}
