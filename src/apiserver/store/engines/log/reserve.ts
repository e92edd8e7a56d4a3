/**
 * Room kept back for the day the disk is full: a file of zeros beside the log. When a write finds no room, the file is
 * given up, and its room pays for the records of deletions and for merging, which gives room back. Large enough for
 * one step of a merge, and never larger than the log itself needs.
 */
import type { LogFiles } from './files.ts';

const RESERVE = 'reserve';
const LEAST_BYTES = 1024 * 1024;
const SYNC_BYTES = 4 * 1024 * 1024;
const PIECE = Buffer.alloc(256 * 1024);

export interface Reserve {
  /** Makes the reserve as large as a log of this size needs; settles for less when the disk has less, and rejects with none. */
  fit(logBytes: number): Promise<void>;
  /** The same once there is room for all of it and some more; answers whether there was. */
  refill(logBytes: number): Promise<boolean>;
  /** Gives the room back to the disk. */
  release(): Promise<void>;
}

/** `mostBytes` is the most that one step of a merge can need. */
export function createReserve(files: LogFiles, mostBytes: number): Reserve {
  let held = 0;
  let isKnown = false;
  const wanted = (logBytes: number): number => Math.max(LEAST_BYTES, Math.min(mostBytes, logBytes));

  /** The reserve of an earlier process is used on. */
  async function find(): Promise<void> {
    if (isKnown) return;
    isKnown = true;
    if (!(await files.list()).includes(RESERVE)) return;
    const file = await files.open(RESERVE, 'existing');
    try {
      held = await file.size();
    } finally {
      await file.close();
    }
  }

  /** Real bytes, not a hole: a hole keeps nothing back. */
  async function grow(target: number): Promise<void> {
    await find();
    if (held >= target) return;
    const file = await files.open(RESERVE, held === 0 ? 'create' : 'existing');
    try {
      while (held < target) {
        await file.write(PIECE, held);
        held += PIECE.length;
        // Not all at the end: one large sync would stall the commits beside it.
        if (held % SYNC_BYTES === 0) await file.sync();
      }
      await file.sync();
    } catch (error) {
      await file.truncate(held).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  async function release(): Promise<void> {
    held = 0;
    isKnown = true;
    await files.remove(RESERVE);
  }

  return {
    async fit(logBytes) {
      try {
        await grow(wanted(logBytes));
      } catch (error) {
        if (held < PIECE.length) throw error;
      }
    },
    async refill(logBytes) {
      const target = wanted(logBytes);
      // More than the target, so that the next write does not find the disk full again.
      if ((await files.free()) < target + Math.max(LEAST_BYTES, target / 4)) return false;
      try {
        await grow(target);
        return true;
      } catch {
        // A quota, of which the disk knows nothing.
        await release();
        return false;
      }
    },
    release,
  };
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
export const isFullDisk = (cause: unknown): boolean => FULL.has((cause as { code?: unknown } | null)?.code);
