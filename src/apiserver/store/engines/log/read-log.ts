/**
 * Reading a log back. The first pass proves every checksum, compares the files with the record of segments, and finds
 * the newest record of each key; the second decodes only those. An unfinished last frame is left by a crash and is
 * cut off; damage anywhere else, and a file that is missing or too short, is never explained away: the store refuses to
 * start, with the remedy in its message. No file is changed before the whole log was judged.
 */
import type { LoadedEntry } from '../../engine.ts';
import { createObjectDecoder } from '../template-decoder.ts';
import type { Sharing } from '../../sharing.ts';
import type { ClosedSegment } from './compact.ts';
import type { LogFiles } from './files.ts';
import type { Frame } from './frame.ts';
import { readFrames } from './frame-reader.ts';
import { refresh } from './refresh.ts';
import { RECORD, readRecord } from './record.ts';
import type { ReadRecord, RecordedSegment } from './record.ts';
import { decodeKey, forEachRecord } from './records.ts';
import {
  arrangeSegments,
  corrupt,
  decodeEnd,
  decodeHeader,
  decodeMark,
  missingFile,
  segmentName,
  shortFile,
} from './segment.ts';
import type { SegmentEnd, SegmentHeader, SegmentName } from './segment.ts';
import { damageInTail } from './tail.ts';

export interface ReadSegment extends ClosedSegment {
  readonly format: number;
  /** Where its last frame begins. */
  readonly lastFrame: number;
}

/** Repairs that a crash has left to be done. */
interface Repairs {
  /** Files that are of no use: unfinished, or merged into others. */
  readonly remove: string[];
  /** The last segment, and where its unfinished write begins. */
  readonly cut: { name: string; length: number }[];
  /** The repairs in plain words, for people. */
  readonly notices: string[];
}

export interface ReadLog {
  /** Absent in a store of format 1, and in a new one. */
  readonly record: ReadRecord | undefined;
  readonly segments: readonly ReadSegment[];
  /** The highest revision ever given out. */
  readonly revision: number;
  readonly repairs: Repairs;
  /** The newest revision of every key that holds an object; the second pass decodes exactly these records. */
  readonly live: ReadonlyMap<string, number>;
}

/** More than a crash while a segment is being made can leave in a file without one intact frame. */
const LONGEST_TORN_HEADER = 4096;

/** Judges everything and changes nothing. */
export async function verifyLog(files: LogFiles): Promise<ReadLog> {
  const present = await files.list();
  const record = await readRecord(files, present);
  const { segments: names, leftOver } = arrangeSegments(present);
  const repairs: Repairs = { remove: leftOver, cut: [], notices: [] };
  const known = await readHeaders(files, names, record, repairs);
  requireRecorded(known, record);
  requireOrder(known);
  const live = new Map<string, number>();
  const segments: ReadSegment[] = [];
  let revision = record?.state.revision ?? 0;
  /** How far the segments that were not merged reach, and how far the merged ones say they must. */
  let reached = 0;
  let through = { revision: 0, name: '' };
  for (const [at, segment] of known.entries()) {
    const { name, header } = segment;
    const contents = contentsInto(live);
    const read = await readSegment(files, segment, known[at + 1], record, contents.take, repairs);
    const { records, end } = contents;
    const highest = Math.max(header.revision, contents.revision);
    revision = Math.max(revision, highest);
    if (header.merged) {
      if (end === undefined) throw corrupt(name.name, read.length, 'the end of a merged segment is missing');
      if ((end.last ?? name.last) !== name.last) throw corrupt(name.name, 0, `it ends with segment ${end.last}`);
      if ((end.through ?? 0) > through.revision) through = { revision: end.through ?? 0, name: name.name };
    } else {
      reached = Math.max(reached, highest);
    }
    const { merged, format, generation = 0 } = header;
    segments.push({ ...name, ...read, merged, format, generation, records });
  }
  const last = known.at(-1);
  if (last !== undefined && reached < through.revision) {
    const why = `it ends at revision ${reached}, and ${through.name} was merged when there was ${through.revision}`;
    throw last.header.merged
      ? missingFile(segmentName(last.name.last + 1, last.name.last + 1).name, why)
      : shortFile(last.name.name, why);
  }
  return { record, segments, revision, repairs, live };
}

