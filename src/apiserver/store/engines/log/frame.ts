/**
 * The unit of durability: a frame is written whole and synced before anything after it is written, so a crash can
 * only ever damage the last one. All of it is text, one line for the frame and one for each record, so that a person
 * can read a log with ordinary tools:
 *
 *     EN1 B 00000a3f 5d41402a 7c211433        type, bytes that follow, checksum of the frame before, own checksum
 */
import { crc32 } from 'node:zlib';

/**
 * H: header of a file, B: a batch of records, M: a mark that carries a revision (format 1), E: the end of a merged
 * segment, R: a state of the record of segments.
 */
export type FrameType = 'H' | 'B' | 'M' | 'E' | 'R';

export const HEADER_BYTES = 33;
/** The part of the header that the checksum covers: everything before the checksum itself. */
const SUMMED_HEADER_BYTES = 24;
const HEADER = /^EN1 ([HBMER]) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})\n$/;
const LENGTH_AT = 6;
const HEX = 8;
const ROOM_FOR_HEADER = ' '.repeat(HEADER_BYTES);

export interface Frame {
  readonly type: FrameType;
  readonly offset: number;
  /** Where the next frame starts. */
  readonly end: number;
  readonly checksum: number;
  /** Valid until the reader moves on. */
  readonly payload: Buffer;
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** `previous` is the checksum of the frame before it in the same file, 0 for the first. */
export function encodeFrame(type: FrameType, payload: string, previous: number): { bytes: Buffer; checksum: number } {
  const bytes = Buffer.from(ROOM_FOR_HEADER + payload, 'utf8');
  bytes.write(`EN1 ${type} ${hex(bytes.length - HEADER_BYTES)} ${hex(previous)} `, 0, 'latin1');
  const checksum = checksumOf(bytes);
  bytes.write(`${hex(checksum)}\n`, SUMMED_HEADER_BYTES, 'latin1');
  return { bytes, checksum };
}

function checksumOf(frame: Buffer): number {
  return crc32(frame.subarray(HEADER_BYTES), crc32(frame.subarray(0, SUMMED_HEADER_BYTES)));
}

export interface FrameHeader {
  readonly type: FrameType;
  readonly payloadBytes: number;
  readonly previous: number;
  readonly checksum: number;
}

export function parseHeader(bytes: Buffer): FrameHeader | undefined {
  const match = HEADER.exec(bytes.toString('latin1', 0, HEADER_BYTES));
  if (match === null) return undefined;
  const [, type, length, previous, checksum] = match as unknown as [string, FrameType, string, string, string];
  return {
    type,
    payloadBytes: Number.parseInt(length, 16),
    previous: Number.parseInt(previous, 16),
    checksum: Number.parseInt(checksum, 16),
  };
}

/** Whether these bytes, exactly one frame long, are as they were written. */
export const isIntact = (frame: Buffer, header: FrameHeader): boolean => checksumOf(frame) === header.checksum;

/** Whether these bytes can be the beginning of a header that was cut off. */
export function isStartOfHeader(bytes: Buffer, previous: number): boolean {
  const text = bytes.toString('latin1');
  const { length } = text;
  if (!/^EN1 [HBMER]/.test(text)) return 'EN1 '.startsWith(text);
  const start = `EN1 ${text[4]} `;
  if (!text.startsWith(start.slice(0, length))) return false;
  const digits = text.slice(start.length, start.length + HEX);
  if (!/^[0-9a-f]*$/.test(digits)) return false;
  const rest = text.slice(start.length + HEX);
  const chain = ` ${hex(previous)} `;
  return rest.startsWith(chain.slice(0, rest.length)) && /^[0-9a-f]*$/.test(rest.slice(chain.length));
}

/** Whether the checksum fits these bytes once their header says how many they are. */
export function hasSumWithLength(frame: Buffer, checksum: number): boolean {
  if (frame.length < HEADER_BYTES) return false;
  const mended = Buffer.from(frame);
  mended.write(hex(frame.length - HEADER_BYTES), LENGTH_AT, 'latin1');
  return checksumOf(mended) === checksum;
}
