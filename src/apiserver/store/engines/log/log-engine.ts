/**
 * The default engine: an append-only log of checksummed frames, one frame and one sync a batch, merged in the
 * background when more of it is dead than alive. It needs no thread of its own: writing and syncing happen in the
 * platform's pool while the next batch gathers. Why a log and not a database: docs/decisions/0002-store-engine.md.
 */
import type { Random } from '../../../../machinery/random/random.ts';
import { realRandom } from '../../../../machinery/random/real-random.ts';
import type { EngineChange, StoreEngine } from '../../engine.ts';
import { belongsToDeletion } from '../../deletions.ts';
import { StoreError, textOf } from '../../errors.ts';
import { createSharing } from '../../sharing.ts';
import type { StoreKey } from '../../store.ts';
import { openDataDirectory } from '../data-directory.ts';
import type { DataDirectory } from '../data-directory.ts';
import { createObjectEncoder } from '../object-text.ts';
import { createActiveSegment, reopenSegment } from './active-segment.ts';
import type { ActiveSegment } from './active-segment.ts';
import { holdFilesOf } from './files.ts';
import type { LogFiles } from './files.ts';
import { bytesOnDisk, newLogState, recordStateOf } from './log-state.ts';
import { createMerging } from './merging.ts';
import { loadLog, repairLog, verifyLog } from './read-log.ts';
import type { ReadLog } from './read-log.ts';
import { openRecord, RECORD } from './record.ts';
import type { SegmentRecord } from './record.ts';
import { encodeRecord } from './records.ts';
import { createReserve, isFullDisk } from './reserve.ts';
import { arrangeSegments, FORMAT, missingFile } from './segment.ts';
import { createSpareFile, isOutOfDescriptors } from './spare-file.ts';

export interface LogEngineOptions {
  readonly directory: string;
  /** A segment is closed when it has grown to this. */
  readonly segmentBytes?: number;
  /** Less garbage than this is not worth merging for. */
  readonly garbageBytes?: number;
  /** Something beside the directory says that it holds a store: it is not begun anew. */
  readonly isExpected?: boolean;
  /** Gives a new store its identity. */
  readonly random?: Random;
  /** Told what was repaired at start and what went wrong in the background; for a log. */
  readonly notice?: (message: string) => void;
  /** For tests: stands between the log and the disk. */
  readonly wrapFiles?: (files: LogFiles) => LogFiles;
}

const SEGMENT_BYTES = 32 * 1024 * 1024;
const GARBAGE_BYTES = 32 * 1024 * 1024;
/** A frame is written and checked as one piece; a batch of huge objects is split so that none gets out of hand. */
const FRAME_CHARACTERS = 8 * 1024 * 1024;

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
    return logEngine(options, { ...directory, release }, files);
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

