/**
 * Kubernetes' protobuf into the JSON form of an object, driven by the facts. The result is what Go would write as JSON
 * for the same message, and what the checker makes of such JSON: empty optional values are absent, structs are there.
 */
import { parseJson, JsonSyntaxError, type Json } from '../../../kube/json.ts';
import { setOwn } from '../../../kube/immutable.ts';
import { formatNanos } from '../../../kube/go-duration.ts';
import { formatQuantity, QuantityError, quantityFromJson } from '../../../kube/quantity.ts';
import { ProtobufError } from '../../errors.ts';
import type { FieldFact, Scalar, TypeExpression } from '../parse-facts.ts';
import { isWritableTime } from '../../../kube/time.ts';
import { timeText } from '../times.ts';
import { typeSchema } from '../type-schema.ts';
import { dropsEmpty, isAlwaysPresent, isEmpty, zeroValue } from '../zero-value.ts';
import { hasMagic } from './magic.ts';
import {
  createReader,
  expectWire,
  readBool,
  readBytes,
  readDouble,
  readInt32,
  readInt64,
  readNested,
  type Reader,
  readString,
  readTag,
  skipField,
  WIRE_BYTES,
} from './reader.ts';
import { itemsMessage, MESSAGES, wireOf } from './wire-types.ts';

/** Reads an object that is embedded with its own envelope (items of a `List`, objects of watch events). */
export type EmbeddedDecoder = (bytes: Uint8Array, depth: number) => object;

/** Decodes a bare message (without envelope) of the type of that name. */
export function decodeMessage(name: string, bytes: Uint8Array, embedded?: EmbeddedDecoder, depth = 0): object {
  const reader = createReader(bytes);
  reader.depth = depth;
  decodeEmbedded = embedded;
  return messageDecoder(name)(reader);
}

/** Set during one decoding, which is synchronous. */
let decodeEmbedded: EmbeddedDecoder | undefined;

type Bag = { [key: string]: unknown };
type MessageDecoder = (reader: Reader) => Bag;
/** Reads one value of a field; the tag has been read already. */
type ValueDecoder = (reader: Reader) => unknown;

interface FieldDecoder {
  readonly name: string;
  readonly wire: number;
  /** Reads the value; `before` is the field's value so far. */
  read(reader: Reader, before: unknown, tag: number): unknown;
}

const decoders = new Map<string, MessageDecoder>();

function messageDecoder(name: string): MessageDecoder {
  const known = decoders.get(name);
  if (known !== undefined) return known;
  let compiled: MessageDecoder | undefined;
  const lazy: MessageDecoder = (reader) => (compiled ??= compileMessage(name))(reader);
  decoders.set(name, lazy);
  return lazy;
}

function compileMessage(name: string): MessageDecoder {
  const schema = typeSchema(name);
  const readInto = memberReader(schema.nested);
  const settle = schema.fields.map((field) => ({
    name: field.name,
    present: isAlwaysPresent(field),
    dropsEmpty: dropsEmpty(field),
    zero: isAlwaysPresent(field) ? zeroValue(field.type) : undefined,
  }));
  return (reader) => {
    const found: Bag = Object.create(null) as Bag;
    readInto(reader, found);
    const result: Bag = {};
    for (const field of settle) {
      const value = found[field.name];
      if (value === undefined || value === null || (field.dropsEmpty && isEmpty(value))) {
        if (field.present) result[field.name] = field.zero;
      } else result[field.name] = value;
    }
    return result;
  };
}

/** Reads all fields of a message into `found`; those of inline messages go into the same object. */
function memberReader(fields: readonly FieldFact[]): (reader: Reader, found: Bag) => void {
  const byNumber = new Map<number, FieldDecoder>();
  const inline = new Map<number, (reader: Reader, found: Bag) => void>();
  for (const field of fields) {
    if (field.number === 0) continue;
    if (field.name !== '') byNumber.set(field.number, fieldDecoder(field));
    else if (field.type.kind === 'object') {
      inline.set(field.number, memberReader(typeSchema(field.type.name).nested));
    }
  }
  return (reader, found) => {
    while (reader.position < reader.end) {
      const tag = readTag(reader);
      const field = byNumber.get(tag >>> 3);
      if (field !== undefined) {
        found[field.name] = field.read(reader, found[field.name], tag);
        continue;
      }
      const nested = inline.get(tag >>> 3);
      if (nested === undefined) skipField(reader, tag);
      else {
        expectWire(tag, WIRE_BYTES, 'inline');
        readNested(reader, (inner) => nested(inner, found));
      }
    }
  };
}

function fieldDecoder(field: FieldFact): FieldDecoder {
  const { name, type } = field;
  if (type.kind === 'list' && !type.wrapped) return repeated(name, type.element);
  if (type.kind === 'map') return mapOf(name, type.value);
  const wire = wireOf(type);
  const read = valueDecoder(type);
  return {
    name,
    wire,
    read(reader, _before, tag) {
      expectWire(tag, wire, name);
      return read(reader);
    },
  };
}

