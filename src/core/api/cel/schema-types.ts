/** Structural schemas as types: SchemaDeclType of Kubernetes, with the ways JSON of a schema becomes values. */
import { parseDuration, parseTimestamp, timestampOf } from './values/times.ts';
import { parseBase64 } from '../schema/base64.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import { MAX_REQUEST_BYTES } from '../../kube/request-limit.ts';
import { utf8Length } from '../../kube/go-text.ts';
import {
  BOOL_DECL,
  DOUBLE_DECL,
  INT_DECL,
  listDecl,
  mapDecl,
  objectDecl,
  scalar,
  STRING_DECL,
  UNNAMED,
} from './decl-types.ts';
import type { DeclType } from './decl-types.ts';
import { escapeName } from './values/escape.ts';
import { SchemaMap, type MemberSchema } from './values/schema-map.ts';
import { BYTES, DURATION, DYN, STRING, TIMESTAMP } from './types.ts';
import { ATOMIC, CelError, CelUnknownData, JsonList, type Adapt, type ListRule, type Val } from './values/values.ts';

const MAX_TIME_SIZE = 32;
const DATE_SIZE = 12;

const INT_OR_STRING = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

const STRING_SCHEMA: JSONSchemaProps = { type: 'string' };
const METADATA_SCHEMA: JSONSchemaProps = {
  type: 'object',
  properties: { name: STRING_SCHEMA, generateName: STRING_SCHEMA },
};

const itemsOf = (schema: JSONSchemaProps): JSONSchemaProps | undefined =>
  Array.isArray(schema.items) ? undefined : (schema.items as JSONSchemaProps | undefined);

const valuesOf = (schema: JSONSchemaProps): JSONSchemaProps | undefined =>
  typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;

/** Roots of resources have apiVersion, kind and the names in metadata, whether the schema says so or not. */
function withObjectMeta(schema: JSONSchemaProps): JSONSchemaProps {
  const { properties } = schema;
  const metadata = properties?.metadata;
  const complete =
    properties?.kind?.type === 'string' &&
    properties.apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.name?.type === 'string' &&
    metadata.properties.generateName?.type === 'string';
  if (complete) return schema;
  return {
    ...schema,
    properties: { ...properties, kind: STRING_SCHEMA, apiVersion: STRING_SCHEMA, metadata: METADATA_SCHEMA },
  };
}

const notNegative = (value: number): number => Math.max(0, value);

/**
 * The type of values of this schema; `undefined` when expressions cannot see such values. `resourceRoot` is for the
 * root of a custom resource.
 */
export function declTypeOf(schema: JSONSchemaProps, resourceRoot = false): DeclType | undefined {
  if (schema[INT_OR_STRING] === true) {
    const maxElements = schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notNegative(schema.maxLength) * 4;
    return scalar(DYN, 1, { maxElements, adapt: adapterOf(schema) });
  }
  if (resourceRoot) return typedDecl(withObjectMeta(schema));
  return typedDecl(schema);
}

function typedDecl(schema: JSONSchemaProps): DeclType | undefined {
  switch (schema.type ?? '') {
    case 'array':
      return arrayDecl(schema);
    case 'object':
      return valuesOf(schema) ? valuesDecl(schema) : propertiesDecl(schema);
    case 'string':
      return stringDecl(schema);
    case 'boolean':
      return { ...BOOL_DECL, adapt: adapterOf(schema) };
    case 'number':
      return { ...DOUBLE_DECL, adapt: adapterOf(schema) };
    case 'integer':
      return { ...INT_DECL, adapt: adapterOf(schema) };
    default:
      return undefined;
  }
}

const memberDecl = (schema: JSONSchemaProps): DeclType | undefined => declTypeOf(schema, schema[EMBEDDED] === true);

function arrayDecl(schema: JSONSchemaProps): DeclType | undefined {
  const items = itemsOf(schema);
  const element = items && memberDecl(items);
  if (!element) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSerializedSize + 1));
  return listDecl(element, schema.maxItems === undefined ? fitting : notNegative(schema.maxItems), adapterOf(schema));
}

function valuesDecl(schema: JSONSchemaProps): DeclType | undefined {
  const values = valuesOf(schema);
  const element = values && memberDecl(values);
  if (!element) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSerializedSize + 6));
  const most = schema.maxProperties === undefined ? fitting : notNegative(schema.maxProperties);
  return mapDecl(STRING_DECL, element, most, adapterOf(schema));
}

function propertiesDecl(schema: JSONSchemaProps): DeclType {
  const fields = new Map<string, DeclType>();
  const required = new Set(schema.required);
  let smallest = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const decl = memberDecl(property);
    if (!decl) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, decl);
    if (required.has(name) && property.default === undefined) smallest += utf8Length(name) + decl.minSerializedSize + 4;
  }
  return objectDecl(UNNAMED, fields, smallest, adapterOf(schema));
}

function stringDecl(schema: JSONSchemaProps): DeclType {
  const adapt = adapterOf(schema);
  switch (schema.format ?? '') {
    case 'byte': {
      const maxElements = schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notNegative(schema.maxLength);
      return scalar(BYTES, 2, { maxElements, adapt });
    }
    case 'duration':
      return scalar(DURATION, 3, { maxElements: MAX_TIME_SIZE, adapt });
    case 'date':
      return scalar(TIMESTAMP, DATE_SIZE, { maxElements: DATE_SIZE, adapt });
    case 'date-time':
      return scalar(TIMESTAMP, 21, { maxElements: MAX_TIME_SIZE, adapt });
    default:
      return scalar(STRING, 2, { maxElements: longestString(schema), adapt });
  }
}

