/**
 * Writes protobuf's wire format from the end to the front: when a message's length is to be written its content already
 * stands behind it. Fields are therefore written in descending order, and text comes out as Kubernetes' own encoder
 * orders it.
 */
export interface Writer {
  bytes: Buffer;
  /** Index of the first byte written so far; the content ends at the end of the buffer. */
  start: number;
}

const INITIAL_SIZE = 16 * 1024;

export const createWriter = (): Writer => ({ bytes: Buffer.allocUnsafe(INITIAL_SIZE), start: INITIAL_SIZE });

/** A copy of the bytes written; the writer is empty afterwards. */
export function finish(writer: Writer): Buffer {
  const result = Buffer.from(writer.bytes.subarray(writer.start));
  writer.start = writer.bytes.length;
  return result;
}

/** Number of bytes written so far; the difference of two results is the length of the part in between. */
export const written = (writer: Writer): number => writer.bytes.length - writer.start;

function reserve(writer: Writer, count: number): number {
  if (writer.start < count) {
    const used = written(writer);
    const size = Math.max(writer.bytes.length * 2, used + count);
    const bytes = Buffer.allocUnsafe(size);
    writer.bytes.copy(bytes, size - used, writer.start);
    writer.bytes = bytes;
    writer.start = size - used;
  }
  writer.start -= count;
  return writer.start;
}

/** How many bytes an unsigned integer below 2^53 takes. */
export function unsignedSize(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) count++;
  return count;
}

/** An unsigned integer below 2^53. */
export function writeUnsigned(writer: Writer, value: number): void {
  let count = unsignedSize(value);
  let at = reserve(writer, count);
  let rest = value;
  for (; count > 1; count--) {
    writer.bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  writer.bytes[at] = rest;
}

/** A signed integer as protobuf's int32 and int64 write it: negative ones take ten bytes. */
export function writeSigned(writer: Writer, value: number | bigint): void {
  if (typeof value === 'number' && value >= 0) {
    writeUnsigned(writer, value);
    return;
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  const digits: number[] = [];
  do {
    digits.push(Number(rest & 0x7fn));
    rest >>= 7n;
  } while (rest > 0n);
  const at = reserve(writer, digits.length);
  for (const [index, digit] of digits.entries()) {
    writer.bytes[at + index] = index === digits.length - 1 ? digit : digit | 0x80;
  }
}

export function writeByte(writer: Writer, value: number): void {
  writer.bytes[reserve(writer, 1)] = value;
}

export function writeDouble(writer: Writer, value: number): void {
  // `reserve` may replace the buffer, so `writer.bytes` is read after it.
  const at = reserve(writer, 8);
  writer.bytes.writeDoubleLE(value, at);
}

/** Bytes with their length in front. */
export function writeBytes(writer: Writer, value: Uint8Array): void {
  const at = reserve(writer, value.length);
  writer.bytes.set(value, at);
  writeUnsigned(writer, value.length);
}

export function writeString(writer: Writer, value: string): void {
  const length = Buffer.byteLength(value);
  const at = reserve(writer, length);
  writer.bytes.write(value, at, length, 'utf8');
  writeUnsigned(writer, length);
}