/** Takes frames in; counts the records of a segment and enters the live ones. */
function contentsInto(live: Map<string, number>) {
  const contents = {
    records: 0,
    revision: 0,
    end: undefined as SegmentEnd | undefined,
    take(this: void, { type, payload }: Frame): void {
      if (type === 'M') contents.revision = Math.max(contents.revision, decodeMark(payload));
      if (type === 'E') contents.end = decodeEnd(payload);
      if (type !== 'B') return;
      forEachRecord(payload, (record) => {
        contents.records++;
        contents.revision = Math.max(contents.revision, record.revision);
        if (record.removed) live.delete(record.keyText);
        else live.set(record.keyText, record.revision);
      });
    },
  };
  return contents;
}

interface KnownSegment {
  readonly name: SegmentName;
  readonly header: SegmentHeader;
  /** The entry of this very file in the record of segments. */
  readonly recorded: RecordedSegment | undefined;
}

/** The header of every segment. The last one may have been in the making when a crash came; then it never was. */
async function readHeaders(
  files: LogFiles,
  names: readonly SegmentName[],
  record: ReadRecord | undefined,
  repairs: Repairs,
): Promise<KnownSegment[]> {
  const known: KnownSegment[] = [];
  for (const name of names) {
    const recorded = record?.state.segments.find(({ first, last }) => first === name.first && last === name.last);
    const file = await files.open(name.name, 'existing');
    try {
      const size = await file.size();
      let header: SegmentHeader | undefined;
      const { bad, end, checksum } = await readFrames(file, Math.min(size, LONGEST_TORN_HEADER), (frame) => {
        if (frame.offset === 0 && frame.type === 'H') header = decodeHeader(frame.payload, name.name);
      });
      if (header !== undefined) {
        requireOwn(name, header, record);
        known.push({ name, header, recorded });
      } else if (recorded === undefined && name === names.at(-1) && size <= LONGEST_TORN_HEADER && end === 0) {
        const damage = bad === undefined ? undefined : await damageInTail(file, bad, size, checksum);
        if (damage !== undefined) throw corrupt(name.name, 0, damage);
        repairs.remove.push(name.name);
        repairs.notices.push(`removed ${name.name}: it was being created when the process ended`);
      } else {
        throw size === 0
          ? shortFile(name.name, 'it is empty')
          : corrupt(name.name, 0, bad?.why ?? 'the segment header is missing');
      }
    } finally {
      await file.close();
    }
  }
  return known;
}

/** A segment belongs to this store and bears its own name. */
function requireOwn(name: SegmentName, header: SegmentHeader, record: ReadRecord | undefined): void {
  if (header.first !== name.first || (!header.merged && header.last !== name.last)) {
    const own = segmentName(header.first, header.last).name;
    throw corrupt(name.name, 0, `it was written as ${own}`);
  }
  if (header.store === undefined) return;
  if (record === undefined) {
    throw missingFile(RECORD, `${name.name} belongs to a store that has one, which says what else must be there`);
  }
  if (header.store !== record.store) {
    const why = `it belongs to store ${header.store}, and ${RECORD} to store ${record.store}`;
    throw corrupt(name.name, 0, why);
  }
}

/** Every segment of the record is there, or is part of one that was merged since. */
function requireRecorded(known: readonly KnownSegment[], record: ReadRecord | undefined): void {
  for (const { first, last, generation } of record?.state.segments ?? []) {
    const { name } = segmentName(first, last);
    const holder = known.find((segment) => segment.name.first <= first && segment.name.last >= last);
    if (holder === undefined) throw missingFile(name, `${RECORD} says that it must be there`);
    const found = holder.header.generation ?? 0;
    if (found < generation)
      throw shortFile(holder.name.name, `it is of merge ${found}, and ${RECORD} says ${generation}`);
  }
}

