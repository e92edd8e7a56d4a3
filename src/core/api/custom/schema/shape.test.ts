import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../kube/immutable.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { fill, prune, withoutNulls } from './shape.ts';
import { type Structural, toStructural } from './structural.ts';
import { valueValidator } from './value-validator.ts';

const structuralOf = (schema: JSONSchemaProps): Structural => {
  const result = toStructural(schema);
  if (!result.ok) throw new Error(result.error);
  return result.structural;
};

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'x.y');
const leaf: fc.Arbitrary<JSONSchemaProps> = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 0, max: 4 }) }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('integer'), maximum: fc.integer({ min: -3, max: 3 }) }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('boolean'), nullable: fc.boolean() }),
  fc.record({ type: fc.constant('string'), default: fc.constantFrom('d', 'e') }),
  fc.constant<JSONSchemaProps>({ 'x-kubernetes-int-or-string': true }),
  fc.constant<JSONSchemaProps>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
);
const { schema: anySchema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.dictionary(name, tie('schema'), { maxKeys: 4 }), fc.array(name, { maxLength: 2 }))
      .map(([properties, required]): JSONSchemaProps => ({ type: 'object', properties, required })),
    tie('schema').map((items): JSONSchemaProps => ({ type: 'array', items })),
    tie('schema').map((additionalProperties): JSONSchemaProps => ({ type: 'object', additionalProperties })),
  ),
}));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>('', 'd', 'long text', 0, 2, 9, 1.5, true, null),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The kept part of a value, as an independent model: a value is kept where some schema specifies it. */
function kept(value: unknown, schema: JSONSchemaProps | undefined): unknown {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return value;
  if (Array.isArray(value)) {
    const items = schema?.items as JSONSchemaProps | undefined;
    return value.map((item) => kept(item, items));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const { additionalProperties, properties = {} } = schema ?? {};
    if (Object.hasOwn(properties, key)) return [[key, kept(member, properties[key])]];
    return typeof additionalProperties === 'object' ? [[key, kept(member, additionalProperties)]] : [];
  });
  return Object.fromEntries(entries);
}

describe('pruning and defaulting', () => {
  it('keeps exactly what the schema speaks of', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const pruned = prune(deepFreeze(value), structuralOf(schema), false).value;
        expect(JSON.stringify(pruned)).toBe(JSON.stringify(kept(value, schema)));
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing the second time, and returns the very same value', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const structural = structuralOf(schema);
        const once = fill(prune(deepFreeze(value), structural, false).value, structural);
        expect(prune(once, structural, false).value).toBe(once);
        expect(fill(once, structural)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it('reports as many unknown fields as it takes away', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const { unknownFields, value: pruned } = prune(value, structuralOf(schema), false);
        expect(unknownFields.length === 0).toBe(JSON.stringify(pruned) === JSON.stringify(value));
      }),
      { numRuns: 300 },
    );
  });

  it('never holds an unchanged value against an update', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const copy = structuredClone(value);
        expect(valueValidator(schema).validateUpdate(value, copy)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what was converted', () => {
  const text = { type: 'string' } as const;
  const schema = structuralOf({
    type: 'object',
    properties: {
      plain: text,
      may: { ...text, nullable: true },
      filled: { ...text, default: 'd' },
      list: { type: 'array', items: { type: 'object', properties: { plain: text } } },
      map: { type: 'object', additionalProperties: text },
    },
  });

  it('loses the nulls that neither the schema allows nor a default replaces', () => {
    const object = { plain: null, may: null, filled: null, list: [{ plain: null }, null], map: { a: null, b: 'x' } };
    expect(withoutNulls(deepFreeze(object), schema)).toEqual({
      may: null,
      filled: null,
      list: [{}, null],
      map: { b: 'x' },
    });
  });

  it('is the same object where it has none', () => {
    const object = deepFreeze({ plain: 'a', list: [{ plain: 'b' }], map: {}, unknown: null });
    expect(withoutNulls(object, schema)).toBe(object);
  });
});
