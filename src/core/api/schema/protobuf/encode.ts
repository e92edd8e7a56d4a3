/**
 * The JSON form of an object into Kubernetes' protobuf, byte for byte as its own encoder writes it: fields in ascending
 * order, also empty ones where Go has no pointer, maps by key. The object must have been checked.
 */
import { encodeJson, type Json } from '../../../kube/json.ts';
import { compareBytes } from '../../../kube/go-text.ts';
import { readGoDuration } from '../../../kube/go-duration.ts';
import { parseMicroTimeStrictly, parseTimeStrictly } from '../../../kube/time.ts';
import { ProtobufError } from '../../errors.ts';
import { encodeRaw } from '../../encoding/object-json.ts';
import type { FieldFact, Scalar, TypeExpression } from '../parse-facts.ts';
import { typeSchema } from '../type-schema.ts';
import { WIRE_BYTES } from './reader.ts';
import { itemsMessage, MESSAGES, wireOf } from './wire-types.ts';
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
  // The data of a ControllerRevision is compared by its bytes.
  const isRevision = name === 'data' && !field.pointer && type.kind === 'scalar' && type.scalar === 'raw';
  const write = isRevision ? rawBytes(encodeRaw) : valueEncoder(type);
  // Go writes fields that are no pointers even when they are empty; lists and bytes are left out when unset.
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
    for (const key of Object.keys(map).toSorted(compareBytes).toReversed()) {
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

/** Writes the bytes of `content` with their length in front. */
function lengthOf(writer: Writer, content: () => void): void {
  const before = written(writer);
  content();
  writeUnsigned(writer, written(writer) - before);
}

const tagOf = (number: number, type: TypeExpression): number => number * 8 + wireOf(type);

const EMPTY: Bag = Object.freeze({});

function valueEncoder(type: TypeExpression): ValueEncoder {
  if (type.kind === 'object') {
    const encode = messageEncoder(type.name);
    return (writer, value) => lengthOf(writer, () => encode(writer, (value ?? EMPTY) as Bag));
  }
  if (type.kind === 'scalar') return scalarEncoder(type.scalar);
  if (type.kind === 'map') throw new Error('a map is never a value of its own');
  const items = membersEncoder(itemsMessage(type.element));
  return (writer, value) => lengthOf(writer, () => items(writer, { items: value }));
}

/** A small message that JSON writes as something else. */
function message(name: keyof typeof MESSAGES, fromJson: (value: unknown) => Bag): ValueEncoder {
  let encode: MessageEncoder | undefined;
  return (writer, value) => {
    encode ??= membersEncoder(MESSAGES[name]);
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
      return message(name, (value) => ({ string: value ?? '0' }));
    case 'intorstring':
      return message(name, (value) => (typeof value === 'string' ? { type: 1, string: value } : { int: value ?? 0 }));
    case 'time':
      return timestamp(false);
    case 'microtime':
      return timestamp(true);
    case 'duration':
      return message(name, (value) => ({ duration: nanoseconds(value) }));
    case 'raw':
    case 'json':
    case 'fieldsv1':
      return rawBytes(encodeJson);
    case 'schemaorbool':
      return message(name, (value) =>
        typeof value === 'object' ? { allows: true, schema: value } : { allows: value },
      );
    case 'schemaorarray':
    case 'schemaorstrings':
      return message(name, (value) => (Array.isArray(value) ? { list: value } : { schema: value }));
  }
}

const rawBytes =
  (encode: (value: Json) => string): ValueEncoder =>
  (writer, value) =>
    lengthOf(writer, () => {
      if (value === undefined || value === null) return;
      writeString(writer, encode(value as Json));
      writeByte(writer, (1 << 3) | WIRE_BYTES);
    });

function nanoseconds(value: unknown): bigint {
  const parsed = readGoDuration(typeof value === 'string' ? value : '0s');
  if (!parsed.ok) throw new ProtobufError(parsed.error);
  return parsed.nanos;
}

function timestamp(micros: boolean): ValueEncoder {
  const fields = membersEncoder(MESSAGES.time);
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