function repeated(name: string, element: TypeExpression): FieldDecoder {
  const wire = wireOf(element);
  const read = valueDecoder(element);
  const push = (list: unknown[], value: unknown): void => {
    list.push(value ?? zeroValue(element));
  };
  return {
    name,
    wire,
    read(reader, before, tag) {
      const list = (before ?? []) as unknown[];
      // Numbers may be packed: many values behind one length.
      if (wire !== WIRE_BYTES && (tag & 7) === WIRE_BYTES) {
        readNested(reader, (inner) => {
          while (inner.position < inner.end) push(list, read(inner));
        });
      } else {
        expectWire(tag, wire, name);
        push(list, read(reader));
      }
      return list;
    },
  };
}

function mapOf(name: string, element: TypeExpression): FieldDecoder {
  const wire = wireOf(element);
  const read = valueDecoder(element);
  const entry = (reader: Reader, map: object): void => {
    let key = '';
    let value: unknown;
    while (reader.position < reader.end) {
      const tag = readTag(reader);
      if (tag >>> 3 === 1) {
        expectWire(tag, WIRE_BYTES, name);
        key = readString(reader);
      } else if (tag >>> 3 === 2) {
        expectWire(tag, wire, name);
        value = read(reader);
      } else skipField(reader, tag);
    }
    setOwn(map, key, value ?? zeroValue(element));
  };
  return {
    name,
    wire: WIRE_BYTES,
    read(reader, before, tag) {
      expectWire(tag, WIRE_BYTES, name);
      const map = before ?? {};
      readNested(reader, (inner) => entry(inner, map));
      return map;
    },
  };
}

function valueDecoder(type: TypeExpression): ValueDecoder {
  if (type.kind === 'object') {
    const decode = messageDecoder(type.name);
    return (reader) => readNested(reader, decode);
  }
  if (type.kind === 'scalar') return scalarDecoder(type.scalar);
  if (type.kind === 'map') throw new Error('a map is never a value of its own');
  return message(itemsMessage(type.element), (found) => found['items'] ?? []);
}

/** A small message that JSON writes as something else. */
function message(fields: readonly FieldFact[], toJson: (found: Bag) => unknown): ValueDecoder {
  let readInto: ((reader: Reader, found: Bag) => void) | undefined;
  return (reader) => {
    readInto ??= memberReader(fields);
    const read = readInto;
    return readNested(reader, (inner) => {
      const found: Bag = Object.create(null) as Bag;
      read(inner, found);
      return toJson(found);
    });
  };
}

function scalarDecoder(name: Scalar): ValueDecoder {
  switch (name) {
    case 'string':
      return readString;
    case 'bool':
      return readBool;
    case 'int32':
    case 'uint8':
      return readInt32;
    case 'int64':
      return readInt64;
    case 'double':
      return readDouble;
    case 'bytes':
      return (reader) => readBytes(reader).toString('base64');
    case 'quantity':
      return message(MESSAGES[name], (found) => quantityText(found['string']));
    case 'intorstring':
      return message(MESSAGES[name], (found) => (found['type'] === 1 ? (found['string'] ?? '') : (found['int'] ?? 0)));
    case 'time':
      return timestamp(false);
    case 'microtime':
      return timestamp(true);
    case 'duration':
      return message(MESSAGES[name], (found) => formatNanos(BigInt((found['duration'] ?? 0) as number | bigint)));
    case 'raw':
    case 'json':
    case 'fieldsv1':
      return (reader) => readNested(reader, readRaw);
    case 'schemaorbool':
      return message(MESSAGES[name], (found) => found['schema'] ?? found['allows'] ?? false);
    case 'schemaorarray':
    case 'schemaorstrings':
      return message(MESSAGES[name], (found) => found['list'] ?? found['schema']);
  }
}

function quantityText(text: unknown): string {
  try {
    return text === undefined || text === '' ? '0' : formatQuantity(quantityFromJson(text as string));
  } catch (error) {
    if (error instanceof QuantityError) throw new ProtobufError(error.message, { cause: error });
    throw error;
  }
}

function timestamp(micros: boolean): ValueDecoder {
  return message(MESSAGES.time, (found) => {
    const seconds = Number(found['seconds'] ?? 0);
    const nanos = Number(found['nanos'] ?? 0);
    if (seconds === 0 && nanos === 0) return null;
    const epochMs = seconds * 1000 + (micros ? Math.trunc(nanos / 1000) / 1000 : 0);
    if (!isWritableTime(epochMs)) throw new ProtobufError('proto: time is out of range');
    return timeText(epochMs, micros) || null;
  });
}

/** A message whose one field holds JSON, or an object in an envelope of its own. */
function readRaw(reader: Reader): unknown {
  let bytes: Buffer | undefined;
  while (reader.position < reader.end) {
    const tag = readTag(reader);
    if (tag >>> 3 === 1) {
      expectWire(tag, WIRE_BYTES, 'raw');
      bytes = readBytes(reader);
    } else skipField(reader, tag);
  }
  if (bytes === undefined || bytes.length === 0) return null;
  if (hasMagic(bytes)) {
    const decode = decodeEmbedded;
    if (decode === undefined) throw new ProtobufError('an embedded object is not JSON');
    const object = decode(bytes, reader.depth);
    decodeEmbedded = decode;
    return object;
  }
  return embeddedJson(bytes);
}

function embeddedJson(bytes: Buffer): Json {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtobufError(error.reason, { cause: error });
    throw error;
  }
}
