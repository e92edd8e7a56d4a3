/** The segment being written. What `append` wrote counts once `keep` is called; until then it can be left behind. */
import type { ClosedSegment } from './compact.ts';
import type { LogFile, LogFiles } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { FrameType } from './frame.ts';
import type { ReadSegment } from './read-log.ts';
import { FORMAT, encodeHeader, segmentName } from './segment.ts';

export interface ActiveSegment {
  /** Bytes that count. */
  length(): number;
  /** Writes one frame behind what was written last, and syncs it. */
  append(type: FrameType, payload: string, records: number): Promise<void>;
  /** What was appended since the last call counts from now on. */
  keep(): void;
  /** Takes off what was appended since `keep`, as far as the disk still lets itself be written. */
  undo(): Promise<void>;
  closed(): ClosedSegment;
  close(): Promise<void>;
}

export type Origin =
  | { readonly reopen: ReadSegment }
  /** A new segment behind this one, when `revision` is the highest given out. */
  | { readonly after: ClosedSegment | undefined; readonly revision: number };

export async function createActiveSegment(files: LogFiles, origin: Origin): Promise<ActiveSegment> {
  if ('reopen' in origin) {
    const { reopen } = origin;
    return activeSegment(await files.open(reopen.name, 'existing'), reopen, reopen.checksum);
  }
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
  });
  const file = await files.open(target.name, 'create');
  try {
    await file.write(header.bytes, 0);
    await file.sync();
    await files.syncDirectory();
  } catch (error) {
    await file.close();
    throw error;
  }
  return activeSegment(file, { ...target, merged: false, length: header.bytes.length, records: 0 }, header.checksum);
}

function activeSegment(file: LogFile, start: ClosedSegment, startChecksum: number): ActiveSegment {
  let kept = start.length;
  let keptRecords = start.records;
  let written = kept;
  let writtenRecords = keptRecords;
  let checksum = startChecksum;
  /** A write failed: what stands behind the kept bytes is unknown, so nothing may follow it in this file. */
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
    },
    async undo() {
      await file.truncate(kept);
      await file.sync();
    },
    closed: () => ({ ...start, length: kept, records: keptRecords }),
    close: () => file.close(),
  };
}
