/** Properties of every component: generated from the schema itself, so that no field is left out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ObjectSchema, type Schema, snakeCase } from '../../api/component/language.ts';
import { SecretText } from '../../api/component/secret-text.ts';
import { manifest } from '../../api/component/spec.ts';
import { readObject, loadManifests } from './load.ts';
import { printObjects, printYaml } from '../print/print-yaml.ts';
import { MODES } from '../render/mode.ts';
import { renderComponent } from '../render/render.ts';
import { checkComponent } from '../validate/check-component.ts';

const FORMATS: { readonly [format: string]: fc.Arbitrary<string> } = {
  digest: fc.constant(`sha256:${'a'.repeat(64)}`),
  ip: fc.constantFrom('10.0.0.1', '2001:db8::1'),
  'absolute-path': fc.constantFrom('/a', '/var/log'),
  'env-name': fc.constantFrom('A', 'B_C', 'D1', 'E'),
  'label-key': fc.constantFrom('a', 'example.com/b', 'c'),
};
const WORD = fc.constantFrom('a', 'bc', 'd-e', 'f1', 'x9');

/** A value the schema allows, in canonical form. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.kind) {
    case 'text':
      if (schema.values !== undefined) return fc.constantFrom(...schema.values);
      return FORMATS[schema.format ?? ''] ?? (schema.isEmptyAllowed === true ? fc.oneof(WORD, fc.constant('')) : WORD);
    case 'secret':
      return fc.constantFrom('s3cret', 'env:X', 'file:y');
    case 'integer':
      return fc.integer({ min: Math.max(schema.min, -5), max: Math.min(schema.max, 1000) });
    case 'boolean':
      return fc.boolean();
    case 'bound':
      return fc.constantFrom(0, 1, 5, '10%');
    case 'quantity':
      return fc.constantFrom('1', '100m', '64Mi');
    case 'any':
      return fc.constant(undefined);
    case 'list':
      return schema.key === undefined
        ? fc.array(valueOf(schema.items), { minLength: schema.minItems, maxLength: 2 })
        : fc.uniqueArray(valueOf(schema.items) as fc.Arbitrary<{ [key: string]: unknown }>, {
            maxLength: 2,
            selector: (item) => item[schema.key ?? ''],
          });
    case 'map':
      return fc.dictionary(schema.keys === undefined ? WORD : (FORMATS[schema.keys] ?? WORD), valueOf(schema.values), {
        minKeys: schema.minItems,
        maxKeys: 2,
        noNullPrototype: true,
      });
    case 'object':
      return objectOf(schema);
  }
}

function objectOf(schema: ObjectSchema): fc.Arbitrary<unknown> {
  const { alternatives = [] } = schema;
  const fields = Object.entries(schema.fields).filter(([name]) => !alternatives.includes(name));
  const model = Object.fromEntries(fields.map(([name, field]) => [name, valueOf(field.schema)]));
  const requiredKeys = fields.filter(([, field]) => field.isRequired).map(([name]) => name);
  const base = fc.record(model, { requiredKeys, noNullPrototype: true });
  if (alternatives.length === 0) return base;
  const choice = fc.constantFrom(...alternatives).chain((name) => {
    const field = schema.fields[name];
    return field === undefined
      ? fc.constant({})
      : fc.record({ [name]: valueOf(field.schema) }, { noNullPrototype: true });
  });
  return fc.tuple(base, choice).map(([one, other]) => ({ ...one, ...other }));
}

const component = (objectOf(manifest) as fc.Arbitrary<{ spec: object }>).map((value) => ({
  ...value,
  apiVersion: 'kubernetes.planton.dev/v1',
}));

/** Every field in snake_case, map keys as they are. */
function inSnakeCase(schema: Schema, value: unknown): unknown {
  if (schema.kind === 'list') return (value as readonly unknown[]).map((item) => inSnakeCase(schema.items, item));
  if (schema.kind === 'map')
    return Object.fromEntries(
      Object.entries(value as object).map(([key, member]) => [key, inSnakeCase(schema.values, member)]),
    );
  if (schema.kind !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, member]) => {
      const field = schema.fields[name];
      return field === undefined || member === undefined ? [] : [[snakeCase(name), inSnakeCase(field.schema, member)]];
    }),
  );
}

/** With secrets as they would be written. */
const revealedJson = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, function (this: { readonly [key: string]: unknown }, key, member: unknown) {
      const own = this[key];
      return own instanceof SecretText ? (own.reveal() ?? own.describe()) : member;
    }),
  );

const RUNS = { numRuns: 40 };

describe('every component', () => {
  it('is read without complaint', () => {
    fc.assert(
      fc.property(component, (value) => {
        expect(readObject(value).problems).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is the same in snake_case and in camelCase', () => {
    fc.assert(
      fc.property(component, (value) => {
        const snake = readObject(inSnakeCase(manifest, value));
        expect(snake.problems).toEqual([]);
        expect(revealedJson(snake.component)).toEqual(revealedJson(readObject(value).component));
      }),
      RUNS,
    );
  });

  it('is read back as it was printed', () => {
    fc.assert(
      fc.property(component, (value) => {
        const canonical = revealedJson(readObject(value).component);
        const { components, problems } = loadManifests([{ file: 'm', text: printYaml(canonical) }]);
        expect(problems).toEqual([]);
        expect(revealedJson(components[0]?.component)).toEqual(canonical);
      }),
      RUNS,
    );
  });

  it('gives the same bytes twice, whatever order it was written in, and breaks nothing', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(component, fc.constantFrom(...MODES), (value, mode) => {
        const read = readObject(value);
        const text = printObjects(renderComponent(read.component, { mode }).objects);
        expect(printObjects(renderComponent(readObject(reversed(value)).component, { mode }).objects)).toBe(text);
        expect(text).not.toMatch(/undefined|\[object/);
        expect(checkComponent(read, { mode }).problems).toBeDefined();
      }),
      RUNS,
    );
  });
});
