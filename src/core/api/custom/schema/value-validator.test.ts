/** The validator against an independent, much simpler reading of the same schemas: is the value valid or not? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../../kube/immutable.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { valueValidator } from './value-validator.ts';

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeMatches = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
};

function isValid(value: unknown, s: JSONSchemaProps): boolean {
  const isIntOrString = s['x-kubernetes-int-or-string'] === true;
  if (value === null) return (s.type === undefined && !isIntOrString) || s.nullable === true ? !s.enum : false;
  const checks: boolean[] = [
    isIntOrString
      ? Number.isInteger(value) || typeof value === 'string'
      : s.type === undefined || typeMatches(value, s.type),
    s.enum === undefined || s.enum.some((each) => each !== null && deepEqual(each, value)),
    (s.allOf ?? []).every((each) => isValid(value, each)),
    s.anyOf === undefined || s.anyOf.length === 0 || s.anyOf.some((each) => isValid(value, each)),
    s.oneOf === undefined || s.oneOf.length === 0 || s.oneOf.filter((each) => isValid(value, each)).length === 1,
    s.not === undefined || !isValid(value, s.not),
  ];
  if (typeof value === 'string') {
    const length = Array.from(value).length;
    checks.push(length <= (s.maxLength ?? Infinity), length >= (s.minLength ?? 0));
    if (s.pattern) checks.push(new RegExp(s.pattern, 'u').test(value));
  }
  if (typeof value === 'number') {
    checks.push(s.exclusiveMaximum ? value < (s.maximum ?? Infinity) : value <= (s.maximum ?? Infinity));
    checks.push(s.exclusiveMinimum ? value > (s.minimum ?? -Infinity) : value >= (s.minimum ?? -Infinity));
    if (s.multipleOf) checks.push(Number.isInteger(value / s.multipleOf));
  }
  if (Array.isArray(value)) {
    checks.push(value.length <= (s.maxItems ?? Infinity), value.length >= (s.minItems ?? 0));
    if (s.items) checks.push(value.every((item) => isValid(item, s.items as JSONSchemaProps)));
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    checks.push(keys.length <= (s.maxProperties ?? Infinity), keys.length >= (s.minProperties ?? 0));
    checks.push((s.required ?? []).every((name) => Object.hasOwn(value, name)));
    for (const key of keys) {
      const own = s.properties !== undefined && Object.hasOwn(s.properties, key) ? s.properties[key] : undefined;
      if (own !== undefined) checks.push(isValid(value[key], own));
      else if (typeof s.additionalProperties === 'object') checks.push(isValid(value[key], s.additionalProperties));
      else if (s.additionalProperties === false) checks.push(false);
    }
  }
  return checks.every(Boolean);
}

const small = fc.integer({ min: 0, max: 3 });
const name = fc.constantFrom('a', 'b', 'c', '__proto__');
const bounds = <T extends object>(
  type: string,
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
): fc.Arbitrary<JSONSchemaProps> => fc.record(model, { requiredKeys: [] }).map((more) => ({ type, ...more }));

const { schema: anySchema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    bounds('string', { maxLength: small, minLength: small, pattern: fc.constantFrom('^a', 'b$', '[ab]+') }),
    // Bounds of integers are integers, and factors are whole: Kubernetes' treatment of others is in the recorded cases.
    bounds('integer', {
      maximum: small,
      minimum: small,
      exclusiveMaximum: fc.boolean(),
      exclusiveMinimum: fc.boolean(),
      multipleOf: fc.integer({ min: 1, max: 3 }),
    }),
    bounds('number', { maximum: small, minimum: small }),
    bounds('boolean', { nullable: fc.boolean() }),
    bounds('string', { enum: fc.constantFrom(['a'], ['b', 'aa']) }),
    fc.constant<JSONSchemaProps>({ 'x-kubernetes-int-or-string': true }),
    fc
      .tuple(
        fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        fc.array(name, { maxLength: 2 }),
        fc.record({ maxProperties: small, minProperties: small, nullable: fc.boolean() }, { requiredKeys: [] }),
      )
      .map(([properties, required, more]): JSONSchemaProps => ({ type: 'object', properties, required, ...more })),
    fc
      .tuple(tie('schema'), fc.record({ maxItems: small, minItems: small }, { requiredKeys: [] }))
      .map(([items, more]): JSONSchemaProps => ({ type: 'array', items, ...more })),
    fc
      .oneof(tie('schema'), fc.boolean())
      .map((additionalProperties): JSONSchemaProps => ({ type: 'object', additionalProperties })),
    fc
      .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), fc.array(tie('schema'), { maxLength: 3 }))
      .map(([kind, list]): JSONSchemaProps => ({ [kind]: list })),
    tie('schema').map((not): JSONSchemaProps => ({ not })),
  ),
}));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>('', 'a', 'ab', 'b', 'aa', 'zzzz', '😀', 0, 1, 2, 3, 4, -1, 1.5, true, false, null),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));

describe('the validator', () => {
  it('agrees with a plain reading of the schema', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const errors = valueValidator(schema).validate(value);
        expect([schema, value, errors.length === 0]).toEqual([schema, value, isValid(value, schema)]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('says nothing twice, and everything with a place', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const texts = valueValidator(schema)
          .validate(value, 'spec')
          .map(({ field, message }) => `${field}: ${message}`);
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts.every((text) => text.startsWith('spec'))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
