/**
 * The default engine: an append-only log of checksummed frames, one frame and one sync a batch, merged in the
 * background when more of it is dead than alive. The engine needs no thread of its own: writing and syncing happen in the
 * platform's pool while the next batch gathers. Why a log and not a database: docs/decisions/0002-store-engine.md.
 */
import type { Random } from '../../../../machinery/random/random.ts';
import { realRandom } from '../../../../machinery/random/real-random.ts';
import { belongsToDeletion } from '../../deletions.ts';
import type { EngineChange, LoadedEntry, StoreEngine } from '../../engine.ts';
import { StoreError, textOf } from '../../errors.ts';
import { createSharing } from '../../sharing.ts';
import type { StoreKey } from '../../store.ts';
import { openDataDirectory } from '../data-directory.ts';
import type { DataDirectory } from '../data-directory.ts';
import { reopenSegment } from './active-segment.ts';
import { DiskRoom } from './disk-room.ts';
import { holdFilesOf } from './files.ts';
import type { LogFiles } from './files.ts';
import { newLogState, recordStateOf } from './log-state.ts';
import type { LogState } from './log-state.ts';
import { LogWriter } from './log-writer.ts';
import { createMerging } from './merging.ts';
import type { Merging } from './merging.ts';
import { loadLog, repairLog, verifyLog } from './read-log.ts';
import type { ReadLog } from './read-log.ts';
import { openRecord, RECORD } from './record.ts';
import type { SegmentRecord } from './record.ts';
import { createReserve } from './reserve.ts';
import { arrangeSegments, FORMAT, missingFile } from './segment.ts';

export interface LogEngineOptions {
  readonly directory: string;
  /** A segment is closed when it has grown to this. */
  readonly segmentBytes?: number;
  /** Less garbage than this is not worth merging for. */
  readonly garbageBytes?: number;
  /** A file beside the directory says that the directory holds a store: an empty one is refused instead of begun anew. */
  readonly isExpected?: boolean;
  /** Gives a new store its identity. */
  readonly random?: Random;
  /** Receives repairs made at start and failures in the background; for a log. */
  readonly notice?: (message: string) => void;
  /** For tests: stands between the log and the disk. */
  readonly wrapFiles?: (files: LogFiles) => LogFiles;
}

const SEGMENT_BYTES = 32 * 1024 * 1024;
const GARBAGE_BYTES = 32 * 1024 * 1024;

/** Locks the directory, and makes a new one a store; the log itself is read by `load`. */
export async function createLogEngine(options: LogEngineOptions): Promise<StoreEngine> {
  const directory = await openDataDirectory(options.directory);
  const held = await holdFilesOf(directory.path).catch((error: unknown) => {
    directory.release();
    throw error;
  });
  const release = async (): Promise<void> => {
    await held.release();
    directory.release();
  };
  try {
    const files = (options.wrapFiles ?? ((f) => f))(held.files);
    await beginStore(options, directory, files);
    return new LogEngine(options, { ...directory, release }, files);
  } catch (error) {
    await release();
    throw error;
  }
}

interface HeldDirectory extends Omit<DataDirectory, 'release'> {
  release(): Promise<void>;
}

/** An empty directory becomes a store, unless something says that it was one already. */
async function beginStore(options: LogEngineOptions, directory: DataDirectory, files: LogFiles): Promise<void> {
  const names = await files.list();
  if (names.includes(RECORD) || arrangeSegments(names).segments.length > 0) return;
  if (directory.store !== undefined) throw missingFile(RECORD, `${directory.path} held store ${directory.store}`);
  if (options.isExpected === true) {
    throw missingFile(RECORD, `the keys beside ${directory.path} belong to a cluster, and its store is not there`);
  }
  const record = await openRecord(files, undefined, (options.random ?? realRandom).uuid);
  await record.close();
  directory.holds(record.store);
}

class LogEngine implements StoreEngine {
  readonly #options: LogEngineOptions;
  readonly #directory: HeldDirectory;
  readonly #files: LogFiles;
  readonly #segmentBytes: number;
  readonly #notice: (message: string) => void;
  readonly #state = newLogState();
  readonly #room: DiskRoom;
  readonly #writer: LogWriter;
  readonly #merging: Merging;
  /** The committed revision of a key, for telling dead records; given by `load`. */
  #currentRevision: (key: StoreKey) => number | undefined = nothingKnown;

