/**
 * Reading a log back. The first pass proves every checksum and finds the newest record of each key; the second
 * decodes only those. A damaged last frame is what a crash leaves and is cut off; damage anywhere else is never
 * explained away: the store refuses to start, and says what can be done.
 */
import { StoreError } from '../../errors.ts';
import type { LoadedEntry } from '../../engine.ts';
import { createObjectDecoder } from '../template-decoder.ts';
import type { Sharing } from '../../sharing.ts';
import type { ClosedSegment } from './compact.ts';
import type { LogFile, LogFiles } from './files.ts';
import type { Frame } from './frame.ts';
import { hasFrameAfter, readFrames } from './frame-reader.ts';
import type { BadFrame } from './frame-reader.ts';
import { decodeKey, forEachRecord } from './records.ts';
import { arrangeSegments, decodeHeader, decodeMark } from './segment.ts';
import type { SegmentHeader, SegmentName } from './segment.ts';

export interface ReadSegment extends ClosedSegment {
  /** Of the last frame. */
  readonly checksum: number;
}

export interface ReadLog {
  readonly segments: readonly ReadSegment[];
  /** The highest revision ever given out. */
  readonly revision: number;
  /** What was repaired, for people. */
  readonly notices: readonly string[];
  /** The newest revision of every key that holds an object; the second pass decodes exactly these records. */
  readonly live: ReadonlyMap<string, number>;
}

/** More than a crash while a segment is being made can leave in a file without one intact frame. */
const LONGEST_TORN_HEADER = 4096;

export async function verifyLog(files: LogFiles): Promise<ReadLog> {
  const { segments: names, leftOver } = arrangeSegments(await files.list());
  const notices: string[] = [];
  const headers = await readHeaders(files, names, leftOver, notices);
  const live = new Map<string, number>();
  const segments: ReadSegment[] = [];
  let revision = 0;
  for (const [at, { name, header }] of headers.entries()) {
    revision = Math.max(revision, header.revision);
    let records = 0;
    let ended = false;
    const countRecords = (frame: Frame): void => {
      if (frame.type === 'M') revision = Math.max(revision, decodeMark(frame.payload));
      if (frame.type === 'E') ended = true;
      if (frame.type !== 'B') return;
      forEachRecord(frame.payload, (record) => {
        records++;
        revision = Math.max(revision, record.revision);
        if (record.removed) live.delete(record.keyText);
        else live.set(record.keyText, record.revision);
      });
    };
    const read = await readSegment(files, { name, header }, headers[at + 1], countRecords, notices);
    if (header.merged && !ended) throw corrupt(name.name, read.length, 'the end of a merged segment is missing');
    segments.push({ ...name, ...read, merged: header.merged, records });
  }
  for (const name of leftOver) await files.remove(name);
  if (leftOver.length > 0) await files.syncDirectory();
  return { segments, revision, notices, live };
}

interface KnownSegment {
  readonly name: SegmentName;
  readonly header: SegmentHeader;
}

/** The header of every segment. The last one may have been in the making when a crash came; then it never was. */
async function readHeaders(
  files: LogFiles,
  names: readonly SegmentName[],
  leftOver: string[],
  notices: string[],
): Promise<KnownSegment[]> {
  const known: KnownSegment[] = [];
  for (const name of names) {
    const file = await files.open(name.name, 'existing');
    try {
      const size = await file.size();
      let header: SegmentHeader | undefined;
      const { bad } = await readFrames(file, Math.min(size, LONGEST_TORN_HEADER), (frame) => {
        if (frame.offset === 0 && frame.type === 'H') header = decodeHeader(frame.payload, name.name);
      });
      if (header !== undefined) {
        known.push({ name, header });
      } else if (name === names.at(-1) && name.first === name.last && size <= LONGEST_TORN_HEADER) {
        if (await hasFrameAfter(file, 0, size)) throw corrupt(name.name, 0, 'the segment header is damaged');
        leftOver.push(name.name);
        notices.push(`removed ${name.name}: it was being created when the process ended`);
      } else {
        throw corrupt(name.name, 0, bad?.why ?? 'the segment header is missing');
      }
    } finally {
      await file.close();
    }
  }
  return known;
}

async function readSegment(
  files: LogFiles,
  { name: segment, header }: KnownSegment,
  next: KnownSegment | undefined,
  receive: (frame: Frame) => void,
  notices: string[],
): Promise<{ length: number; checksum: number }> {
  const file = await files.open(segment.name, 'existing');
  try {
    const size = await file.size();
    const closedAt = header.merged ? undefined : next?.header.previousLength;
    if (closedAt !== undefined && size < closedAt) throw corrupt(segment.name, size, 'the segment is cut off');
    const { end, checksum, bad } = await readFrames(file, closedAt ?? size, receive);
    if (bad !== undefined) {
      if (next !== undefined || header.merged) throw corrupt(segment.name, bad.offset, bad.why);
      await cutTornTail(file, segment.name, bad, size, notices);
    }
    return { length: end, checksum };
  } catch (error) {
    if (error instanceof SyntaxError) throw corrupt(segment.name, 0, error.message);
    throw error;
  } finally {
    await file.close();
  }
}

async function cutTornTail(file: LogFile, name: string, bad: BadFrame, size: number, notices: string[]): Promise<void> {
  if (await hasFrameAfter(file, bad.offset, size)) throw corrupt(name, bad.offset, bad.why);
  await file.truncate(bad.offset);
  await file.sync();
  notices.push(`cut ${size - bad.offset} bytes off ${name} at ${bad.offset}: a write was not finished (${bad.why})`);
}

const corrupt = (name: string, offset: number, why: string): StoreError =>
  new StoreError(
    'EN_STORE_CORRUPT',
    `${name} is damaged at byte ${offset}: ${why}. Nothing was changed. Restore the data directory from a backup; or, ` +
      'to go on without what the damage hides, copy it and follow docs/decisions/0002-store-engine.md ("Damage")',
  );

/** Second pass: decodes the newest record of every key. */
export async function loadLog(
  files: LogFiles,
  log: ReadLog,
  sharing: Sharing,
  receive: (entries: readonly LoadedEntry[]) => void,
): Promise<void> {
  const decode = createObjectDecoder();
  for (const { name, length } of log.segments) {
    const file = await files.open(name, 'existing');
    try {
      await readFrames(file, length, ({ type, payload }) => {
        if (type !== 'B') return;
        const entries: LoadedEntry[] = [];
        forEachRecord(payload, ({ revision, keyText, removed, objectStart, end }) => {
          if (removed || log.live.get(keyText) !== revision) return;
          const key = decodeKey(keyText);
          entries.push({ key, object: sharing(key, decode(key, payload.toString('utf8', objectStart, end))) });
        });
        receive(entries);
      });
    } finally {
      await file.close();
    }
  }
}