function longestString(schema: JSONSchemaProps): number {
  // maxLength counts characters, of up to four bytes each.
  if (schema.maxLength !== undefined) return notNegative(schema.maxLength) * 4;
  if (!schema.enum || schema.enum.length === 0) return MAX_REQUEST_BYTES - 2;
  return Math.max(0, ...schema.enum.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)));
}

const adapters = new WeakMap<JSONSchemaProps, Adapt>();

const NOT_NULLABLE = new CelError('invalid data, got null for schema with nullable=false');

/** How JSON of a schema becomes values. The same schema yields the same function. */
function adapterOf(schema: JSONSchemaProps): Adapt {
  const known = adapters.get(schema);
  if (known) return known;
  const typed = typedAdapter(schema);
  const adapt: Adapt = (json) => (json === null ? (schema.nullable === true ? null : NOT_NULLABLE) : typed(json));
  adapters.set(schema, adapt);
  return adapt;
}

const wrong = (message: string): CelError => new CelError(message);

/** Go's `%T` of a JSON value. */
function goTypeOf(json: Json): string {
  if (typeof json === 'string') return 'string';
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'bigint') return 'int64';
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
}

function typedAdapter(schema: JSONSchemaProps): Adapt {
  if (schema[INT_OR_STRING] === true) return adaptIntOrString;
  switch (schema.type ?? '') {
    case 'object':
      return objectAdapter(schema);
    case 'array':
      return arrayAdapter(schema);
    case 'string':
      return stringAdapter(schema.format);
    case 'number':
      return (json) =>
        typeof json === 'number' || typeof json === 'bigint'
          ? Number(json)
          : wrong(`invalid data, expected float, got ${goTypeOf(json)}`);
    case 'integer':
      return adaptInteger;
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : wrong(`invalid data, expected bool, got ${goTypeOf(json)}`));
    default:
      if (schema[PRESERVE] === true) return (json) => new CelUnknownData(json);
      return () =>
        wrong(
          `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
        );
  }
}

function adaptInteger(json: Json): Val {
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
  if (typeof json === 'bigint') return json;
  return wrong(`invalid data, expected int, got ${goTypeOf(json)}`);
}

function adaptIntOrString(json: Json): Val {
  if (typeof json === 'string' || typeof json === 'bigint') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
  return wrong('invalid data, expected XIntOrString value to be either a string or integer');
}

function objectAdapter(schema: JSONSchemaProps): Adapt {
  // Made on first use: schemas may be deep, and most members are never read.
  let members: MemberSchema | undefined;
  return (json) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      return wrong('invalid data, expected a map for the provided schema with type=object');
    }
    members ??= membersOf(schema);
    return new SchemaMap(json as JsonObject, members);
  };
}

function membersOf(schema: JSONSchemaProps): MemberSchema {
  const embedded = schema[EMBEDDED] === true;
  const { properties } = embedded ? withObjectMeta(schema) : schema;
  if (properties) {
    const named = new Map(Object.entries(properties).map(([name, property]) => [name, adapterOf(property)]));
    return { kind: 'properties', adapters: named };
  }
  const values = valuesOf(schema);
  return values ? { kind: 'values', adapt: adapterOf(values) } : { kind: 'nothing' };
}

function listRuleOf(schema: JSONSchemaProps): ListRule {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return { type };
  if (type === 'map')
    return { type, keys: (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key) };
  return ATOMIC;
}

function arrayAdapter(schema: JSONSchemaProps): Adapt {
  const items = itemsOf(schema);
  if (!items) return () => wrong('invalid array type, expected Items with a non-empty Schema');
  const adapt = adapterOf(items);
  const rule = listRuleOf(schema);
  return (json) =>
    Array.isArray(json)
      ? new JsonList(json as readonly Json[], adapt, rule)
      : wrong('invalid data, expected an array for the provided schema with type=array');
}

function stringAdapter(format: string | undefined): Adapt {
  const read = STRING_FORMATS.get(format ?? '');
  return (json) => {
    if (typeof json !== 'string') return wrong(`invalid data, expected string, got ${goTypeOf(json)}`);
    return read ? read(json) : json;
  };
}

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

const STRING_FORMATS: ReadonlyMap<string, (text: string) => Val> = new Map<string, (text: string) => Val>([
  ['duration', (text) => parseDuration(text) ?? wrong(`Invalid duration ${text}`)],
  [
    'date',
    (text) =>
      (DATE.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined) ??
      wrong(`Invalid date formatted string ${text}`),
  ],
  ['date-time', (text) => dateTime(text) ?? wrong(`Invalid date-time formatted string ${text}`)],
  [
    'byte',
    (text) => {
      const parsed = parseBase64(text);
      if ('error' in parsed) return wrong(`Invalid byte formatted string ${text}: ${parsed.error}`);
      return new Uint8Array(Buffer.from(parsed.text, 'base64'));
    },
  ],
]);

function dateTime(text: string): Val | undefined {
  const time = parseTimestamp(text.replace(' ', 'T').replace(/t/, 'T').replace(/z$/, 'Z'));
  if (time === undefined || time instanceof CelError) return time;
  return timestampOf(time.seconds, time.nanos, time.offsetMinutes);
}
