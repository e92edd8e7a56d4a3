/**
 * Kubernetes' protobuf on the wire: four magic bytes, then an envelope with the object's type and the object itself.
 * The entry point of the folder; ./decode.ts and ./encode.ts do bare messages.
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
import {
  createWriter,
  finish,
  writeByte,
  writeBytes,
  unsignedSize,
  writeString,
  writeUnsigned,
  written,
} from './writer.ts';

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

/** The item of a list as a bare message; a list does not repeat the type of its items. */
export const encodeListItem = (object: { readonly apiVersion: string; readonly kind: string }): Buffer =>
  encodeMessage(schemaFor(object.apiVersion, object.kind), object);

/** The bytes before, between and behind the items of a list; the caller writes each item as a bare message. */
export interface ListFrame {
  readonly before: Buffer;
  /** The bytes before an item of this size. */
  item(size: number): Buffer;
  readonly after: Buffer;
}

/** The length of a list stands before it, so the sizes of all items must be known. */
export function protobufListFrame(
  head: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  sizes: Iterable<number>,
): ListFrame {
  const writer = createWriter();
  const beginning = (field: number, size: number): Buffer => {
    writeUnsigned(writer, size);
    writeByte(writer, field * 8 + WIRE_BYTES);
    return finish(writer);
  };
  const metadata = encodeMessage('meta/v1.ListMeta', head.metadata);
  const start = Buffer.concat([beginning(1, metadata.length), metadata]);
  let length = start.length;
  for (const size of sizes) length += 1 + unsignedSize(size) + size;
  const { before, after } = envelopeAround(head.apiVersion, head.kind, length);
  return { before: Buffer.concat([before, start]), item: (size) => beginning(2, size), after };
}

/** Puts a bare message into an envelope. */
export function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const { before, after } = envelopeAround(apiVersion, kind, raw.length);
  return Buffer.concat([before, raw, after]);
}

/** The bytes before and behind a bare message of this size. */
function envelopeAround(apiVersion: string, kind: string, size: number): { before: Buffer; after: Buffer } {
  const writer = createWriter();
  const field = (number: number): void => writeByte(writer, number * 8 + WIRE_BYTES);
  // From the end to the front: content type and encoding are written even though they are empty.
  writeString(writer, '');
  field(4);
  writeString(writer, '');
  field(3);
  const after = finish(writer);
  writeUnsigned(writer, size);
  field(2);
  const before = written(writer);
  writeString(writer, kind);
  field(2);
  writeString(writer, apiVersion);
  field(1);
  writeUnsigned(writer, written(writer) - before);
  field(1);
  return { before: Buffer.concat([MAGIC, finish(writer)]), after };
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
