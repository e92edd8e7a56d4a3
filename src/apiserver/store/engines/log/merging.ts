/** Decides when segments are merged, and brings the log's state up to date after every step, whether the next one fails or not. */
import { textOf } from '../../errors.ts';
import type { StoreKey } from '../../store.ts';
import { compact } from './compact.ts';
import type { ClosedSegment } from './compact.ts';
import type { LogFiles } from './files.ts';
import { garbageBytes } from './log-state.ts';
import type { LogState } from './log-state.ts';

/** Segments that were never merged; more are merged however little is dead, since each costs time at start. */
const MOST_SEGMENTS = 256;
/** On a full disk a merged segment grows no larger than this by more than one input, since the step has to fit the reserve. */
const SMALL_STEP_BYTES = 1024 * 1024;

export interface MergingParts {
  readonly files: LogFiles;
  readonly state: LogState;
  readonly store: () => string;
  readonly segmentBytes: number;
  /** Less garbage than this is not worth merging for. */
  readonly leastGarbage: number;
  readonly currentRevision: (key: StoreKey) => number | undefined;
  /** Writes the record of segments as the log stands. */
  readonly writeRecord: () => Promise<void>;
  readonly notice: (message: string) => void;
}

export interface Merging {
  isWorthIt(): boolean;
  /** Merges every closed segment in the background, unless that is under way. */
  start(): void;
  /** For a full disk: merges if anything died since the last attempt, in the smallest steps. */
  startForRoom(): void;
  /** Aborts a merge under way; resolves when it has ended. */
  stop(): Promise<void>;
}

export function createMerging(parts: MergingParts): Merging {
  const { files, state } = parts;
  const aborter = new AbortController();
  let running: Promise<void> | undefined;
  /** After an attempt that failed or gained little: not before there is this much garbage. */
  let nextAttemptAt = 0;
  /** Dead records when the last attempt ended. */
  let deadBefore = 0;
  /** Records that the attempt under way has dropped. */
  let gained = 0;

  /** A step took effect: from here on the new segment counts, whatever becomes of the files it replaced. */
  async function took(replaced: readonly ClosedSegment[], merged: ClosedSegment): Promise<void> {
    const at = state.closed.indexOf(replaced[0] as ClosedSegment);
    state.closed = [...state.closed.slice(0, at), merged, ...state.closed.slice(at + replaced.length)];
    const dropped = replaced.reduce((sum, { records }) => sum + records, 0) - merged.records;
    state.records -= dropped;
    state.deadRecords = Math.max(0, state.deadRecords - dropped);
    gained += dropped;
    for (const { name } of replaced) if (name !== merged.name) state.leftOver.add(name);
    await clearLeftOver();
  }

  /** Only when the new segment is sure to be found after a crash are the old ones removed. */
  async function clearLeftOver(): Promise<void> {
    await files.syncDirectory();
    await parts.writeRecord();
    if (state.leftOver.size === 0) return;
    for (const name of state.leftOver) {
      await files.remove(name);
      state.leftOver.delete(name);
    }
    await files.syncDirectory();
  }

  async function merge(inputs: readonly ClosedSegment[], segmentBytes: number): Promise<void> {
    gained = 0;
    const inputRecords = inputs.reduce((sum, { records }) => sum + records, 0);
    if (state.leftOver.size > 0) await clearLeftOver();
    state.generation++;
    const { generation, revision } = state;
    await compact({
      files,
      store: parts.store(),
      inputs,
      segmentBytes,
      generation,
      revision,
      durableRevision: () => state.durableRevision,
      currentRevision: parts.currentRevision,
      took,
      signal: aborter.signal,
    });
    // When most of the garbage is still in the open segment, another attempt would gain as little.
    nextAttemptAt = gained * 4 < inputRecords ? garbageBytes(state) * 2 : 0;
  }

  function run(segmentBytes: number): void {
    const inputs = state.closed;
    if (running !== undefined || inputs.length === 0) return;
    running = merge(inputs, segmentBytes)
      .catch((error: unknown) => {
        nextAttemptAt = garbageBytes(state) * 2;
        // The committer has given notice of a full disk.
        if (!aborter.signal.aborted && !state.isFull) parts.notice(`merging log segments failed: ${textOf(error)}`);
      })
      .finally(() => {
        deadBefore = state.deadRecords;
        running = undefined;
      });
  }

  return {
    isWorthIt() {
      if (running !== undefined) return false;
      if (nextAttemptAt === 0 && isScattered(state)) return true;
      if (state.deadRecords * 2 <= state.records) return false;
      return garbageBytes(state) >= Math.max(parts.leastGarbage, nextAttemptAt);
    },
    start: () => run(parts.segmentBytes),
    startForRoom() {
      if (state.deadRecords > deadBefore) run(Math.min(parts.segmentBytes, SMALL_STEP_BYTES));
    },
    async stop() {
      aborter.abort();
      await running;
    },
  };
}

const isScattered = ({ closed }: LogState): boolean =>
  closed.length > MOST_SEGMENTS && closed.filter(({ merged }) => !merged).length > MOST_SEGMENTS;
