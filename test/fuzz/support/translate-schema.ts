/**
 * Kubernetes' schemas in the words of JSON Schema. The differences, all of them documented upstream or plain from its
 * validator: null is judged by type and enum alone and an enum never allows it; bounds say with a flag that they are
 * exclusive; integers are those of 64 bits (or 32); a text with a format that is checked may also be a list.
 */
import type { SchemaObject } from 'ajv';
import type { JSONSchemaProps } from '../../../src/core/api/types/apiextensions-v1.ts';

const CHECKED_FORMATS: { readonly [format: string]: string } = {
  uuid: '^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$',
  ipv4: '^(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.|$)){4}(?<!\\.)$',
  date: '^\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))$',
};

const RANGES = {
  int32: { minimum: -(2 ** 31), exclusiveMaximum: 2 ** 31 },
  int64: { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 },
};

export function translate(schema: JSONSchemaProps): SchemaObject {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const allowsNull = (schema.type === undefined && !isIntOrString) || schema.nullable === true;
  const others = { ...rules(schema), ...types(schema) };
  // Where null is valid, it is so whatever the other rules say; where it is not, type or enum refuse it by themselves.
  return allowsNull && schema.enum === undefined ? { if: { type: 'null' }, else: others } : others;
}

function types(schema: JSONSchemaProps): SchemaObject {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] };
  if (schema.type === undefined) return {};
  const format = schema.format ?? '';
  const checked = Object.hasOwn(CHECKED_FORMATS, format) ? CHECKED_FORMATS[format] : undefined;
  if (checked !== undefined) return { type: ['string', 'array'], allOf: [combined(schema), { pattern: checked }] };
  if (schema.type !== 'integer') return { type: schema.type };
  return { type: 'integer', allOf: [combined(schema), RANGES[format === 'int32' ? 'int32' : 'int64']] };
}

/** Combinations that an `allOf` of ours would otherwise displace. */
const combined = ({ allOf }: JSONSchemaProps): SchemaObject =>
  allOf === undefined ? {} : { allOf: allOf.map(translate) };

function rules(schema: JSONSchemaProps): SchemaObject {
  const { additionalProperties, exclusiveMaximum, exclusiveMinimum, items, maximum, minimum, not, properties } = schema;
  const result: SchemaObject = { ...combined(schema) };
  const copied = ['maxLength', 'minLength', 'pattern', 'multipleOf', 'maxItems', 'minItems'] as const;
  for (const key of copied) if (schema[key] !== undefined) result[key] = schema[key];
  for (const key of ['maxProperties', 'minProperties', 'required'] as const) {
    if (schema[key] !== undefined) result[key] = schema[key];
  }
  if (schema.enum !== undefined) result['enum'] = schema.enum.filter((value) => value !== null);
  if (maximum !== undefined) result[exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum'] = maximum;
  if (minimum !== undefined) result[exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum'] = minimum;
  if (properties !== undefined) {
    result['properties'] = Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, translate(each)]));
  }
  if (typeof additionalProperties === 'object') result['additionalProperties'] = translate(additionalProperties);
  else if (additionalProperties !== undefined) result['additionalProperties'] = additionalProperties;
  if (items !== undefined) result['items'] = translate(items as JSONSchemaProps);
  if (schema['x-kubernetes-list-type'] === 'set') result['uniqueItems'] = true;
  if (not !== undefined) result['not'] = translate(not);
  for (const key of ['anyOf', 'oneOf'] as const)
    if (schema[key] !== undefined) result[key] = schema[key].map(translate);
  return result;
}
