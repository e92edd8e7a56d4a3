/**
 * Types as decoding, patches and protobuf need them, made from the facts on first use: at start-up only the places of
 * the type blocks in the text are found, each block is read with the first request for its type.
 */
import { KUBERNETES_TYPES } from '../facts/kubernetes-types.ts';
import { OWN_TYPES } from '../facts/own-types.ts';
import { type FieldFact, parseFacts, type TypeExpression, type TypeFact } from './parse-facts.ts';

export interface FieldSchema extends FieldFact {
  /** Go's name of the struct that has the field; decoding errors say it. */
  readonly owner: string;
  /** Go's names of the embedded structs on the way, where JSON writes the field inline. */
  readonly through: readonly string[];
  /** The field's type as Go prints it. */
  readonly goType: string;
}

export interface TypeSchema {
  /** `core/v1.Pod` */
  readonly name: string;
  /** `Pod` */
  readonly shortName: string;
  /** `v1.Pod`, as Go prints it. */
  readonly goType: string;
  readonly typed: boolean;
  readonly open: boolean;
  readonly atomic: boolean;
  /** As JSON has them: members of inline structs stand beside the others. */
  readonly fields: readonly FieldSchema[];
  readonly byName: ReadonlyMap<string, FieldSchema>;
  /** As protobuf has them: inline structs are messages of their own. */
  readonly nested: readonly FieldFact[];
}

const schemas = new Map<string, TypeSchema>();
let places: Map<string, { readonly text: string; readonly start: number }> | undefined;

/** The schema of a type, or undefined if there is none of that name. */
export function findTypeSchema(name: string): TypeSchema | undefined {
  const known = schemas.get(name);
  if (known !== undefined) return known;
  const fact = findFact(name);
  if (fact === undefined) return undefined;
  const schema = makeSchema(fact);
  schemas.set(name, schema);
  return schema;
}

/** The schema of a type that must exist. */
export function typeSchema(name: string): TypeSchema {
  const schema = findTypeSchema(name);
  if (schema === undefined) throw new Error(`no schema is called ${name}`);
  return schema;
}

/** The names of all types. */
export const typeNames = (): readonly string[] => [...blocks().keys()];

function blocks(): NonNullable<typeof places> {
  if (places !== undefined) return places;
  places = new Map();
  for (const text of [KUBERNETES_TYPES, OWN_TYPES]) {
    // A type's line is the only kind that does not begin with a space.
    for (const match of text.matchAll(/^[^ \n]+/gm)) places.set(match[0], { text, start: match.index });
  }
  return places;
}

const END_OF_BLOCK = /\n(?! )/g;

function findFact(name: string): TypeFact | undefined {
  const place = blocks().get(name);
  if (place === undefined) return undefined;
  END_OF_BLOCK.lastIndex = place.start;
  const end = END_OF_BLOCK.exec(place.text)?.index ?? place.text.length;
  return parseFacts(place.text.slice(place.start, end)).get(name);
}

function makeSchema(fact: TypeFact): TypeSchema {
  const shortName = shortNameOf(fact.name);
  const fields = [...typeMetaFields(fact, shortName), ...flatFields(fact, shortName, [])];
  return {
    name: fact.name,
    shortName,
    goType: goTypeOfObject(fact.name),
    typed: fact.typed,
    open: fact.open,
    atomic: fact.atomic,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    nested: fact.fields,
  };
}

const STRING: TypeExpression = { kind: 'scalar', scalar: 'string' };

function typeMetaFields(fact: TypeFact, owner: string): FieldSchema[] {
  if (!fact.typed) return [];
  return ['kind', 'apiVersion'].map((name) => ({
    name,
    number: 0,
    type: STRING,
    pointer: false,
    always: false,
    omitZero: false,
    required: false,
    atomicMap: false,
    patchStrategies: [],
    owner,
    through: ['TypeMeta'],
    goType: 'string',
  }));
}

function flatFields(fact: TypeFact, owner: string, through: readonly string[]): FieldSchema[] {
  return fact.fields.flatMap((field) => {
    if (field.name !== '') return [{ ...field, owner, through, goType: field.goType ?? goTypeOf(field.type) }];
    if (field.type.kind !== 'object') throw new Error(`${fact.name} has an inline field that is no struct`);
    const inner = findFact(field.type.name);
    if (inner === undefined) throw new Error(`no schema is called ${field.type.name}`);
    return flatFields(inner, owner, [...through, shortNameOf(inner.name)]);
  });
}

const shortNameOf = (name: string): string => name.slice(name.indexOf('.') + 1);
/** `core/v1.Pod` is `v1.Pod` to Go. */
const goTypeOfObject = (name: string): string => name.slice(name.indexOf('/') + 1);

const GO_SCALARS: ReadonlyMap<string, string> = new Map([
  ['double', 'float64'],
  ['bytes', '[]uint8'],
  ['quantity', 'resource.Quantity'],
  ['intorstring', 'intstr.IntOrString'],
  ['time', 'v1.Time'],
  ['microtime', 'v1.MicroTime'],
  ['duration', 'v1.Duration'],
  ['raw', 'runtime.RawExtension'],
  ['json', 'v1.JSON'],
  ['fieldsv1', 'v1.FieldsV1'],
  ['schemaorbool', 'v1.JSONSchemaPropsOrBool'],
  ['schemaorarray', 'v1.JSONSchemaPropsOrArray'],
  ['schemaorstrings', 'v1.JSONSchemaPropsOrStringArray'],
]);

/** How Go prints a type that has no name of its own. */
export function goTypeOf(type: TypeExpression): string {
  switch (type.kind) {
    case 'scalar':
      return GO_SCALARS.get(type.scalar) ?? type.scalar;
    case 'object':
      return goTypeOfObject(type.name);
    case 'list':
      return `[]${goTypeOf(type.element)}`;
    case 'map':
      return `map[string]${goTypeOf(type.value)}`;
  }
}

/** Go's name for the elements of a list or map whose own type Go calls `goType`. */
export function goElementType(goType: string, element: TypeExpression): string {
  if (goType.startsWith('[]')) return goType.slice(2);
  if (goType.startsWith('map[')) return goType.slice(goType.indexOf(']') + 1);
  return goTypeOf(element);
}
