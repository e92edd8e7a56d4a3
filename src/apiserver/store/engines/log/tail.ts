/**
 * Tells a write that a crash interrupted from damage. A frame is synced before anything follows it, so only the last
 * one can be unfinished, and only in two ways: the file ends within it, or sectors of it were never written, or not to
 * their end, and read as zeros. Frames are text and never hold a zero byte, so zeros cannot be mistaken for content. A
 * last frame that has all of its bytes and is wrong nevertheless was finished once: its batch may have been answered.
 */
import type { LogFile } from './files.ts';
import { HEADER_BYTES, hasSumWithLength, isIntact, isStartOfHeader, parseHeader } from './frame.ts';
import { hasFrameAfter } from './frame-reader.ts';
import type { BadFrame } from './frame-reader.ts';

/** The least a disk writes at once. */
const SECTOR_BYTES = 512;

/** Why the bytes from `bad.offset` on are damage; undefined when an unfinished write explains them. */
export async function damageInTail(
  file: LogFile,
  bad: BadFrame,
  size: number,
  /** Of the last good frame: a frame that follows carries it. */
  checksum: number,
): Promise<string | undefined> {
  if (await hasFrameAfter(file, bad.offset, size)) return bad.why;
  const rest = Buffer.alloc(size - bad.offset);
  const length = await file.read(rest, bad.offset);
  return damageIn(rest.subarray(0, length), bad, checksum);
}

function damageIn(rest: Buffer, bad: BadFrame, checksum: number): string | undefined {
  const solid = withoutTrailingZeros(rest);
  if (solid.length === 0) return undefined;
  const header = parseHeader(rest);
  if (header === undefined) {
    if (hasZeroedSector(rest.subarray(0, HEADER_BYTES), bad.offset)) return undefined;
    return solid.length < HEADER_BYTES && isStartOfHeader(solid, checksum) ? undefined : bad.why;
  }
  const bytes = HEADER_BYTES + header.payloadBytes;
  if (bytes > rest.length) {
    // A damaged length makes a whole frame look cut off.
    const isWhole = header.previous !== checksum || hasSumWithLength(solid, header.checksum);
    return isWhole ? 'the length of the frame is damaged' : undefined;
  }
  const frame = rest.subarray(0, bytes);
  if (isIntact(frame, header)) return bad.why;
  return hasZeroedSector(frame, bad.offset) ? undefined : bad.why;
}

function withoutTrailingZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/** A flipped bit can make one zero byte of a space. */
const LEAST_ZEROS = 2;

/**
 * Whether one of the disk's sectors, as far as it lies within these bytes, was not written, or only in part: a disk
 * that loses power while it writes a sector leaves the beginning of it new and the rest as it was, or the other way.
 */
function hasZeroedSector(bytes: Buffer, offset: number): boolean {
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES));
    const zeros = Math.min(LEAST_ZEROS, end - start);
    if (isZero(bytes, start, start + zeros) || isZero(bytes, end - zeros, end)) return true;
    start = end;
  }
  return false;
}

const isZero = (bytes: Buffer, start: number, end: number): boolean =>
  bytes.subarray(start, end).every((byte) => byte === 0);
