/**
 * custom/ — kinds that users define. A CustomResourceDefinition holds an OpenAPI schema for every version; here it becomes
 * a structural schema (this file) from which everything follows: what is pruned and defaulted (shape.ts), what is valid
 * (value-validator.ts, list-types.ts, embedded.ts, rules.ts), how it is shown (printer.ts) and documented (openapi.ts).
 * `crd/` judges the definitions themselves, and custom-kind.ts puts a KindDefinition together. All of it is pure.
 */
import type { Json } from '../../../kube/json.ts';
import type { JSONSchemaProps, ValidationRule } from '../../types/apiextensions-v1.ts';

/** A schema in which every field's type is known without looking into allOf, anyOf, oneOf or not. */
export interface Structural {
  /** The schema it was made from; value validations are read there. */
  readonly source: JSONSchemaProps;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: Json | undefined;
  readonly items: Structural | undefined;
  /** A map rather than an object, because names come from users. */
  readonly properties: ReadonlyMap<string, Structural>;
  /** The schema of all other members; `true` lets them be anything, `false` forbids them. */
  readonly additionalProperties: Structural | boolean | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly ValidationRule[];
}

export type StructuralResult =
  | { readonly ok: true; readonly structural: Structural }
  /** A part of the schema that structural schemas do not know, in Kubernetes' words. */
  | { readonly ok: false; readonly error: string };

const NO_PROPERTIES: ReadonlyMap<string, Structural> = new Map();
const NOTHING: readonly never[] = [];

class Unsupported extends Error {}

const results = new WeakMap<JSONSchemaProps, StructuralResult>();

/** Remembered per schema: stored definitions never change. */
export function toStructural(schema: JSONSchemaProps): StructuralResult {
  let result = results.get(schema);
  if (result === undefined) {
    result = attempt(schema);
    results.set(schema, result);
  }
  return result;
}

function attempt(schema: JSONSchemaProps): StructuralResult {
  try {
    return { ok: true, structural: convert(schema) };
  } catch (error) {
    if (error instanceof Unsupported) return { ok: false, error: error.message };
    throw error;
  }
}

function convert(schema: JSONSchemaProps): Structural {
  refuseUnsupported(schema);
  checkNested(schema);
  const { items, properties, additionalProperties } = schema;
  return {
    source: schema,
    type: schema.type ?? '',
    nullable: schema.nullable === true,
    default: schema.default ?? undefined,
    items: items === undefined ? undefined : convert(single(items)),
    properties:
      properties === undefined
        ? NO_PROPERTIES
        : new Map(Object.entries(properties).map(([name, property]) => [name, convert(property)])),
    additionalProperties:
      typeof additionalProperties === 'object' ? convert(additionalProperties) : additionalProperties,
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    listType: schema['x-kubernetes-list-type'],
    listMapKeys: schema['x-kubernetes-list-map-keys'] ?? NOTHING,
    mapType: schema['x-kubernetes-map-type'],
    rules: schema['x-kubernetes-validations'] ?? NOTHING,
  };
}

/** Schemas under allOf, anyOf, oneOf and not are checked for unsupported members too, all the way down. */
function checkNested(schema: JSONSchemaProps): void {
  if (schema.not !== undefined) checkNestedSchema(schema.not);
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) for (const each of list ?? []) checkNestedSchema(each);
}

function checkNestedSchema(schema: JSONSchemaProps): void {
  refuseUnsupported(schema);
  checkNested(schema);
  if (schema.items !== undefined) checkNestedSchema(single(schema.items));
  for (const property of Object.values(schema.properties ?? {})) checkNestedSchema(property);
  if (typeof schema.additionalProperties === 'object') checkNestedSchema(schema.additionalProperties);
}

function single(items: JSONSchemaProps | readonly JSONSchemaProps[]): JSONSchemaProps {
  if (!Array.isArray(items)) return items as JSONSchemaProps;
  if (items.length > 0) throw new Unsupported("OpenAPIV3Schema 'items' must be a schema, but is an array");
  return {};
}

const hasMembers = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length > 0;

function refuseUnsupported(schema: JSONSchemaProps): void {
  const found = schema.id
    ? 'id'
    : schema.$schema
      ? 'schema'
      : schema.$ref
        ? '$ref'
        : hasMembers(schema.patternProperties)
          ? 'patternProperties'
          : hasMembers(schema.dependencies)
            ? 'dependencies'
            : schema.additionalItems !== undefined
              ? 'additionalItems'
              : hasMembers(schema.definitions)
                ? 'definitions'
                : undefined;
  if (found !== undefined) throw new Unsupported(`OpenAPIV3Schema '${found}' is not supported`);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    throw new Unsupported("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined");
  }
}

/** The schema of a member: its own, or the one for all others. */
export function memberSchema(schema: Structural, name: string): Structural | undefined {
  const own = schema.properties.get(name);
  if (own !== undefined) return own;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** Type and metadata of a resource are known whatever its schema says. */
export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of a version that has none: everything is allowed. */
export const ANYTHING: Structural = {
  source: {},
  type: 'object',
  nullable: false,
  default: undefined,
  items: undefined,
  properties: NO_PROPERTIES,
  additionalProperties: undefined,
  preserveUnknownFields: true,
  embeddedResource: false,
  intOrString: false,
  listType: undefined,
  listMapKeys: NOTHING,
  mapType: undefined,
  rules: NOTHING,
};

/** Any schema in this one, itself included, that satisfies the test. Value validations count too. */
export function someSchema(schema: JSONSchemaProps, test: (schema: JSONSchemaProps) => boolean): boolean {
  if (test(schema)) return true;
  const inList = (list: readonly JSONSchemaProps[] | undefined): boolean =>
    list?.some((each) => someSchema(each, test)) ?? false;
  const inMap = (map: { readonly [key: string]: unknown } | undefined): boolean =>
    map !== undefined && Object.values(map).some((each) => isSchema(each) && someSchema(each, test));
  const inOne = (each: unknown): boolean => isSchema(each) && someSchema(each, test);
  return (
    (Array.isArray(schema.items) ? inList(schema.items as readonly JSONSchemaProps[]) : inOne(schema.items)) ||
    inList(schema.allOf) ||
    inList(schema.anyOf) ||
    inList(schema.oneOf) ||
    inOne(schema.not) ||
    inMap(schema.properties) ||
    inOne(schema.additionalProperties) ||
    inMap(schema.patternProperties) ||
    inOne(schema.additionalItems) ||
    inMap(schema.definitions) ||
    inMap(schema.dependencies)
  );
}

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
