/** Changes of a manifest, drawn along its schema: other values, other types, fields it does not know, fields it lacks. */
import { typeSchema, type FieldSchema } from '../../../src/core/api/schema/type-schema.ts';
import type { TypeExpression } from '../../../src/core/api/schema/parse-facts.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import type { Chance } from './api-chance.ts';
import { valueFor, wrongValueFor, type Members } from './api-values.ts';

export type Step = string | number;
export interface Edit {
  readonly path: readonly Step[];
  /** Absent: what stands there is removed. */
  readonly value?: Json;
}

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with its edits made; a step into nothing makes what it needs. */
export const edited = (object: Json, edits: readonly Edit[]): Json => edits.reduce(editOnce, object);

function editOnce(value: Json | undefined, { path, value: next }: Edit): Json {
  const [step, ...rest] = path;
  if (step === undefined) return next ?? null;
  const inner = (found: Json | undefined): Json =>
    editOnce(found, { path: rest, ...(next === undefined ? {} : { value: next }) });
  if (Array.isArray(value) && typeof step === 'number') {
    const items = [...(value as readonly Json[])];
    if (rest.length === 0 && next === undefined) items.splice(step, 1);
    else items[Math.min(step, items.length)] = inner(items[step]);
    return items;
  }
  const members: Members = isMembers(value) ? { ...value } : {};
  if (rest.length > 0) {
    const changed = inner(members[step]);
    // Nothing is left empty: to ours that is as good as absent, to Go not always.
    if (next === undefined && isEmptied(changed)) delete members[step];
    else members[step] = changed;
  } else if (next === undefined) delete members[step];
  else members[step] = next;
  return members;
}

const isEmptied = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** A place in an object, and what the schema says of it. */
interface Place {
  readonly path: readonly Step[];
  readonly field: FieldSchema;
  readonly type: TypeExpression;
  readonly found: Json | undefined;
}

function placesOf(
  type: TypeExpression,
  value: Json,
  path: readonly Step[],
  field: FieldSchema | undefined,
  found: Place[],
): readonly Place[] {
  if (field !== undefined) found.push({ path, field, type, found: value });
  if (type.kind === 'object' && isMembers(value)) {
    for (const inner of typeSchema(type.name).fields) {
      if (path.length === 0 && (inner.name === 'kind' || inner.name === 'apiVersion')) continue;
      const member = value[inner.name];
      const at = [...path, inner.name];
      if (member === undefined) found.push({ path: at, field: inner, type: inner.type, found: undefined });
      else placesOf(inner.type, member, at, inner, found);
    }
  } else if (type.kind === 'list' && Array.isArray(value)) {
    (value as readonly Json[]).forEach((item, index) => placesOf(type.element, item, [...path, index], field, found));
  } else if (type.kind === 'map' && isMembers(value)) {
    for (const [key, member] of Object.entries(value)) placesOf(type.value, member, [...path, key], field, found);
  }
  return found;
}

/** Without a schema: whatever stands in the object. */
function bareEdit(value: Json, chance: Chance): Edit {
  const paths: (readonly Step[])[] = [];
  const walk = (at: Json | undefined, path: readonly Step[]): void => {
    if (path.length > 0) paths.push(path);
    if (Array.isArray(at)) (at as readonly Json[]).forEach((item, index) => walk(item, [...path, index]));
    else if (isMembers(at)) for (const [key, member] of Object.entries(at)) walk(member, [...path, key]);
  };
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = value as Members;
  walk(rest, []);
  const path = paths.length === 0 ? ['spec'] : chance.pick(paths);
  const next = chance.pick<Json>([
    0,
    1,
    -1,
    50,
    101,
    '',
    'x',
    'green',
    'TOO LONG',
    null,
    true,
    [],
    {},
    [1],
    ['a', 'a'],
    { a: 'b' },
    1.5,
    '2021-02-30',
  ]);
  return chance.weighted<() => Edit>([
    [5, () => ({ path, value: next })],
    [2, () => ({ path })],
    [2, () => ({ path: [...path.slice(0, -1), 'unknownField'], value: next })],
  ])();
}

/** Fields whose values would change what other cases are answered, or that are never the same on two servers. */
const UNTOUCHED =
  /(^|\/)(globalDefault|managedFields|selfLink|creationTimestamp|uid|resourceVersion|matchConstraints|resourceRules|rules\/\d+\/apiGroups|conversion|caBundle|group|groupPriorityMinimum|matchingPrecedence|priorityLevelConfiguration|storedVersions|inlineVolumeSpec|volumeClaimTemplates\/\d+\/status)(\/|$)/;
const HARMLESS_KINDS = new Set(['rbac/v1.Role', 'rbac/v1.ClusterRole']);

export interface Drawn {
  /** Shares of a hundred: places in metadata, wrong types, unknown fields. */
  readonly metadata?: number;
  readonly wrong?: number;
  readonly unknown?: number;
  /** Only below this field. */
  readonly below?: string;
}

/** One change of an object of a schema; without one, of whatever stands in it. */
export function drawEdit(schema: string | undefined, object: Json, chance: Chance, drawn: Drawn = {}): Edit {
  if (schema === undefined)
    return drawn.below === undefined && chance.happens(15) ? metadataEdit(object, chance) : bareEdit(object, chance);
  const all = placesOf({ kind: 'object', name: schema }, object, [], undefined, []).filter(
    ({ path }) => HARMLESS_KINDS.has(schema) || !UNTOUCHED.test(path.join('/')),
  );
  const inMetadata = drawn.below === undefined && chance.happens(drawn.metadata ?? 10);
  const wanted = inMetadata ? 'metadata' : drawn.below;
  let places = all.filter(({ path }) =>
    wanted === undefined ? path[0] !== 'metadata' && path[0] !== 'status' : path[0] === wanted && path.length > 1,
  );
  if (places.length === 0) places = all.filter(({ path }) => path[0] !== 'status');
  const present = places.filter(({ found }) => found !== undefined);
  const absent = places.filter(({ found }) => found === undefined);
  const from = present.length > 0 && (absent.length === 0 || chance.happens(50)) ? present : absent;
  const place = chance.pick(from.length === 0 ? all : from);
  if (chance.happens(drawn.unknown ?? 5))
    return {
      path: [...place.path.slice(0, -1), chance.pick(['unknownField', 'Name', 'speC', 'x-y'])],
      value: chance.pick<Json>(['x', 1, {}, null]),
    };
  if (chance.happens(drawn.wrong ?? 10)) return { path: place.path, value: wrongValueFor(place.type, chance) };
  if (place.found !== undefined) {
    if (chance.happens(25)) return { path: place.path };
    const last = place.path.at(-1);
    if (typeof last === 'number' && chance.happens(40))
      return { path: [...place.path.slice(0, -1), last + 1000], value: place.found };
  }
  return { path: place.path, value: ofType(place, chance) };
}

/** The place may be inside a list or map that the field is. */
const ofType = ({ field, type }: Place, chance: Chance): Json => valueFor({ ...field, type }, chance);

function metadataEdit(object: Json, chance: Chance): Edit {
  return drawEdit('meta/v1.PartialObjectMetadata', object, chance, { below: 'metadata' });
}
