/** Values that fit a schema more often than not, and the same ones spoilt. */
import * as fc from 'fast-check';
import type { JSONSchemaProps } from '../../../src/core/api/types/apiextensions-v1.ts';
import { encodeJson, parseJson, type Json } from '../../../src/core/kube/json.ts';
import { NAMES } from './schemas.ts';
import { mutate, mutations } from './mutations.ts';

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    'ab',
    'aab',
    'aaa',
    'x',
    'a-b',
    '12',
    '😀',
    '1.2.3.4',
    '2026-02-28',
    '2026-02-30',
    '1.2.3.256',
  ),
  fc.uuid(),
  fc.string({ maxLength: 4 }),
);
const integer = fc.oneof(
  fc.integer({ min: -3, max: 9 }),
  fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e19, 1e300),
);
const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const extra = fc.constantFrom<Json>({}, {}, {}, { a: 1 }, { unknown: null }, { ['__proto__']: { polluted: true } });

/** Mostly valid; combinations of schemas are left to luck. */
export function valueFor(schema: JSONSchemaProps): fc.Arbitrary<Json> {
  const value = plainValueFor(schema);
  return schema.nullable === true ? fc.oneof({ weight: 5, arbitrary: value }, fc.constant(null)) : value;
}

function plainValueFor(schema: JSONSchemaProps): fc.Arbitrary<Json> {
  if (schema.enum !== undefined && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(integer, text);
  switch (schema.type) {
    case 'string':
      return text;
    case 'integer':
      return integer;
    case 'number':
      return fc.oneof(
        integer,
        fc.integer({ min: -8, max: 16 }).map((value) => value / 4),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor((schema.items ?? {}) as JSONSchemaProps), { maxLength: 3 });
    case 'object':
      return objectFor(schema);
    case undefined:
    default:
      return anything;
  }
}

function objectFor({ additionalProperties, properties = {}, required = [] }: JSONSchemaProps): fc.Arbitrary<Json> {
  const members = Object.entries(properties).map(([key, each]) => [key, valueFor(each)] as const);
  const known = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((key) => Object.hasOwn(properties, key)),
  });
  const others =
    typeof additionalProperties === 'object'
      ? fc.dictionary(fc.constantFrom(...NAMES), valueFor(additionalProperties), { maxKeys: 3, noNullPrototype: true })
      : fc.constant({});
  return fc.tuple(known, others, extra).map(([a, b, c]) => ({ ...(c as object), ...b, ...a }));
}

function mapNumbers(value: Json, change: (number: number | bigint) => number): Json {
  if (typeof value === 'number' || typeof value === 'bigint') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapNumbers(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapNumbers(each ?? null, change)]));
}

export const withoutHugeNumbers = (value: Json): Json =>
  mapNumbers(value, (number) => (Math.abs(Number(number)) > 2 ** 40 ? 2 ** 40 : Number(number)));

/** Read from text as values from outside are; but ajv knows no bigints. */
export const spoiltValue = (value: Json): fc.Arbitrary<Json> =>
  mutations.map((list) => mapNumbers(parseJson(encodeJson(mutate(value, list))), Number));
