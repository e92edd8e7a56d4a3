/**
 * The JSON form of an object into Kubernetes' protobuf, byte for byte as its own encoder writes it: fields in ascending
 * order, also empty ones where Go has no pointer, maps by key. The object must have been checked.
 */
import { encodeJson, type Json } from '../../../kube/json.ts';
import { compareBytes } from '../../../kube/go-text.ts';
import { readGoDuration } from '../../../kube/go-duration.ts';
import { parseMicroTimeStrictly, parseTimeStrictly } from '../../../kube/time.ts';
import { ProtobufError } from '../../errors.ts';
import type { FieldFact, Scalar, TypeExpression } from '../parse-facts.ts';
import { typeSchema } from '../type-schema.ts';
import { WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './reader.ts';
import {
  createWriter,
  finish,
  writeByte,
  writeBytes,
  writeDouble,
  type Writer,
  writeSigned,
  writeString,
  writeUnsigned,
  written,
} from './writer.ts';

const shared = createWriter();

/** Encodes a bare message (without envelope) of the type of that name. */
export function encodeMessage(name: string, object: object): Buffer {
  try {
    messageEncoder(name)(shared, object as Bag);
  } catch (error) {
    finish(shared);
    throw error;
  }
  return finish(shared);
}

type Bag = { readonly [key: string]: unknown };
/** Writes the fields of a message, without its length. */
type MessageEncoder = (writer: Writer, object: Bag) => void;
/** Writes one value with its length, where it has one. */
type ValueEncoder = (writer: Writer, value: unknown) => void;

const encoders = new Map<string, MessageEncoder>();

function messageEncoder(name: string): MessageEncoder {
  const known = encoders.get(name);
  if (known !== undefined) return known;
  let compiled: MessageEncoder | undefined;
  const lazy: MessageEncoder = (writer, object) =>
    (compiled ??= membersEncoder(typeSchema(name).nested))(writer, object);
  encoders.set(name, lazy);
  return lazy;
}

function membersEncoder(fields: readonly FieldFact[]): MessageEncoder {
  const steps = fields
    .filter((field) => field.number > 0)
    .toSorted((a, b) => b.number - a.number)
    .map(fieldEncoder);
  return (writer, object) => {
    for (const step of steps) step(writer, object);
  };
}

function fieldEncoder(field: FieldFact): MessageEncoder {
  const { name, number, type } = field;
  if (name === '') {
    const inner = membersEncoder(type.kind === 'object' ? typeSchema(type.name).nested : []);
    return (writer, object) => nested(writer, number, () => inner(writer, object));
  }
  if (type.kind === 'list' && !type.wrapped) return repeated(field, type.element);
  if (type.kind === 'map') return mapOf(field, type.value);
  const tag = tagOf(number, type);
  const write = valueEncoder(type);
  // Go writes what is no pointer even when it is empty; lists and bytes are left out when nobody set them.
  const omitted = field.pointer || type.kind === 'list' || (type.kind === 'scalar' && type.scalar === 'bytes');
  return (writer, object) => {
    const value = object[name];
    if ((value === undefined || value === null) && omitted) return;
    write(writer, value ?? undefined);
    writeUnsigned(writer, tag);
  };
}

function repeated({ name, number }: FieldFact, element: TypeExpression): MessageEncoder {
  const tag = tagOf(number, element);
  const write = valueEncoder(element);
  return (writer, object) => {
    const list = object[name] as readonly unknown[] | undefined;
    for (let i = (list?.length ?? 0) - 1; i >= 0; i--) {
      write(writer, list?.[i] ?? undefined);
      writeUnsigned(writer, tag);
    }
  };
}

function mapOf({ name, number }: FieldFact, element: TypeExpression): MessageEncoder {
  const write = valueEncoder(element);
  const valueTag = tagOf(2, element);
  return (writer, object) => {
    const map = object[name] as Bag | undefined;
    if (map === undefined || map === null) return;
    for (const key of Object.keys(map).sort(compareBytes).reverse()) {
      nested(writer, number, () => {
        write(writer, map[key] ?? undefined);
        writeUnsigned(writer, valueTag);
        writeString(writer, key);
        writeByte(writer, (1 << 3) | WIRE_BYTES);
      });
    }
  };
}

function nested(writer: Writer, number: number, content: () => void): void {
  lengthOf(writer, content);
  writeUnsigned(writer, number * 8 + WIRE_BYTES);
}

/** Writes what `content` writes with its length in front. */
function lengthOf(writer: Writer, content: () => void): void {
  const before = written(writer);
  content();
  writeUnsigned(writer, written(writer) - before);
}

function tagOf(number: number, type: TypeExpression): number {
  if (type.kind !== 'scalar') return number * 8 + WIRE_BYTES;
  switch (type.scalar) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'uint8':
      return number * 8 + WIRE_VARINT;
    case 'double':
      return number * 8 + WIRE_FIXED64;
    default:
      return number * 8 + WIRE_BYTES;
  }
}

