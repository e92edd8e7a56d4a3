/**
 * Gives memory back to the operating system after a load has passed. V8 keeps the pages of a heap that has shrunk, and collects
 * late while a process is quiet, so that a server once asked for much looks large for ever. A thorough collection returns the
 * pages; it stops the process for a time that grows with the live heap, so it waits for a quiet moment and is left out
 * where the heap is large.
 */
import type { Actor } from '../actor.ts';
import type { Logger } from '../logging/logger.ts';
import { wasAborted } from '../time/abort.ts';
import type { Clock } from '../time/clock.ts';

/** Memory and load of this process; see `process-memory.ts`. */
export interface ProcessMemory {
  /** Bytes in physical memory. */
  resident(): number;
  /** Bytes of the heap that are in use, garbage included. */
  heapUsed(): number;
  /** Part of the time since the last call in which the event loop was busy, 0 to 1. */
  busy(): number;
  /** Collects all garbage and returns free pages. */
  release(): Promise<void>;
}

/** Past changes that a server keeps for watches that resume. A store is one. */
interface TrimmableHistory {
  /** Grows with every change. */
  readonly revision: number;
  /** Gives up changes up to this revision while more than `keepBytes` are held; returns the bytes freed. */
  trimHistory(through: number, keepBytes: number): number;
}

export interface MemoryReliefOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly memory: ProcessMemory;
  readonly history?: TrimmableHistory;
  /** Emptied before each collection: their contents can be computed again. */
  readonly caches?: readonly { clear(): void }[];
}

const SAMPLE_MS = 5_000;
/** Samples in a row with a quiet event loop before a collection: no request should be waiting for an answer. */
const QUIET_SAMPLES = 3;
const QUIET_BUSY = 0.1;
/** Growth since the process was last known to be small that is worth a collection. */
const GROWTH_BYTES = 32 * 1024 * 1024;
/** History given up that is worth a collection: it is known to be garbage. */
const TRIMMED_BYTES = 8 * 1024 * 1024;
/** Past changes younger than this stay: a watch that was cut off resumes within seconds. */
const HISTORY_SAMPLES = 6;
/** Older changes stay up to this size, whatever the load was. */
const HISTORY_BYTES = 8 * 1024 * 1024;
/** About a quarter of a second of standstill; larger heaps keep their pages. */
const MOST_HEAP_BYTES = 384 * 1024 * 1024;

interface Relief {
  /** Resident bytes after the last release, or the smallest seen since; Infinity before the first quiet moment. */
  floor: number;
  /** Quiet samples in a row. */
  quiet: number;
  /** Revisions of the history at the last samples, oldest first; never more than `HISTORY_SAMPLES`. */
  readonly revisions: number[];
  /** Bytes of history given up since the last release. */
  trimmed: number;
}

export function createMemoryRelief({ clock, logger, memory, history, caches = [] }: MemoryReliefOptions): Actor {
  const state: Relief = { floor: Number.POSITIVE_INFINITY, quiet: 0, revisions: [], trimmed: 0 };

  function trim(): void {
    if (history === undefined) return;
    if (state.quiet >= QUIET_SAMPLES && state.revisions.length === HISTORY_SAMPLES)
      state.trimmed += history.trimHistory(state.revisions[0] ?? 0, HISTORY_BYTES);
    state.revisions.push(history.revision);
    if (state.revisions.length > HISTORY_SAMPLES) state.revisions.shift();
  }

  async function sample(): Promise<void> {
    state.quiet = memory.busy() < QUIET_BUSY ? state.quiet + 1 : 0;
    trim();
    if (state.quiet < QUIET_SAMPLES) return;
    const before = memory.resident();
    // The first quiet moment comes after the start, which leaves garbage of its own.
    const isFirst = state.floor === Number.POSITIVE_INFINITY;
    const isWorthIt = isFirst || before > state.floor + GROWTH_BYTES || state.trimmed > TRIMMED_BYTES;
    if (!isWorthIt || memory.heapUsed() > MOST_HEAP_BYTES) {
      state.floor = Math.min(state.floor, before);
      return;
    }
    const began = clock.monotonic();
    for (const cache of caches) cache.clear();
    await memory.release();
    // The rest is in use: only growth beyond it is worth another attempt.
    state.floor = memory.resident();
    state.trimmed = 0;
    state.quiet = 0;
    logger.debug('Memory was given back', { before, after: state.floor, ms: Math.round(clock.monotonic() - began) });
  }

  return {
    name: 'memory-relief',
    async start(signal) {
      try {
        for (;;) {
          await clock.sleep(SAMPLE_MS, signal);
          await sample();
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      }
    },
  };
}
