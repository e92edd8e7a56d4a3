/**
 * The default engine: an append-only log of checksummed frames, one frame and one sync a batch, merged in the
 * background when more of it is dead than alive. It needs no thread of its own: writing and syncing happen in the
 * platform's pool while the next batch gathers. Why a log and not a database: docs/decisions/0002-store-engine.md.
 */
import type { EngineChange, StoreEngine } from '../../engine.ts';
import { StoreError, textOf } from '../../errors.ts';
import { createSharing } from '../../sharing.ts';
import type { StoreKey } from '../../store.ts';
import { openDataDirectory } from '../data-directory.ts';
import type { DataDirectory } from '../data-directory.ts';
import { createObjectEncoder } from '../object-text.ts';
import { createActiveSegment } from './active-segment.ts';
import type { ActiveSegment } from './active-segment.ts';
import { compact } from './compact.ts';
import type { ClosedSegment } from './compact.ts';
import { filesOf } from './files.ts';
import type { LogFiles } from './files.ts';
import { loadLog, verifyLog } from './read-log.ts';
import { encodeRecord } from './records.ts';
import { encodeMark } from './segment.ts';

export interface LogEngineOptions {
  readonly directory: string;
  /** A segment is closed when it has grown to this. */
  readonly segmentBytes?: number;
  /** Less garbage than this is not worth merging for. */
  readonly garbageBytes?: number;
  /** Told what was repaired at start and what went wrong in the background; for a log. */
  readonly notice?: (message: string) => void;
  /** For tests: stands between the log and the disk. */
  readonly wrapFiles?: (files: LogFiles) => LogFiles;
}

const SEGMENT_BYTES = 32 * 1024 * 1024;
const MOST_SEGMENTS = 256;
const GARBAGE_BYTES = 32 * 1024 * 1024;
/** A frame is written and checked as one piece; a batch of huge objects is split so that none gets out of hand. */
const FRAME_CHARACTERS = 8 * 1024 * 1024;

/** Locks the directory; the log itself is read by `load`. */
export async function createLogEngine(options: LogEngineOptions): Promise<StoreEngine> {
  const directory = await openDataDirectory(options.directory);
  const files = (options.wrapFiles ?? ((f) => f))(filesOf(directory.path));
  return logEngine(options, directory, files);
}

function logEngine(options: LogEngineOptions, directory: DataDirectory, files: LogFiles): StoreEngine {
  const { segmentBytes = SEGMENT_BYTES, garbageBytes = GARBAGE_BYTES, notice = () => undefined } = options;
  const encode = createObjectEncoder();
  const aborter = new AbortController();
  let currentRevision: (key: StoreKey) => number | undefined = nothingKnown;
  let closed: ClosedSegment[] = [];
  let active: ActiveSegment | undefined;
  let revision = 0;
  /** Records on disk, and how many of them are superseded (or tell of a removal). */
  let records = 0;
  let deadRecords = 0;
  let compacting: Promise<void> | undefined;
  /** After a failed compaction: not before there is this much garbage. */
  let nextAttemptAt = 0;

  async function rotate(): Promise<ActiveSegment> {
    const old = active;
    const next = await createActiveSegment(files, { after: old?.closed() ?? closed.at(-1), revision });
    active = next;
    if (old !== undefined) {
      closed.push(old.closed());
      // Everything that counts in it is synced, so a failing close loses nothing.
      await old.close().catch(() => undefined);
    }
    return next;
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

  function account(batch: readonly EngineChange[]): void {
    for (const change of batch) {
      records++;
      if (change.object === undefined) deadRecords++;
      if (change.replaces !== undefined) deadRecords++;
      revision = change.revision;
    }
  }

  const bytesOnDisk = (): number => closed.reduce((sum, s) => sum + s.length, active?.length() ?? 0);
  const garbage = (): number => (records === 0 ? 0 : bytesOnDisk() * (deadRecords / records));
  const isWorthMerging = (): boolean => {
    if (compacting !== undefined) return false;
    if (closed.length > MOST_SEGMENTS && nextAttemptAt === 0) return true;
    return deadRecords * 2 > records && garbage() >= Math.max(garbageBytes, nextAttemptAt);
  };

  function compactInBackground(): void {
    const inputs = closed.slice();
    if (inputs.length === 0) return;
    const inputRecords = inputs.reduce((sum, s) => sum + s.records, 0);
    compacting = compact({ files, inputs, revision, currentRevision, signal: aborter.signal })
      .then((merged) => {
        closed = [merged, ...closed.slice(inputs.length)];
        const dropped = inputRecords - merged.records;
        records -= dropped;
        deadRecords = Math.max(0, deadRecords - dropped);
        // When most of the garbage is still in the open segment, another attempt would gain as little.
        nextAttemptAt = dropped * 4 < inputRecords ? garbage() * 2 : 0;
        return undefined;
      })
      .catch((error: unknown) => {
        nextAttemptAt = garbage() * 2;
        if (!aborter.signal.aborted) notice(`merging log segments failed: ${textOf(error)}`);
      })
      .finally(() => {
        compacting = undefined;
      });
  }

  /** A last mark, so that damage to the batch before it is told from a write that was not finished. */
  async function sealActive(): Promise<void> {
    if (active === undefined) return;
    await active.append('M', encodeMark(revision), 0).catch(() => undefined);
    await active.close();
  }

  return {
    async load(receive, current) {
      currentRevision = current;
      const log = await verifyLog(files);
      for (const message of log.notices) notice(message);
      await loadLog(files, log, createSharing(), receive);
      revision = log.revision;
      records = log.segments.reduce((sum, s) => sum + s.records, 0);
      deadRecords = records - log.live.size;
      closed = log.segments.slice();
      const last = closed.at(-1);
      if (last !== undefined && !last.merged && last.length < segmentBytes) {
        closed.pop();
        active = await createActiveSegment(files, { reopen: log.segments.at(-1) as (typeof log.segments)[number] });
      }
      return revision;
    },

    async commit(batch) {
      let segment = active;
      if (segment === undefined || segment.length() >= segmentBytes) segment = await rotate();
      else if (isWorthMerging() && closed.length === 0) segment = await rotate();
      try {
        await write(segment, batch);
      } catch (error) {
        // So that a crash before `recover` does not bring back what was refused. It may fail on a broken disk.
        await segment.undo().catch(() => undefined);
        throw error;
      }
      segment.keep();
      account(batch);
      if (closed.length > 0 && isWorthMerging()) compactInBackground();
    },

    async recover(used) {
      revision = Math.max(revision, used);
      await probe(files);
      // Never behind a failed write in the same file: the new segment's header says how much of this one counts.
      await rotate();
    },

    async close() {
      aborter.abort();
      try {
        await compacting;
        await sealActive();
      } catch (cause) {
        throw new StoreError('EN_STORE_ENGINE', `the log could not be closed: ${textOf(cause)}`, { cause });
      } finally {
        directory.release();
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