function logEngine(options: LogEngineOptions, directory: HeldDirectory, files: LogFiles): StoreEngine {
  const { segmentBytes = SEGMENT_BYTES, notice = () => undefined, random = realRandom } = options;
  const encode = createObjectEncoder();
  const state = newLogState();
  const spare = createSpareFile(files);
  const reserve = createReserve(files, segmentBytes + segmentBytes / 4);
  let currentRevision: (key: StoreKey) => number | undefined = nothingKnown;
  /** Open from `load` on. */
  let record: SegmentRecord | undefined;
  let reserving: Promise<void> = Promise.resolve();

  async function writeRecord(clean = false): Promise<void> {
    const { active } = state;
    await record?.write(recordStateOf(state, clean));
    if (active === state.active) state.isActiveRecorded = true;
  }

  const merging = createMerging({
    files,
    state,
    store: () => (record as SegmentRecord).store,
    segmentBytes,
    leastGarbage: options.garbageBytes ?? GARBAGE_BYTES,
    currentRevision: (key) => currentRevision(key),
    writeRecord: () => writeRecord(),
    notice,
  });

  async function rotate(): Promise<ActiveSegment> {
    const old = state.active;
    const { store } = record as SegmentRecord;
    const after = old?.closed() ?? state.closed.at(-1);
    const next = await createActiveSegment(files, { after, revision: state.revision, store }, await spare.take());
    spare.keep();
    state.active = next;
    state.isActiveRecorded = false;
    state.durableRevision = state.revision;
    if (old !== undefined) {
      state.closed = [...state.closed, old.closed()];
      // Everything that counts in it is synced, so a failing close loses nothing.
      await old.close().catch(() => undefined);
    }
    return next;
  }

  /** In the background, since only a full disk needs it. */
  function keepReserve(): void {
    if (state.isFull) return;
    reserving = reserving.then(() => reserve.fit(bytesOnDisk(state))).catch((cause: unknown) => foundFull(cause));
  }

  /** Gives up the reserve when this is what a full disk says. */
  async function foundFull(cause: unknown): Promise<void> {
    if (!isFullDisk(cause) || state.isFull) return;
    state.isFull = true;
    await reserve.release().catch(() => undefined);
  }

  async function write(segment: ActiveSegment, batch: readonly EngineChange[]): Promise<void> {
    let lines = '';
    let count = 0;
    for (const change of batch) {
      lines += encodeRecord(change, encode);
      count++;
      if (lines.length < FRAME_CHARACTERS) continue;
      await segment.append('B', lines, count);
      lines = '';
      count = 0;
    }
    if (count > 0) await segment.append('B', lines, count);
  }

  /**
   * What was refused must not come back after a crash: it is cut off, or a new segment says that it does not count.
   * Where neither can be made durable, it may not be refused at all.
   */
  async function takeBack(segment: ActiveSegment, cause: unknown): Promise<void> {
    try {
      await segment.undo();
    } catch {
      try {
        await rotate();
      } catch (error) {
        state.isBroken = true;
        const text = `a write failed (${textOf(cause)}) and could not be taken back (${textOf(error)})`;
        throw new StoreError('EN_STORE_UNDO', text, { cause });
      }
    }
  }

  /** The segment that the next batch goes to. */
  async function writableSegment(): Promise<ActiveSegment> {
    let segment = state.active;
    if (segment === undefined) segment = await rotate();
    else if (segment.length() >= segmentBytes || (state.closed.length === 0 && merging.isWorthIt())) {
      // A segment may grow beyond its size, until there is a descriptor for the next.
      const { active } = state;
      segment = await rotate().catch((error: unknown) => {
        if (active === undefined || !isOutOfDescriptors(error)) throw error;
        return active;
      });
    }
    if (!state.isActiveRecorded) {
      await writeRecord();
      keepReserve();
    }
    return segment;
  }

  async function attempt(batch: readonly EngineChange[]): Promise<void> {
    let segment: ActiveSegment | undefined;
    try {
      segment = await writableSegment();
      await write(segment, batch);
      segment.keep();
    } catch (error) {
      await foundFull(error);
      if (segment !== undefined) await takeBack(segment, error);
      throw error;
    }
  }

  function account(batch: readonly EngineChange[]): void {
    for (const change of batch) {
      state.records++;
      if (change.object === undefined) state.deadRecords++;
      if (change.replaces !== undefined) state.deadRecords++;
      state.revision = change.revision;
    }
    state.durableRevision = state.revision;
  }

  async function adopt(log: ReadLog): Promise<void> {
    state.revision = state.durableRevision = log.revision;
    state.records = log.segments.reduce((sum, s) => sum + s.records, 0);
    state.deadRecords = state.records - log.live.size;
    state.generation = Math.max(0, ...log.segments.map(({ generation }) => generation));
    state.closed = log.segments;
    const last = log.segments.at(-1);
    if (last !== undefined && !last.merged && last.format === FORMAT && last.length < segmentBytes) {
      state.closed = log.segments.slice(0, -1);
      state.active = await reopenSegment(files, last);
    }
    // From here on the store is not closed properly, however it ends.
    await evenIfFull(async () => {
      record ??= await openRecord(files, log.record, random.uuid, recordStateOf(state, false));
      if (log.record !== undefined) await writeRecord();
      directory.holds(record.store);
    });
  }

  /** Without this little a store on a full disk could not be opened, and nothing be deleted. */
  async function evenIfFull(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      await foundFull(cause);
      if (!state.isFull) throw cause;
      await act();
    }
  }

  return {
    get isFull() {
      return state.isFull;
    },

    async load(receive, current) {
      currentRevision = current;
      const log = await verifyLog(files);
      await evenIfFull(() => repairLog(files, log));
      for (const message of log.repairs.notices) notice(message);
      await loadLog(files, log, createSharing(), receive);
      await adopt(log);
      keepReserve();
      spare.keep();
      return state.revision;
    },

    async commit(batch) {
      const wasFull = state.isFull;
      try {
        await attempt(batch);
      } catch (error) {
        // Deletions that found the disk full are what the reserve is for.
        if (wasFull || !state.isFull || state.isBroken || !batch.every(({ object }) => belongsToDeletion(object)))
          throw error;
        await rotate();
        await attempt(batch);
      }
      account(batch);
      if (state.closed.length > 0 && merging.isWorthIt()) merging.start();
    },

    async recover(used) {
      state.revision = Math.max(state.revision, used);
      if (!state.isFull) await probe(files);
      // Never behind a failed write in the same file: the new segment's header says how much of this one counts.
      await rotate();
      await writeRecord();
      if (state.isFull) merging.startForRoom();
    },

    async regainRoom() {
      if (state.isFull && (await reserve.refill(bytesOnDisk(state)))) state.isFull = false;
      if (state.isFull) merging.startForRoom();
      return !state.isFull;
    },

    async close() {
      try {
        await merging.stop();
        await reserving;
        await spare.close();
        // Without the mark of a clean stop the next start only takes more care.
        if (!state.isBroken) await writeRecord(true).catch(() => undefined);
        await record?.close();
        await state.active?.close();
      } catch (cause) {
        throw new StoreError('EN_STORE_ENGINE', `the log could not be closed: ${textOf(cause)}`, { cause });
      } finally {
        await directory.release();
      }
    },
  };
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