/** See `SegmentHeader.generation`. */
function requireOrder(known: readonly KnownSegment[]): void {
  for (const [at, { name, header }] of known.entries()) {
    const next = known[at + 1];
    if (next === undefined || !next.header.merged) continue;
    if (header.merged && (header.generation ?? 0) >= (next.header.generation ?? 0)) continue;
    throw shortFile(name.name, `it is older than ${next.name.name}, which was merged after it was`);
  }
}

async function readSegment(
  files: LogFiles,
  segment: KnownSegment,
  next: KnownSegment | undefined,
  record: ReadRecord | undefined,
  receive: (frame: Frame) => void,
  repairs: Repairs,
): Promise<{ length: number; checksum: number; lastFrame: number }> {
  const { name, header } = segment;
  const file = await files.open(name.name, 'existing');
  try {
    const size = await file.size();
    const known = knownEnd(segment, next, record);
    if (known !== undefined && size < known.length) throw shortFile(name.name, `${size} bytes of ${known.length}`);
    const isWhole = next !== undefined || header.merged;
    let there: number | undefined;
    let lastFrame = 0;
    const read = await readFrames(file, isWhole && known !== undefined ? known.length : size, (frame) => {
      if (frame.end === known?.length) there = frame.checksum;
      lastFrame = frame.offset;
      receive(frame);
    });
    const { end, checksum, bad } = read;
    if (bad !== undefined) {
      const isUnfinished = !isWhole && end >= (known?.length ?? 0);
      const damage = isUnfinished ? await damageInTail(file, bad, size, checksum) : bad.why;
      if (damage !== undefined) throw corrupt(name.name, bad.offset, damage);
      if (known?.isClean !== true) cutTail(repairs, name.name, end, size, bad.why);
    }
    if (known !== undefined && known.checksum !== undefined && there !== known.checksum)
      throw corrupt(name.name, known.length, `what ends there is not what ${RECORD} says`);
    if (known?.isClean === true && size > known.length)
      throw corrupt(name.name, known.length, 'the store was closed here, and something was written behind it');
    return { length: end, checksum, lastFrame };
  } catch (error) {
    if (error instanceof SyntaxError) throw corrupt(name.name, 0, error.message);
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * How far a segment must reach: by the header of the next one, which also says that nothing behind it counts; by the
 * record, for which the last segment may have grown unless the store was closed.
 */
function knownEnd(
  { header, recorded }: KnownSegment,
  next: KnownSegment | undefined,
  record: ReadRecord | undefined,
): { length: number; checksum: number | undefined; isClean: boolean } | undefined {
  if (!header.merged && next !== undefined) {
    const { previousLength, previousChecksum } = next.header;
    return { length: previousLength, checksum: previousChecksum, isClean: false };
  }
  // Merged anew since the record was written: its own end frame says that it is whole.
  if (recorded === undefined || recorded.generation !== (header.generation ?? 0)) return undefined;
  return { length: recorded.length, checksum: recorded.checksum, isClean: record?.state.clean === true };
}

function cutTail(repairs: Repairs, name: string, length: number, size: number, why: string): void {
  repairs.cut.push({ name, length });
  repairs.notices.push(`cut ${size - length} bytes off ${name} at ${length}: a write was not finished (${why})`);
}

/**
 * Makes the repairs that a crash has left to be done, and makes the files read durable: a process that was killed leaves names and
 * bytes that no power cut would have left. No file is removed before the one in its place is durable.
 */
export async function repairLog(files: LogFiles, { segments, repairs: { cut, remove } }: ReadLog): Promise<void> {
  await files.syncDirectory();
  for (const { name, length } of cut) {
    const file = await files.open(name, 'existing');
    try {
      await file.truncate(length);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  const last = segments.at(-1);
  if (last !== undefined) await refreshEnd(files, last);
  for (const name of remove) await files.remove(name);
  if (remove.length > 0) await files.syncDirectory();
}

/** Only the last frame can be in doubt: each is synced before the next is written. */
async function refreshEnd(files: LogFiles, { name, lastFrame, length }: ReadSegment): Promise<void> {
  const file = await files.open(name, 'existing');
  try {
    await refresh(file, lastFrame, length);
  } finally {
    await file.close();
  }
}

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
