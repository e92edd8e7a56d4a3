import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkObject } from '../check.ts';
import { ProtobufError } from '../../errors.ts';
import type { Scalar, TypeExpression } from '../parse-facts.ts';
import { type FieldSchema, typeNames, typeSchema } from '../type-schema.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { decodeProtobufObject } from './envelope.ts';

const JSON_SCHEMA: TypeExpression = { kind: 'object', name: 'apiextensions/v1.JSONSchemaProps' };
const word = fc.string({ unit: 'grapheme', maxLength: 8 });
const moment = fc.integer({ min: -1_000_000_000, max: 4_000_000_000 }).filter((seconds) => seconds !== 0);
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  // Protobuf has no null; minus zero is written without its sign.
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
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
      return object(type.name, depth);
  }
}

function object(name: string, depth: number): fc.Arbitrary<object> {
  const fields = typeSchema(name).fields.filter((field) => field.number > 0 && (depth < 4 || isLeaf(field)));
  return fc
    .subarray(fields, { maxLength: Math.min(fields.length, Math.max(1, 6 - depth)) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field.name, value(field.type, depth + 1)]))))
    .map((members) => ({ ...members }));
}

const isLeaf = (field: FieldSchema): boolean =>
  field.type.kind === 'scalar' && !['schemaorbool', 'schemaorarray', 'schemaorstrings'].includes(field.type.scalar);

const messages = typeNames().filter((name) => {
  const { nested } = typeSchema(name);
  return nested.length > 0 && nested.every((field) => field.number > 0);
});
const anyMessage = fc.constantFrom(...messages).chain((name) => fc.tuple(fc.constant(name), object(name, 0)));

describe('any object of any type', () => {
  it('survives protobuf', () => {
    fc.assert(
      fc.property(anyMessage, ([name, members]) => {
        const checked = checkObject(name, members);
        expect(checked.error).toBeUndefined();
        const decoded = decodeMessage(name, encodeMessage(name, checked.object));
        expect(decoded).toEqual(checked.object);
        expect(checkObject(name, decoded).object).toBe(decoded);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('malformed protobuf', () => {
  /** True if the bytes were read, or refused with the error that says so. */
  const readOrRefused = (read: () => object): boolean => {
    try {
      return typeof read() === 'object';
    } catch (error) {
      return error instanceof ProtobufError;
    }
  };

  it('is refused or read, whatever bytes are changed or cut off', () => {
    fc.assert(
      fc.property(
        anyMessage,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat()),
        ([name, members], changes, cut) => {
          const bytes = Buffer.from(encodeMessage(name, checkObject(name, members).object));
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const end = cut === null ? bytes.length : cut % (bytes.length + 1);
          expect(readOrRefused(() => decodeMessage(name, bytes.subarray(0, end)))).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('is refused when its time lies beyond the years that can be written', () => {
    const seconds = Buffer.from([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08]);
    const bytes = Buffer.concat([Buffer.from([0x12, seconds.length]), seconds]);
    expect(() => decodeMessage('autoscaling/v1.HorizontalPodAutoscalerStatus', bytes)).toThrow(ProtobufError);
  });

  it('is refused or read when it is noise', () => {
    fc.assert(
      fc.property(fc.constantFrom(...messages), fc.uint8Array({ maxLength: 64 }), (name, bytes) => {
        expect(readOrRefused(() => decodeMessage(name, bytes))).toBe(true);
        const framed = Buffer.concat([Buffer.from('k8s\0'), bytes]);
        expect(readOrRefused(() => decodeProtobufObject(framed))).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});