  constructor(options: LogEngineOptions, directory: HeldDirectory, files: LogFiles) {
    const { segmentBytes = SEGMENT_BYTES, notice = () => undefined } = options;
    const state = this.#state;
    this.#options = options;
    this.#directory = directory;
    this.#files = files;
    this.#segmentBytes = segmentBytes;
    this.#notice = notice;
    this.#room = new DiskRoom(state, createReserve(files, segmentBytes + segmentBytes / 4));
    this.#writer = new LogWriter({
      files,
      state,
      room: this.#room,
      segmentBytes,
      isMergingWorthIt: () => this.#merging.isWorthIt(),
    });
    this.#merging = createMerging({
      files,
      state,
      store: () => (state.record as SegmentRecord).store,
      segmentBytes,
      leastGarbage: options.garbageBytes ?? GARBAGE_BYTES,
      currentRevision: (key) => this.#currentRevision(key),
      writeRecord: () => this.#writer.writeRecord(),
      notice,
    });
  }

  get isFull(): boolean {
    return this.#state.isFull;
  }

  async load(
    receive: (entries: readonly LoadedEntry[]) => void,
    currentRevision: (key: StoreKey) => number | undefined,
  ): Promise<number> {
    const files = this.#files;
    this.#currentRevision = currentRevision;
    const log = await verifyLog(files);
    await this.#room.evenIfFull(() => repairLog(files, log));
    for (const message of log.repairs.notices) this.#notice(message);
    await loadLog(files, log, createSharing(), receive);
    await this.#adopt(log);
    this.#room.keepReserve();
    this.#writer.keepSpare();
    return this.#state.revision;
  }

  async commit(batch: readonly EngineChange[]): Promise<void> {
    const state = this.#state;
    const wasFull = state.isFull;
    try {
      await this.#writer.append(batch);
    } catch (error) {
      // The reserve is for deletions that found the disk full.
      const isForReserve = !wasFull && state.isFull && !state.isBroken;
      if (!isForReserve || !batch.every(({ object }) => belongsToDeletion(object))) throw error;
      await this.#writer.rotate();
      await this.#writer.append(batch);
    }
    countBatch(state, batch);
    if (state.closed.length > 0 && this.#merging.isWorthIt()) this.#merging.start();
  }

  async recover(used: number): Promise<void> {
    const state = this.#state;
    state.revision = Math.max(state.revision, used);
    if (!state.isFull) await probe(this.#files);
    // Never behind a failed write in the same file: the new segment's header says how much of this one counts.
    await this.#writer.rotate();
    await this.#writer.writeRecord();
    if (state.isFull) this.#merging.startForRoom();
  }

  async regainRoom(): Promise<boolean> {
    await this.#room.regain();
    if (this.#state.isFull) this.#merging.startForRoom();
    return !this.#state.isFull;
  }

  async close(): Promise<void> {
    const state = this.#state;
    try {
      await this.#merging.stop();
      await this.#room.settled();
      await this.#writer.closeSpare();
      // Without the mark of a clean stop the next start only takes more care.
      if (!state.isBroken) await this.#writer.writeRecord(true).catch(() => undefined);
      await state.record?.close();
      await state.active?.close();
    } catch (cause) {
      throw new StoreError('EN_STORE_ENGINE', `the log could not be closed: ${textOf(cause)}`, { cause });
    } finally {
      await this.#directory.release();
    }
  }

  /** Goes on with a log that was read, in its last segment where that may still grow. */
  async #adopt(log: ReadLog): Promise<void> {
    const state = this.#state;
    const files = this.#files;
    state.revision = state.durableRevision = log.revision;
    state.records = log.segments.reduce((sum, s) => sum + s.records, 0);
    state.deadRecords = state.records - log.live.size;
    state.generation = Math.max(0, ...log.segments.map(({ generation }) => generation));
    state.closed = log.segments;
    const last = log.segments.at(-1);
    if (last !== undefined && !last.merged && last.format === FORMAT && last.length < this.#segmentBytes) {
      state.closed = log.segments.slice(0, -1);
      state.active = await reopenSegment(files, last);
    }
    const { uuid } = this.#options.random ?? realRandom;
    // From here on the store is not closed properly, however it ends.
    await this.#room.evenIfFull(async () => {
      state.record ??= await openRecord(files, log.record, uuid, recordStateOf(state, false));
      if (log.record !== undefined) await this.#writer.writeRecord();
      this.#directory.holds(state.record.store);
    });
  }
}

/** Counts a durable batch. */
function countBatch(state: LogState, batch: readonly EngineChange[]): void {
  for (const change of batch) {
    state.records++;
    if (change.object === undefined) state.deadRecords++;
    if (change.replaces !== undefined) state.deadRecords++;
    state.revision = change.revision;
  }
  state.durableRevision = state.revision;
}

const nothingKnown = (): undefined => undefined;

const PROBE_BYTES = 1024 * 1024;

/** Whether the disk takes a batch's worth of data again. */
async function probe(files: LogFiles): Promise<void> {
  const name = 'probe.tmp';
  const file = await files.open(name, 'create');
  try {
    await file.write(Buffer.alloc(PROBE_BYTES), 0);
    await file.sync();
  } finally {
    await file.close();
    await files.remove(name);
  }
}