const EMPTY: Bag = Object.freeze({});

function valueEncoder(type: TypeExpression): ValueEncoder {
  if (type.kind === 'object') {
    const encode = messageEncoder(type.name);
    return (writer, value) => lengthOf(writer, () => encode(writer, (value ?? EMPTY) as Bag));
  }
  if (type.kind === 'scalar') return scalarEncoder(type.scalar);
  if (type.kind === 'map') throw new Error('a map is never a value of its own');
  const items = membersEncoder([{ ...ITEMS, type: { ...type, wrapped: false } }]);
  return (writer, value) => lengthOf(writer, () => items(writer, { items: value }));
}

const plain = (name: string, number: number, type: TypeExpression, pointer = false): FieldFact => ({
  name,
  number,
  type,
  pointer,
  always: false,
  omitZero: false,
  required: false,
  atomicMap: false,
  patchStrategies: [],
});
const scalar = (name: Scalar): TypeExpression => ({ kind: 'scalar', scalar: name });
const ITEMS = plain('items', 1, scalar('string'));
const JSON_SCHEMA: TypeExpression = { kind: 'object', name: 'apiextensions/v1.JSONSchemaProps' };
const listOf = (element: TypeExpression): TypeExpression => ({ kind: 'list', element, wrapped: false });

/** A small message that JSON writes as something else. */
function message(fields: readonly FieldFact[], fromJson: (value: unknown) => Bag): ValueEncoder {
  let encode: MessageEncoder | undefined;
  return (writer, value) => {
    encode ??= membersEncoder(fields);
    const members = encode;
    lengthOf(writer, () => members(writer, fromJson(value)));
  };
}

function scalarEncoder(name: Scalar): ValueEncoder {
  switch (name) {
    case 'string':
      return (writer, value) => writeString(writer, (value as string | undefined) ?? '');
    case 'bool':
      return (writer, value) => writeByte(writer, value === true ? 1 : 0);
    case 'int32':
    case 'int64':
    case 'uint8':
      return (writer, value) => writeSigned(writer, (value as number | bigint | undefined) ?? 0);
    case 'double':
      return (writer, value) => writeDouble(writer, Number(value ?? 0));
    case 'bytes':
      return (writer, value) => writeBytes(writer, Buffer.from((value as string | undefined) ?? '', 'base64'));
    case 'quantity':
      return message([plain('string', 1, scalar('string'))], (value) => ({ string: String(value ?? '0') }));
    case 'intorstring':
      return message(
        [plain('type', 1, scalar('int64')), plain('int', 2, scalar('int32')), plain('string', 3, scalar('string'))],
        (value) => (typeof value === 'string' ? { type: 1, string: value } : { int: value ?? 0 }),
      );
    case 'time':
      return timestamp(false);
    case 'microtime':
      return timestamp(true);
    case 'duration':
      return message([plain('duration', 1, scalar('int64'))], (value) => ({ duration: nanoseconds(value) }));
    case 'raw':
    case 'json':
    case 'fieldsv1':
      return (writer, value) =>
        lengthOf(writer, () => {
          if (value === undefined || value === null) return;
          writeString(writer, encodeJson(value as Json));
          writeByte(writer, (1 << 3) | WIRE_BYTES);
        });
    case 'schemaorbool':
      return message([plain('allows', 1, scalar('bool')), plain('schema', 2, JSON_SCHEMA, true)], (value) =>
        typeof value === 'object' ? { allows: true, schema: value } : { allows: value },
      );
    case 'schemaorarray':
      return message([plain('schema', 1, JSON_SCHEMA, true), plain('list', 2, listOf(JSON_SCHEMA))], (value) =>
        Array.isArray(value) ? { list: value } : { schema: value },
      );
    case 'schemaorstrings':
      return message([plain('schema', 1, JSON_SCHEMA, true), plain('list', 2, listOf(scalar('string')))], (value) =>
        Array.isArray(value) ? { list: value } : { schema: value },
      );
  }
}

function nanoseconds(value: unknown): bigint {
  const parsed = readGoDuration(typeof value === 'string' ? value : '0s');
  if (!parsed.ok) throw new ProtobufError(parsed.error);
  return parsed.nanos;
}

function timestamp(micros: boolean): ValueEncoder {
  const fields = membersEncoder([plain('seconds', 1, scalar('int64')), plain('nanos', 2, scalar('int32'))]);
  return (writer, value) =>
    lengthOf(writer, () => {
      // The zero time is an empty message.
      if (typeof value !== 'string') return;
      const parsed = micros ? parseMicroTimeStrictly(value) : parseTimeStrictly(value);
      if (!parsed.ok) throw new ProtobufError(parsed.error);
      const seconds = Math.floor(parsed.epochMs / 1000);
      const nanos = micros ? Math.round((parsed.epochMs - seconds * 1000) * 1000) * 1000 : 0;
      fields(writer, { seconds, nanos });
    });
}
