/**
 * The files of a log: `FIRST-LAST.log` holds the records of segments FIRST to LAST. A segment is filled, closed, and
 * later merged, always after all before it; a file whose range lies within another's was merged and is only left over.
 */
import { StoreError } from '../../errors.ts';
import { encodeFrame } from './frame.ts';

/** 1: without a record of segments. 2: bound to it. */
export const FORMAT = 2;
const OLDEST_FORMAT = 1;

export interface SegmentName {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

export interface SegmentHeader {
  readonly format: number;
  readonly first: number;
  readonly last: number;
  /** Made by compaction: its last frame is an E, and no later segment knows its length. */
  readonly merged: boolean;
  /** The highest revision ever given out before this segment; survives even when its records are compacted away. */
  readonly revision: number;
  /** How much of the segment before is valid: bytes behind that were never answered. */
  readonly previousLength: number;
  /** Of the last frame of the segment before that counts. Absent in format 1. */
  readonly previousChecksum?: number;
  /** The store it belongs to. Absent in format 1. */
  readonly store?: string;
  /**
   * Of a merged segment: the merge that made it, counted from 1. A merge drops a removal only after it went through
   * everything before, so no segment is of an earlier generation than one behind it. Absent: 0.
   */
  readonly generation?: number;
}

/** The last frame of a merged segment. Only `records` is there in format 1. */
export interface SegmentEnd {
  readonly records: number;
  /** The last segment whose records are in it. */
  readonly last?: number;
  /**
   * The revision that was durable when the merge finished. Records superseded until then were left out, so the segments
   * that were not merged must reach as far: a copy of the directory may have caught them earlier.
   */
  readonly through?: number;
}

const NAME = /^(\d{8,})-(\d{8,})\.log$/;
const digits = (sequence: number): string => String(sequence).padStart(8, '0');

export const segmentName = (first: number, last: number): SegmentName => ({
  name: `${digits(first)}-${digits(last)}.log`,
  first,
  last,
});

export const TEMPORARY = '.tmp';

/** The segments to read, in order, and the files that a crash during compaction has left behind. */
export function arrangeSegments(names: readonly string[]): { segments: SegmentName[]; leftOver: string[] } {
  const leftOver = names.filter((name) => name.endsWith(TEMPORARY));
  const found: SegmentName[] = [];
  for (const name of names) {
    const match = NAME.exec(name);
    if (match !== null) found.push({ name, first: Number(match[1]), last: Number(match[2]) });
  }
  found.sort((a, b) => a.first - b.first || b.last - a.last);
  const segments: SegmentName[] = [];
  let next = 1;
  for (const segment of found) {
    if (segment.last < next) {
      leftOver.push(segment.name);
      continue;
    }
    if (segment.first !== next) {
      throw missingFile(segmentName(next, next).name, `there is ${segment.name}, which follows it`);
    }
    segments.push(segment);
    next = segment.last + 1;
  }
  return { segments, leftOver };
}

export const encodeHeader = (header: SegmentHeader): { bytes: Buffer; checksum: number } =>
  encodeFrame('H', `${JSON.stringify(header)}\n`, 0);

export function decodeHeader(payload: Buffer, name: string): SegmentHeader {
  const header = JSON.parse(payload.toString('utf8')) as SegmentHeader;
  requireFormat(header.format, name, OLDEST_FORMAT, FORMAT);
  return header;
}

export function requireFormat(format: number, name: string, oldest: number, newest: number): void {
  if (format >= oldest && format <= newest) return;
  throw new StoreError(
    'EN_STORE_SCHEMA',
    `${name} has format ${format}, this version reads up to ${newest}; use the version that wrote it`,
  );
}

export const decodeEnd = (payload: Buffer): SegmentEnd => JSON.parse(payload.toString('utf8')) as SegmentEnd;
export const encodeEnd = (end: SegmentEnd): string => `${JSON.stringify(end)}\n`;

const WAY_OUT =
  'Nothing was changed. Restore the data directory from a backup (everynode restore, docs/backup.md); or, to go on ' +
  'without what is lost, copy it and follow docs/decisions/0002-store-engine.md ("Damage")';
/** A directory that was copied with ordinary tools while the store wrote to it ends here. */
const COPY = 'Was it copied while the store was running? everynode backup makes a copy that is whole';

export const corrupt = (name: string, offset: number, why: string): StoreError =>
  new StoreError('EN_STORE_CORRUPT', `${name} is damaged at byte ${offset}: ${why}. ${WAY_OUT}`);

/** A file is missing, or is older than others say. */
export const missingFile = (name: string, why: string): StoreError =>
  new StoreError('EN_STORE_INCOMPLETE', `${name} is missing: ${why}. ${COPY}. ${WAY_OUT}`);
export const shortFile = (name: string, why: string): StoreError =>
  new StoreError('EN_STORE_INCOMPLETE', `${name} is not whole: ${why}. ${COPY}. ${WAY_OUT}`);

/** Marks were written at the end of a segment of format 1 when its store was closed. */
export const decodeMark = (payload: Buffer): number =>
  (JSON.parse(payload.toString('utf8')) as { revision: number }).revision;
