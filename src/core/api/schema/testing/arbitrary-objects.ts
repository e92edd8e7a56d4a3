/** Arbitrary objects of any type in the facts, as a client could send them in either encoding. */
import fc from 'fast-check';
import { parseJson } from '../../../kube/json.ts';
import type { Scalar, TypeExpression } from '../parse-facts.ts';
import { type FieldSchema, typeSchema } from '../type-schema.ts';

const JSON_SCHEMA: TypeExpression = { kind: 'object', name: 'apiextensions/v1.JSONSchemaProps' };
const word = fc.string({ unit: 'grapheme', maxLength: 8 });
const moment = fc.integer({ min: -1_000_000_000, max: 4_000_000_000 }).filter((seconds) => seconds !== 0);
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  // Protobuf has no null; minus zero is written without its sign, and long integers are read as bigints.
  .map((value): unknown => parseJson(JSON.stringify(value)))
  .filter((value) => value !== null);

const SCALARS: Record<Scalar, (depth: number) => fc.Arbitrary<unknown>> = {
  string: () => word,
  bool: () => fc.boolean(),
  int32: () => fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  int64: () =>
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
  uint8: () => fc.integer({ min: 0, max: 255 }),
  double: () => fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: () => fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  quantity: () => fc.constantFrom('0', '1', '100m', '128Mi', '1500m', '1e3', '2Gi', '-1', '1n'),
  intorstring: () => fc.oneof(fc.integer({ min: -5, max: 65535 }), word),
  time: () => moment.map((seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')),
  microtime: () =>
    fc
      .tuple(moment, fc.integer({ min: 0, max: 999_999 }))
      .map(([seconds, micros]) =>
        new Date(seconds * 1000).toISOString().replace('000Z', String(micros).padStart(6, '0') + 'Z'),
      ),
  duration: () => fc.constantFrom('0s', '1m0s', '24h0m0s', '1.5s'),
  raw: () => json,
  json: () => json,
  fieldsv1: () => json,
  schemaorbool: (depth) => (depth > 3 ? fc.boolean() : fc.oneof(fc.boolean(), value(JSON_SCHEMA, depth + 1))),
  schemaorarray: (depth) =>
    depth > 3
      ? fc.constant([{ type: 'string' }])
      : fc.oneof(
          value(JSON_SCHEMA, depth + 1),
          fc.array(value(JSON_SCHEMA, depth + 1), { minLength: 1, maxLength: 2 }),
        ),
  schemaorstrings: (depth) =>
    depth > 3
      ? fc.constant(['a'])
      : fc.oneof(value(JSON_SCHEMA, depth + 1), fc.array(word, { minLength: 1, maxLength: 2 })),
};

/** Any value of a type; the deeper, the fewer optional members. */
function value(type: TypeExpression, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar](depth);
    case 'list':
      return fc.array(value(type.element, depth + 1), { maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.oneof(word, fc.constantFrom('__proto__', 'constructor')), value(type.value, depth + 1), {
        maxKeys: 2,
        noNullPrototype: true,
      });
    case 'object':
      return objectOf(type.name, depth);
  }
}

const known = new Map<string, fc.Arbitrary<object>>();

/** Any object of a type of the facts. */
export function objectOf(name: string, depth = 0): fc.Arbitrary<object> {
  const key = `${name} ${depth}`;
  let arbitrary = known.get(key);
  if (arbitrary === undefined) known.set(key, (arbitrary = makeObject(name, depth)));
  return arbitrary;
}

function makeObject(name: string, depth: number): fc.Arbitrary<object> {
  const fields = typeSchema(name).fields.filter((field) => field.number > 0 && (depth < 4 || isLeaf(field)));
  return fc
    .subarray(fields, { maxLength: Math.min(fields.length, Math.max(1, 6 - depth)) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field.name, member(field, depth)]))))
    .map((members) => ({ ...members }));
}

const members = new WeakMap<FieldSchema, fc.Arbitrary<unknown>[]>();

/** Arbitraries are dear to make, and the same field is drawn again and again. */
function member(field: FieldSchema, depth: number): fc.Arbitrary<unknown> {
  let byDepth = members.get(field);
  if (byDepth === undefined) members.set(field, (byDepth = []));
  return (byDepth[depth] ??= value(field.type, depth + 1));
}

const isLeaf = (field: FieldSchema): boolean =>
  field.type.kind === 'scalar' && !['schemaorbool', 'schemaorarray', 'schemaorstrings'].includes(field.type.scalar);
