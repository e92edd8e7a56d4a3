/**
 * Merges closed segments into ones that hold only live records. A merge goes through all of them from the first on, so
 * nothing older can come back to life when a removal's own record is dropped. Each new segment takes effect by one
 * rename, and the files it stands for are removed before the next one is written, so a merge never needs more room
 * than about two segments. A crash leaves a temporary file or old ones, and both are cleared at start.
 */
import type { StoreKey } from '../../store.ts';
import type { LogFile, LogFiles } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { FrameType } from './frame.ts';
import { readFrames } from './frame-reader.ts';
import type { RecordedSegment } from './record.ts';
import { decodeKey, forEachRecord } from './records.ts';
import { FORMAT, encodeEnd, encodeHeader, segmentName, TEMPORARY } from './segment.ts';
import type { SegmentName } from './segment.ts';

export interface ClosedSegment extends SegmentName, RecordedSegment {
  readonly merged: boolean;
  readonly records: number;
}

/** Frames this large keep each turn of the loop short, and syncing this often keeps one sync from stalling commits. */
const FRAME_BYTES = 256 * 1024;
const SYNC_BYTES = 4 * 1024 * 1024;

export interface Compaction {
  readonly files: LogFiles;
  /** The identity that segments carry. */
  readonly store: string;
  /** Every closed segment, in order. */
  readonly inputs: readonly ClosedSegment[];
  /** A new segment is finished when it has grown to this. */
  readonly segmentBytes: number;
  /** Higher than that of any segment there is. */
  readonly generation: number;
  /** The highest revision given out before the inputs were closed. */
  readonly revision: number;
  /** The highest revision that is durable now. */
  readonly durableRevision: () => number;
  /** The revision a key has now, or undefined when it holds nothing. */
  readonly currentRevision: (key: StoreKey) => number | undefined;
  /**
   * Called at once when a new segment stands in the place of some inputs, whatever fails after that; resolves when the
   * replaced files are out of the way.
   */
  readonly took: (replaced: readonly ClosedSegment[], merged: ClosedSegment) => Promise<void>;
  readonly signal: AbortSignal;
}

export async function compact(compaction: Compaction): Promise<void> {
  const { inputs } = compaction;
  for (let done = 0; done < inputs.length;) {
    const { merged, replaced } = await mergeSome(compaction, inputs.slice(done));
    done += replaced.length;
    await compaction.took(replaced, merged);
  }
}

/** One new segment from the first of these inputs, as many as fill it. */
async function mergeSome(
  compaction: Compaction,
  inputs: readonly ClosedSegment[],
): Promise<{ merged: ClosedSegment; replaced: readonly ClosedSegment[] }> {
  const { files, store, generation, revision, segmentBytes } = compaction;
  const { first } = inputs[0] as ClosedSegment;
  const temporary = `merged${TEMPORARY}`;
  const file = await files.open(temporary, 'create');
  const replaced: ClosedSegment[] = [];
  let records = 0;
  let target = segmentName(first, first);
  const out = frameWriter(file);
  try {
    // How far it will reach is known at its end only; its last frame says so.
    const range = { first, last: first };
    await out.start(
      encodeHeader({ format: FORMAT, ...range, merged: true, revision, previousLength: 0, store, generation }),
    );
    for (const input of inputs) {
      await copyLive(compaction, input, async (lines, count) => {
        records += count;
        await out.append('B', lines);
      });
      replaced.push(input);
      target = segmentName(first, input.last);
      if (out.length() >= segmentBytes) break;
    }
    await out.append('E', encodeEnd({ records, last: target.last, through: compaction.durableRevision() }));
    await file.sync();
    await file.close();
    await takeName(files, temporary, target.name);
  } catch (error) {
    await file.close().catch(() => undefined);
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  const { length, checksum } = { length: out.length(), checksum: out.checksum() };
  return { merged: { ...target, generation, merged: true, length, checksum, records }, replaced };
}

/** Renames; where that fails, looks whether it happened nevertheless. */
async function takeName(files: LogFiles, temporary: string, name: string): Promise<void> {
  try {
    await files.rename(temporary, name);
  } catch (error) {
    const names = await files.list();
    if (names.includes(temporary) || !names.includes(name)) throw error;
  }
}

async function copyLive(
  { files, signal, currentRevision }: Compaction,
  input: ClosedSegment,
  write: (lines: string, count: number) => Promise<void>,
): Promise<void> {
  let lines = '';
  let count = 0;
  const flush = async (): Promise<void> => {
    if (count > 0) await write(lines, count);
    lines = '';
    count = 0;
  };
  const file = await files.open(input.name, 'existing');
  try {
    const { bad } = await readFrames(file, input.length, async ({ type, payload }) => {
      signal.throwIfAborted();
      if (type !== 'B') return;
      forEachRecord(payload, ({ revision, keyText, removed, start, end }) => {
        if (removed || currentRevision(decodeKey(keyText)) !== revision) return;
        lines += payload.toString('utf8', start, end + 1);
        count++;
      });
      if (lines.length >= FRAME_BYTES) await flush();
    });
    if (bad !== undefined) throw new Error(`${input.name} is damaged at byte ${bad.offset}: ${bad.why}`);
    await flush();
  } finally {
    await file.close();
  }
}

function frameWriter(file: LogFile): {
  start(header: { bytes: Buffer; checksum: number }): Promise<void>;
  append(type: FrameType, payload: string): Promise<void>;
  length(): number;
  checksum(): number;
} {
  let position = 0;
  let checksum = 0;
  let unsynced = 0;
  const write = async (frame: { bytes: Buffer; checksum: number }): Promise<void> => {
    await file.write(frame.bytes, position);
    position += frame.bytes.length;
    checksum = frame.checksum;
    unsynced += frame.bytes.length;
    if (unsynced < SYNC_BYTES) return;
    unsynced = 0;
    await file.sync();
  };
  return {
    start: write,
    append: (type, payload) => write(encodeFrame(type, payload, checksum)),
    length: () => position,
    checksum: () => checksum,
  };
}
