/**
 * Merges all closed segments into one that holds only what is live. Because it always takes every segment from the
 * first on, nothing older can come back to life when a removal's own record is dropped. The new file takes effect by
 * one rename; a crash before leaves a temporary file, a crash after leaves old ones, and both are cleared at start.
 */
import type { StoreKey } from '../../store.ts';
import type { LogFile, LogFiles } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { FrameType } from './frame.ts';
import { readFrames } from './frame-reader.ts';
import { decodeKey, forEachRecord } from './records.ts';
import { FORMAT, encodeHeader, segmentName, TEMPORARY } from './segment.ts';
import type { SegmentName } from './segment.ts';

export interface ClosedSegment extends SegmentName {
  readonly merged: boolean;
  readonly length: number;
  readonly records: number;
}

/** Frames this large keep each turn of the loop short, and syncing this often keeps one sync from stalling commits. */
const FRAME_BYTES = 256 * 1024;
const SYNC_BYTES = 4 * 1024 * 1024;

export interface Compaction {
  readonly files: LogFiles;
  /** Every closed segment, in order. */
  readonly inputs: readonly ClosedSegment[];
  /** The highest revision given out before the inputs were closed. */
  readonly revision: number;
  /** The revision a key has now, or undefined when it holds nothing. */
  readonly currentRevision: (key: StoreKey) => number | undefined;
  readonly signal: AbortSignal;
}

export async function compact({
  files,
  inputs,
  revision,
  currentRevision,
  signal,
}: Compaction): Promise<ClosedSegment> {
  const first = inputs[0] as ClosedSegment;
  const last = inputs[inputs.length - 1] as ClosedSegment;
  const target = segmentName(first.first, last.last);
  const temporary = target.name + TEMPORARY;
  const file = await files.open(temporary, 'create');
  let records = 0;
  let length: number;
  try {
    const out = frameWriter(file);
    await out.start(
      encodeHeader({
        format: FORMAT,
        first: target.first,
        last: target.last,
        merged: true,
        revision,
        previousLength: 0,
      }),
    );
    for (const input of inputs) {
      await copyLive(files, input, signal, currentRevision, async (lines, count) => {
        records += count;
        await out.append('B', lines);
      });
    }
    await out.append('E', `${JSON.stringify({ records })}\n`);
    await file.sync();
    length = out.length();
  } catch (error) {
    await file.close();
    await files.remove(temporary);
    throw error;
  }
  await file.close();
  await files.rename(temporary, target.name);
  await files.syncDirectory();
  for (const input of inputs) if (input.name !== target.name) await files.remove(input.name);
  await files.syncDirectory();
  return { ...target, merged: true, length, records };
}

async function copyLive(
  files: LogFiles,
  input: ClosedSegment,
  signal: AbortSignal,
  currentRevision: (key: StoreKey) => number | undefined,
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
  };
}
