/**
 * The file of the next segment, opened ahead of need: a process that has no descriptor left can still begin a segment, which
 * a failed write may ask for at any time.
 */
import type { LogFile, LogFiles } from './files.ts';
import { TEMPORARY } from './segment.ts';

export const SPARE = `next${TEMPORARY}`;

export interface SpareFile {
  /** Opens the file in the background, where there is none. A failed attempt is repeated with the next call. */
  keep(): void;
  /** The empty file, now the caller's to rename; undefined where none could be opened. */
  take(): Promise<LogFile | undefined>;
  close(): Promise<void>;
}

export function createSpareFile(files: LogFiles): SpareFile {
  let opening: Promise<LogFile | undefined> | undefined;
  const take = async (): Promise<LogFile | undefined> => {
    const file = await opening;
    opening = undefined;
    return file;
  };
  return {
    keep() {
      opening ??= files.open(SPARE, 'create').catch(() => {
        opening = undefined;
        return undefined;
      });
    },
    take,
    async close() {
      const file = await take();
      if (file === undefined) return;
      await file.close();
      await files.remove(SPARE);
    },
  };
}

const NO_DESCRIPTORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** The process, or the whole system, has no descriptor left. */
export const isOutOfDescriptors = (error: unknown): boolean =>
  NO_DESCRIPTORS.has((error as { readonly code?: unknown } | undefined)?.code);
