/**
 * The record of segments: which files a store consists of, and how far they reached when that was last written down.
 * By the record a missing or shortened file is noticed; the record also carries the mark of a clean stop. A file of its own,
 * `record`, of the same frames as the log: a header that names the store, then states, of which the last one counts.
 * The record is written when segments change and when the store is opened and closed, never for a commit; and through a file
 * that stays open, so that a segment can be closed when the process has no descriptor left.
 */
import type { LogFile, LogFiles } from './files.ts';
import { encodeFrame } from './frame.ts';
import { readFrames } from './frame-reader.ts';
import { refresh } from './refresh.ts';
import { corrupt, requireFormat, TEMPORARY } from './segment.ts';
import { damageInTail } from './tail.ts';

export const RECORD = 'record';
const RECORD_FORMAT = 1;
/** Past this it is written anew, with one state. */
const REWRITE_BYTES = 256 * 1024;

export interface RecordedSegment {
  readonly first: number;
  readonly last: number;
  /** 0 unless it was merged. */
  readonly generation: number;
  /** Bytes that count, all of them synced; the last segment may have grown since. */
  readonly length: number;
  /** Of the last frame within `length`. */
  readonly checksum: number;
}

export const recordedOf = ({ first, last, generation, length, checksum }: RecordedSegment): RecordedSegment => ({
  first,
  last,
  generation,
  length,
  checksum,
});

export interface RecordState {
  /** In order, without a gap; the last one is the one being written. */
  readonly segments: readonly RecordedSegment[];
  /** The highest revision given out. */
  readonly revision: number;
  /** The store was closed, and the last segment has exactly its length. */
  readonly clean: boolean;
}

export interface ReadRecord {
  readonly store: string;
  readonly state: RecordState;
  /** Where the next state goes, and the checksum it follows. */
  readonly length: number;
  readonly checksum: number;
}

const NOTHING: RecordState = { segments: [], revision: 0, clean: true };

/** The record as it is; undefined when there is none. Reads only. */
export async function readRecord(files: LogFiles, names: readonly string[]): Promise<ReadRecord | undefined> {
  if (!names.includes(RECORD)) return undefined;
  const file = await files.open(RECORD, 'existing');
  try {
    const size = await file.size();
    let store: string | undefined;
    let state = NOTHING;
    const { end, checksum, bad } = await readFrames(file, size, ({ type, offset, payload }) => {
      if (type === 'H' && offset === 0) store = decodeHead(payload);
      if (type === 'R') state = JSON.parse(payload.toString('utf8')) as RecordState;
    });
    const damage = bad === undefined ? undefined : await damageInTail(file, bad, size, checksum);
    if (damage !== undefined) throw corrupt(RECORD, bad?.offset ?? 0, damage);
    // The file takes its name only when its first state is synced, so no crash leaves less.
    if (store === undefined) throw corrupt(RECORD, 0, 'it is empty');
    return { store, state, length: end, checksum };
  } finally {
    await file.close();
  }
}

function decodeHead(payload: Buffer): string {
  const { format, store } = JSON.parse(payload.toString('utf8')) as { format: number; store: string };
  requireFormat(format, RECORD, RECORD_FORMAT, RECORD_FORMAT);
  return store;
}

/** The bytes of a record with this one state. */
export function encodeRecordFile(store: string, state: RecordState): { bytes: Buffer; checksum: number } {
  const head = encodeFrame('H', `${JSON.stringify({ format: RECORD_FORMAT, store })}\n`, 0);
  const only = encodeFrame('R', `${JSON.stringify(state)}\n`, head.checksum);
  return { bytes: Buffer.concat([head.bytes, only.bytes]), checksum: only.checksum };
}

export interface SegmentRecord {
  /** The identity of the store, which its segments carry. */
  readonly store: string;
  /** Makes a state durable. When it rejects, the state before or this one holds after a crash. */
  write(state: RecordState): Promise<void>;
  close(): Promise<void>;
}

/** Opens the record that was read, or starts one for a store that has none yet. */
export async function openRecord(
  files: LogFiles,
  read: ReadRecord | undefined,
  newStore: () => string,
  state: RecordState = NOTHING,
): Promise<SegmentRecord> {
  if (read !== undefined) {
    const { store, length, checksum } = read;
    const file = await files.open(RECORD, 'existing');
    // An unfinished state at its end was read over; nothing may stand behind the next one, or be mixed with it.
    await file.truncate(length);
    await refresh(file, 0, length);
    return segmentRecord(files, store, { file, length, checksum });
  }
  const store = newStore();
  const made = await replace(files, store, state);
  await files.syncDirectory();
  return segmentRecord(files, store, made);
}

interface Written {
  readonly file: LogFile;
  readonly length: number;
  readonly checksum: number;
}

/** Puts a whole new record in the place of the one there is, or of none; durable once the directory is synced. */
async function replace(files: LogFiles, store: string, state: RecordState): Promise<Written> {
  const temporary = RECORD + TEMPORARY;
  const { bytes, checksum } = encodeRecordFile(store, state);
  const file = await files.open(temporary, 'create');
  try {
    await file.write(bytes, 0);
    await file.sync();
    await files.rename(temporary, RECORD);
    return { file, length: bytes.length, checksum };
  } catch (error) {
    await file.close();
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

function segmentRecord(files: LogFiles, store: string, start: Written): SegmentRecord {
  let { file, length, checksum } = start;
  /** A write failed: the bytes behind `length` are unknown, so the next state goes into a new file. */
  let isBroken = false;
  /** A new file took the name, and the directory has not been synced since. */
  let isUnsynced = false;

  async function rewrite(state: RecordState): Promise<void> {
    const written = await replace(files, store, state);
    await file.close().catch(() => undefined);
    ({ file, length, checksum } = written);
    isBroken = false;
    isUnsynced = true;
  }

  async function append(state: RecordState): Promise<void> {
    const frame = encodeFrame('R', `${JSON.stringify(state)}\n`, checksum);
    isBroken = true;
    await file.write(frame.bytes, length);
    await file.sync();
    isBroken = false;
    length += frame.bytes.length;
    checksum = frame.checksum;
  }

  async function writeNow(state: RecordState): Promise<void> {
    if (isBroken) await rewrite(state);
    // Only to save room: where it fails, the record goes on growing.
    else if (length > REWRITE_BYTES) await rewrite(state).catch(() => append(state));
    else await append(state);
    if (isUnsynced) await files.syncDirectory();
    isUnsynced = false;
  }

  /** Commits and merges both write states; one at a time, in the order in which they were true. */
  let before: Promise<unknown> = Promise.resolve();
  return {
    store,
    write(state) {
      const written = before.then(() => writeNow(state));
      before = written.catch(() => undefined);
      return written;
    },
    async close() {
      await before;
      await file.close();
    },
  };
}
