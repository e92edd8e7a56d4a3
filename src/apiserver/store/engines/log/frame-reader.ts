/** Reads the frames of a file in order, a large piece at a time, and tells exactly where and why it had to stop. */
import type { LogFile } from './files.ts';
import { HEADER_BYTES, isIntact, parseHeader } from './frame.ts';
import type { Frame } from './frame.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;

export interface BadFrame {
  readonly offset: number;
  readonly why: string;
}

/** The end of a reading: where the good frames end, the last checksum, and the bad frame that follows, if any. */
export interface ReadEnd {
  readonly end: number;
  readonly checksum: number;
  readonly bad: BadFrame | undefined;
}

/** Reads frames in [0, limit) and hands each over; `receive` must not keep the payload. */
export async function readFrames(
  file: LogFile,
  limit: number,
  receive: (frame: Frame) => void | Promise<void>,
): Promise<ReadEnd> {
  let chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit));
  let chunkStart = 0;
  let chunkBytes = 0;
  let offset = 0;
  let checksum = 0;

  /** The bytes at `offset`, at least `wanted` of them unless the file ends before. */
  async function ensure(wanted: number): Promise<Buffer> {
    const have = chunkStart + chunkBytes - offset;
    if (have < wanted) {
      if (wanted > chunk.length) chunk = Buffer.allocUnsafe(wanted);
      const most = Math.min(chunk.length, limit - offset);
      chunkBytes = await file.read(chunk.subarray(0, most), offset);
      chunkStart = offset;
    }
    return chunk.subarray(offset - chunkStart, chunkBytes);
  }

  const stop = (why: string): ReadEnd => ({ end: offset, checksum, bad: { offset, why } });

  while (offset < limit) {
    const head = await ensure(HEADER_BYTES);
    if (head.length < HEADER_BYTES) return stop('the frame is cut off in its header');
    const header = parseHeader(head);
    if (header === undefined) return stop('there is no frame header');
    const bytes = HEADER_BYTES + header.payloadBytes;
    if (offset + bytes > limit) return stop('the frame is cut off');
    const whole = (await ensure(bytes)).subarray(0, bytes);
    if (whole.length < bytes) return stop('the frame is cut off');
    if (!isIntact(whole, header)) return stop('the checksum does not match');
    if (header.previous !== checksum) return stop('the frame does not follow the one before it');
    await receive({
      type: header.type,
      offset,
      end: offset + bytes,
      checksum: header.checksum,
      payload: whole.subarray(HEADER_BYTES),
    });
    checksum = header.checksum;
    offset += bytes;
  }
  return { end: offset, checksum, bad: undefined };
}

const MARK = Buffer.from('\nEN1 ', 'latin1');

/**
 * Whether any intact frame begins after `offset`. After a crash there is none, since nothing is written behind a frame
 * that has not been synced; one that is there means that the file was damaged in the middle.
 */
export async function hasFrameAfter(file: LogFile, offset: number, size: number): Promise<boolean> {
  const rest = Buffer.allocUnsafe(Math.max(0, size - offset));
  const length = await file.read(rest, offset);
  for (let at = rest.indexOf(MARK); at !== -1 && at < length; at = rest.indexOf(MARK, at + 1)) {
    const start = at + 1;
    const header = parseHeader(rest.subarray(start));
    if (header === undefined) continue;
    const frame = rest.subarray(start, start + HEADER_BYTES + header.payloadBytes);
    if (frame.length === HEADER_BYTES + header.payloadBytes && isIntact(frame, header)) return true;
  }
  return false;
}
