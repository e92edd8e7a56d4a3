/**
 * Reads protobuf's wire format from a stretch of bytes. Every read is checked against the end of the stretch, so
 * malformed input ends in a `ProtobufError` and never in a long loop.
 */
import { ProtobufError } from '../../errors.ts';

/** Messages nest at most this deep; only schemas that contain themselves come near it. */
const MAX_MESSAGE_DEPTH = 128;

export const WIRE_VARINT = 0;
export const WIRE_FIXED64 = 1;
export const WIRE_BYTES = 2;
const WIRE_FIXED32 = 5;

export interface Reader {
  readonly bytes: Buffer;
  position: number;
  /** The end of the message being read. */
  end: number;
  depth: number;
}

export const createReader = (bytes: Uint8Array): Reader => ({
  bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  position: 0,
  end: bytes.byteLength,
  depth: 0,
});

const truncated = (): ProtobufError => new ProtobufError('unexpected EOF');

/** Low and high half of the last varint read; two results without an allocation. */
let low = 0;
let high = 0;

function readVarint(reader: Reader): void {
  const { bytes, end } = reader;
  low = 0;
  high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (reader.position >= end) throw truncated();
    const byte = bytes[reader.position++] ?? 0;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high = bits >>> 4;
    } else high |= bits << (shift - 32);
    if (byte < 0x80) {
      low >>>= 0;
      high >>>= 0;
      return;
    }
  }
  throw new ProtobufError('proto: integer overflow');
}

/** A tag or a length: never more than 32 bits. */
function readUint32(reader: Reader): number {
  readVarint(reader);
  if (high !== 0) throw new ProtobufError('proto: integer overflow');
  return low;
}

/** Field number and wire type of the next field, as `number * 8 + wireType`. */
export function readTag(reader: Reader): number {
  const tag = readUint32(reader);
  if (tag >>> 3 === 0) throw new ProtobufError(`proto: illegal tag ${tag >>> 3} (wire type ${tag & 7})`);
  return tag;
}

export function readBool(reader: Reader): boolean {
  readVarint(reader);
  return low !== 0 || high !== 0;
}

export function readInt32(reader: Reader): number {
  readVarint(reader);
  return low | 0;
}

/** A signed 64-bit integer: a number where a double holds it, else a bigint. */
export function readInt64(reader: Reader): number | bigint {
  readVarint(reader);
  return joined(low, high);
}

function joined(lowHalf: number, highHalf: number): number | bigint {
  const signed = highHalf | 0;
  const value = signed * 4294967296 + lowHalf;
  return Number.isSafeInteger(value) ? value : (BigInt(signed) << 32n) | BigInt(lowHalf);
}

export function readDouble(reader: Reader): number {
  if (reader.end - reader.position < 8) throw truncated();
  const value = reader.bytes.readDoubleLE(reader.position);
  reader.position += 8;
  return value;
}

/** The end of a length-delimited value that begins at the reader's position after the length. */
function readLength(reader: Reader): number {
  const length = readUint32(reader);
  const end = reader.position + length;
  if (end > reader.end) throw truncated();
  return end;
}

export function readString(reader: Reader): string {
  const end = readLength(reader);
  const text = reader.bytes.toString('utf8', reader.position, end);
  reader.position = end;
  return text;
}

/** The bytes themselves, not a copy. */
export function readBytes(reader: Reader): Buffer {
  const end = readLength(reader);
  const bytes = reader.bytes.subarray(reader.position, end);
  reader.position = end;
  return bytes;
}

/** Narrows the reader to a nested message, runs `read`, and widens it again. */
export function readNested<T>(reader: Reader, read: (reader: Reader) => T): T {
  const end = readLength(reader);
  const outerEnd = reader.end;
  if (++reader.depth > MAX_MESSAGE_DEPTH) throw new ProtobufError('proto: messages nest too deep');
  reader.end = end;
  const value = read(reader);
  if (reader.position !== end) throw truncated();
  reader.end = outerEnd;
  reader.depth--;
  return value;
}

/** Skips an unknown field. Groups were never used by Kubernetes and are refused. */
export function skipField(reader: Reader, tag: number): void {
  switch (tag & 7) {
    case WIRE_VARINT:
      readVarint(reader);
      return;
    case WIRE_FIXED64:
      reader.position += 8;
      break;
    case WIRE_BYTES:
      reader.position = readLength(reader);
      return;
    case WIRE_FIXED32:
      reader.position += 4;
      break;
    default:
      throw new ProtobufError(`proto: illegal wireType ${tag & 7}`);
  }
  if (reader.position > reader.end) throw truncated();
}

/** The wire type must be the one the field's type is written with. */
export function expectWire(tag: number, wire: number, name: string): void {
  if ((tag & 7) !== wire) throw new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${name}`);
}
