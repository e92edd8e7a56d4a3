/**
 * The files of a log: `FIRST-LAST.log` holds the records of segments FIRST to LAST. A segment is filled, closed, and
 * later merged with all before it; a file whose range lies within another's was merged and is only left over.
 */
import { StoreError } from '../../errors.ts';
import { encodeFrame } from './frame.ts';

export const FORMAT = 1;

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
  /** How much of the segment before is valid: what stands behind was never answered. */
  readonly previousLength: number;
}

const NAME = /^(\d{8,})-(\d{8,})\.log$/;
const digits = (sequence: number): string => String(sequence).padStart(8, '0');

export const segmentName = (first: number, last: number): SegmentName => ({
  name: `${digits(first)}-${digits(last)}.log`,
  first,
  last,
});

export const TEMPORARY = '.tmp';

/** What to read, in order, and what a crash during compaction has left behind. */
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
      throw new StoreError('EN_STORE_CORRUPT', `log segment ${next} is missing (found ${segment.name} after it)`);
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
  if (header.format !== FORMAT) {
    throw new StoreError(
      'EN_STORE_SCHEMA',
      `${name} has format ${header.format}, this version reads ${FORMAT}; use the version that wrote it`,
    );
  }
  return header;
}

export const decodeMark = (payload: Buffer): number =>
  (JSON.parse(payload.toString('utf8')) as { revision: number }).revision;
export const encodeMark = (revision: number): string => `${JSON.stringify({ revision })}\n`;
