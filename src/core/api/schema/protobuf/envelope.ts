/**
 * Kubernetes' protobuf on the wire: four magic bytes, then an envelope with the object's type and the object itself.
 * This is the face of the folder; ./decode.ts and ./encode.ts do bare messages.
 */
import { goQuote } from '../../../kube/go-text.ts';
import { ProtobufError } from '../../errors.ts';
import { schemaOfKubernetesKind } from '../schema-of.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { hasMagic, MAGIC } from './magic.ts';
import {
  createReader,
  expectWire,
  readBytes,
  readNested,
  type Reader,
  readString,
  readTag,
  skipField,
  WIRE_BYTES,
} from './reader.ts';
import { createWriter, finish, writeByte, writeBytes, writeString, writeUnsigned, written } from './writer.ts';

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The bare message; a view of the bytes that were read. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** Objects embedded in objects (items of a `List`) nest at most this deep. */
const MAX_EMBEDDING = 8;

/** Reads an object of one of Kubernetes' kinds with its envelope. Throws `ProtobufError`. */
export function decodeProtobufObject(bytes: Uint8Array): object {
  return decodeAt(bytes, 0, 0);
}

function decodeAt(bytes: Uint8Array, depth: number, embedding: number): object {
  if (embedding > MAX_EMBEDDING) throw new ProtobufError('proto: objects are embedded too deep');
  const envelope = readEnvelope(bytes);
  const { apiVersion, kind } = envelope;
  const object = decodeMessage(
    schemaFor(apiVersion, kind),
    envelope.raw,
    (inner, innerDepth) => decodeAt(inner, innerDepth, embedding + 1),
    depth,
  );
  return { kind, apiVersion, ...object };
}

function schemaFor(apiVersion: string, kind: string): string {
  const schema = schemaOfKubernetesKind(apiVersion, kind);
  if (schema !== undefined) return schema;
  throw new ProtobufError(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
}

/** Whether objects of the type can be written as protobuf; those of custom kinds cannot. */
export const hasProtobuf = (apiVersion: string, kind: string): boolean =>
  schemaOfKubernetesKind(apiVersion, kind) !== undefined;

/** Writes an object of one of Kubernetes' kinds, already checked, with its envelope. */
export function encodeProtobufObject(object: { readonly apiVersion: string; readonly kind: string }): Buffer {
  const { apiVersion, kind } = object;
  return encodeEnvelope(apiVersion, kind, encodeMessage(schemaFor(apiVersion, kind), object));
}

/** Writes a list from its items, each a bare message that somebody wrote when there was time. */
export function encodeProtobufList(
  head: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  items: readonly Uint8Array[],
): Buffer {
  const { apiVersion, kind, metadata } = head;
  const parts: Uint8Array[] = [];
  const start = createWriter();
  const add = (field: number, message: Uint8Array): void => {
    writeUnsigned(start, message.length);
    writeByte(start, field * 8 + WIRE_BYTES);
    parts.push(finish(start), message);
  };
  add(1, encodeMessage('meta/v1.ListMeta', metadata));
  for (const item of items) add(2, item);
  return encodeEnvelope(apiVersion, kind, Buffer.concat(parts));
}

/** Puts a bare message into an envelope. */
export function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const writer = createWriter();
  const field = (number: number): void => writeByte(writer, number * 8 + WIRE_BYTES);
  // From the end to the front: content type and encoding are written even though they are empty.
  writeString(writer, '');
  field(4);
  writeString(writer, '');
  field(3);
  writeBytes(writer, raw);
  field(2);
  const before = written(writer);
  writeString(writer, kind);
  field(2);
  writeString(writer, apiVersion);
  field(1);
  writeUnsigned(writer, written(writer) - before);
  field(1);
  return Buffer.concat([MAGIC, finish(writer)]);
}

/** A watch event, without envelope as streams send it; `object` is the object's bytes with its envelope. */
export function encodeWatchEvent(type: string, object: Uint8Array): Buffer {
  const writer = createWriter();
  const field = (number: number): void => writeByte(writer, number * 8 + WIRE_BYTES);
  const before = written(writer);
  writeBytes(writer, object);
  field(1);
  writeUnsigned(writer, written(writer) - before);
  field(2);
  writeString(writer, type);
  field(1);
  return finish(writer);
}

export function readEnvelope(bytes: Uint8Array): Envelope {
  if (!hasMagic(bytes)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const found = { apiVersion: '', kind: '', raw: EMPTY as Uint8Array, contentEncoding: '', contentType: '' };
  const reader = createReader(bytes);
  reader.position = MAGIC.length;
  while (reader.position < reader.end) {
    const tag = readTag(reader);
    const number = tag >>> 3;
    if (number < 1 || number > 4) {
      skipField(reader, tag);
      continue;
    }
    expectWire(tag, WIRE_BYTES, ENVELOPE_FIELDS[number - 1] ?? '');
    if (number === 1) readNested(reader, (inner) => readTypeMeta(inner, found));
    else if (number === 2) found.raw = readBytes(reader);
    else if (number === 3) found.contentEncoding = readString(reader);
    else found.contentType = readString(reader);
  }
  return found;
}

const EMPTY = new Uint8Array(0);
const ENVELOPE_FIELDS = ['TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];

function readTypeMeta(reader: Reader, found: { apiVersion: string; kind: string }): void {
  while (reader.position < reader.end) {
    const tag = readTag(reader);
    if (tag >>> 3 === 1 || tag >>> 3 === 2) {
      expectWire(tag, WIRE_BYTES, 'TypeMeta');
      found[tag >>> 3 === 1 ? 'apiVersion' : 'kind'] = readString(reader);
    } else skipField(reader, tag);
  }
}
