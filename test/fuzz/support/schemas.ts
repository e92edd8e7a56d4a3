/** Structural schemas as users might write them: types first, then what values of that type must be. */
import * as fc from 'fast-check';
import type { Json } from '../../../src/core/kube/json.ts';
import type { JSONSchemaProps } from '../../../src/core/api/types/apiextensions-v1.ts';

/** Names that mean something to JavaScript are names like any other. */
export const NAMES = ['a', 'b', 'c', 'constructor', 'toString', 'x-y', 'hasOwnProperty'];
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 4 });
/** Patterns that mean the same to RE2 and to JavaScript. */
const PATTERNS = ['^a', 'b$', '[ab]+', '^(?:a|b)*$', '^[^x]{0,3}$', 'a{2,3}', '\\d+', '^$', '^\\w+-\\w+$'];
const FORMATS = ['uuid', 'ipv4', 'date', 'nonsense'];

/** Some of the members, each as likely as not. */
const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const textRules = some<JSONSchemaProps>({
  maxLength: small,
  minLength: fc.integer({ min: 0, max: 2 }),
  pattern: fc.constantFrom(...PATTERNS),
});
/** Whole bounds and factors: what Kubernetes makes of others for whole values is a matter of its own. */
const numberRules = some<JSONSchemaProps>({
  maximum: fc.integer({ min: -1, max: 9 }),
  minimum: fc.integer({ min: -5, max: 3 }),
  exclusiveMaximum: fc.boolean(),
  exclusiveMinimum: fc.boolean(),
  multipleOf: fc.integer({ min: 1, max: 3 }),
});
const listRules = some<JSONSchemaProps>({ maxItems: small, minItems: fc.integer({ min: 0, max: 1 }) });
const objectRules = some<JSONSchemaProps>({
  maxProperties: small,
  minProperties: fc.integer({ min: 0, max: 1 }),
  required: fc.uniqueArray(name, { maxLength: 2 }),
});
const enumOf = (...lists: (readonly Json[])[]): fc.Arbitrary<JSONSchemaProps> =>
  fc.constantFrom(...lists).map((values) => ({ enum: values }));

/** What stands under allOf and its like: rules without types. */
const { rules } = fc.letrec<{ rules: JSONSchemaProps }>((tie) => ({
  rules: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    textRules,
    numberRules,
    listRules,
    objectRules,
    enumOf([1, 'a'], ['b', null], [{ a: 1 }, []]),
    fc.dictionary(name, tie('rules'), { maxKeys: 2, noNullPrototype: true }).map((properties) => ({ properties })),
    tie('rules').map((items) => ({ items })),
    tie('rules').map((not) => ({ not })),
    fc.array(tie('rules'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
  ),
}));

const group = fc.array(rules, { minLength: 1, maxLength: 3 });
const combinations = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: group.map((allOf) => ({ allOf })) },
  { weight: 1, arbitrary: group.map((anyOf) => ({ anyOf })) },
  { weight: 1, arbitrary: group.map((oneOf) => ({ oneOf })) },
  { weight: 1, arbitrary: rules.map((not) => ({ not })) },
);
const nullable = fc.constantFrom({}, {}, {}, { nullable: true });

const typed = (type: string, ...more: fc.Arbitrary<JSONSchemaProps>[]): fc.Arbitrary<JSONSchemaProps> =>
  fc.tuple(combinations, nullable, ...more).map((parts) => Object.assign({ type }, ...parts) as JSONSchemaProps);

const { object, schema } = fc.letrec<{ schema: JSONSchemaProps; object: JSONSchemaProps; list: JSONSchemaProps }>(
  (tie) => ({
    object: fc.oneof(
      {
        weight: 4,
        arbitrary: typed(
          'object',
          objectRules,
          fc
            .dictionary(name, tie('schema'), { maxKeys: 4, noNullPrototype: true })
            .map((properties) => ({ properties })),
        ),
      },
      {
        weight: 1,
        arbitrary: typed(
          'object',
          objectRules,
          tie('schema').map((additionalProperties) => ({ additionalProperties })),
        ),
      },
      { weight: 1, arbitrary: typed('object', fc.constant({ 'x-kubernetes-preserve-unknown-fields': true })) },
    ),
    list: fc.oneof(
      typed(
        'array',
        listRules,
        tie('schema').map((items) => ({ items })),
      ),
      fc
        .constantFrom('string', 'integer', 'boolean')
        .map((type) => ({ type: 'array', items: { type }, 'x-kubernetes-list-type': 'set' })),
    ),
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true, depthSize: 'small' },
      typed('string', textRules),
      typed(
        'string',
        fc.constantFrom(...FORMATS).map((format) => ({ format })),
      ),
      typed('string', enumOf(['a'], ['b', 'aa', ''])),
      typed('integer', numberRules, fc.constantFrom({}, { format: 'int32' }, { format: 'int64' })),
      typed('integer', enumOf([0, 1, 5])),
      typed('number', numberRules, fc.constantFrom({}, { format: 'double' })),
      typed('boolean'),
      nullable.map((more) => ({ 'x-kubernetes-int-or-string': true, ...more })),
      nullable.map((more) => ({ 'x-kubernetes-preserve-unknown-fields': true, ...more })),
      tie('object'),
      tie('list'),
    ),
  }),
);

export const anySchema = schema;
export const objectSchema = object;
