/** The segment being written. Frames that `append` wrote count once `keep` is called; until then they can be left behind. */
import type { ClosedSegment } from './compact.ts';
import type { LogFile, LogFiles } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { FrameType } from './frame.ts';
import type { ReadSegment } from './read-log.ts';
import { FORMAT, encodeHeader, segmentName } from './segment.ts';
import { SPARE } from './spare-file.ts';

export interface ActiveSegment {
  /** Bytes that count. */
  length(): number;
  /** Writes one frame behind the last, and syncs it. */
  append(type: FrameType, payload: string, records: number): Promise<void>;
  /** Frames appended since the last call count from now on. */
  keep(): void;
  /** Cuts off the frames appended since `keep`. Rejects when a crash may bring them back. */
  undo(): Promise<void>;
  closed(): ClosedSegment;
  close(): Promise<void>;
}

/** A new segment behind this one, when `revision` is the highest given out. */
export interface Origin {
  readonly after: ClosedSegment | undefined;
  readonly revision: number;
  /** The identity that segments carry. */
  readonly store: string;
}

export const reopenSegment = async (files: LogFiles, segment: ReadSegment): Promise<ActiveSegment> =>
  activeSegment(await files.open(segment.name, 'existing'), segment);

/** Without a spare file a new one is opened. */
export async function createActiveSegment(files: LogFiles, origin: Origin, spare?: LogFile): Promise<ActiveSegment> {
  const before = origin.after;
  const sequence = (before?.last ?? 0) + 1;
  const target = segmentName(sequence, sequence);
  const header = encodeHeader({
    format: FORMAT,
    first: sequence,
    last: sequence,
    merged: false,
    revision: origin.revision,
    previousLength: before?.length ?? 0,
    previousChecksum: before?.checksum ?? 0,
    store: origin.store,
  });
  const file = spare ?? (await files.open(target.name, 'create'));
  try {
    await file.write(header.bytes, 0);
    await file.sync();
    if (spare !== undefined) await files.rename(SPARE, target.name);
    await files.syncDirectory();
  } catch (error) {
    await file.close();
    throw error;
  }
  const { length } = header.bytes;
  const { checksum } = header;
  return activeSegment(file, { ...target, merged: false, generation: 0, length, checksum, records: 0 });
}

function activeSegment(file: LogFile, start: ClosedSegment): ActiveSegment {
  let kept = start.length;
  let keptRecords = start.records;
  let keptChecksum = start.checksum;
  let written = kept;
  let writtenRecords = keptRecords;
  let checksum = keptChecksum;
  /** A write failed: the bytes behind the kept ones are unknown, so nothing may follow them in this file. */
  let broken = false;
  return {
    length: () => kept,
    async append(type, payload, records) {
      if (broken) throw new Error('an earlier write to this segment failed');
      const frame = encodeFrame(type, payload, checksum);
      broken = true;
      await file.write(frame.bytes, written);
      await file.sync();
      broken = false;
      written += frame.bytes.length;
      writtenRecords += records;
      checksum = frame.checksum;
    },
    keep() {
      kept = written;
      keptRecords = writtenRecords;
      keptChecksum = checksum;
    },
    async undo() {
      await file.truncate(kept);
      await file.sync();
    },
    closed: () => ({ ...start, length: kept, checksum: keptChecksum, records: keptRecords }),
    close: () => file.close(),
  };
}
