/**
 * A view of a store's files at one moment, taken from outside while another process may write to them. Closed segments
 * never change and open files outlive their names, so all of them are opened and then judged as a start would judge
 * them; when a merge came between, that is noticed and the files are opened anew. Of the segment being written the
 * frames that are whole count; they are synced before they are trusted, as its writer does before it answers.
 */
import type { LogFile, LogFiles } from '../files.ts';
import { RECORD } from '../record.ts';
import { verifyLog } from '../read-log.ts';
import type { ReadLog } from '../read-log.ts';
import { arrangeSegments } from '../segment.ts';
import { StoreError } from '../../../errors.ts';

export interface Snapshot {
  readonly log: ReadLog;
  /** Reads from a segment of the log. */
  read(name: string, into: Buffer, position: number): Promise<void>;
  close(): Promise<void>;
}

/** A merge takes far longer than opening its files, so that it hardly ever comes between twice. */
const ATTEMPTS = 100;

export async function takeSnapshot(files: LogFiles): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    const names = await files.list();
    const pinned = await pin(files, names);
    try {
      if (pinned !== undefined) return { log: await verifyLog(pinned.files), read: pinned.read, close: pinned.close };
    } catch (error) {
      await pinned?.close();
      // Only a merge can make files that are whole look as if they were not; a merge may keep their names, but not often.
      if (attempt >= ATTEMPTS || (attempt > 2 && sameFiles(names, await files.list()))) throw error;
    }
    if (attempt >= ATTEMPTS) {
      throw new StoreError('EN_STORE_BACKUP', `the store merged ${ATTEMPTS} times while its files were opened`);
    }
  }
}

const sameFiles = (some: readonly string[], others: readonly string[]): boolean =>
  JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted());

interface Pinned {
  /** The opened files, for reading only, each up to the size it had at that moment. */
  readonly files: LogFiles;
  read(name: string, into: Buffer, position: number): Promise<void>;
  close(): Promise<void>;
}

/** All files of one moment, open; undefined when one of them is gone already. */
async function pin(files: LogFiles, names: readonly string[]): Promise<Pinned | undefined> {
  const open = new Map<string, { file: LogFile; size: number }>();
  const close = async (): Promise<void> => {
    for (const { file } of open.values()) await file.close();
  };
  const segments = arrangeSegments(names).segments.map(({ name }) => name);
  try {
    // The record first: its states then reach no further than the files behind it.
    for (const name of names.includes(RECORD) ? [RECORD, ...segments] : segments) {
      const file = await files.open(name, 'existing');
      open.set(name, { file, size: name === RECORD ? await file.size() : 0 });
    }
    // The sizes last: the last segment's frames are then as new as any merge that was opened.
    for (const name of segments) {
      const { file } = open.get(name) as { file: LogFile };
      open.set(name, { file, size: await file.size() });
      if (name === segments.at(-1)) await file.sync();
    }
  } catch (error) {
    await close();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return { files: pinnedFiles(open), read: readExactly(open), close };
}

type OpenFiles = ReadonlyMap<string, { readonly file: LogFile; readonly size: number }>;

function readExactly(open: OpenFiles): Pinned['read'] {
  return async (name, into, position) => {
    const read = await open.get(name)?.file.read(into, position);
    if (read !== into.length) throw new StoreError('EN_STORE_BACKUP', `${name} was cut off while it was read`);
  };
}

function pinnedFiles(open: OpenFiles): LogFiles {
  const never = (): never => {
    throw new Error('a snapshot is only read');
  };
  return {
    list: () => Promise.resolve([...open.keys()]),
    open: (name) => {
      const known = open.get(name);
      if (known === undefined) throw new StoreError('EN_STORE_BACKUP', `${name} is not part of the snapshot`);
      const { size } = known;
      return Promise.resolve({
        write: never,
        truncate: never,
        sync: never,
        read: (into, position) => known.file.read(into.subarray(0, Math.max(0, size - position)), position),
        size: () => Promise.resolve(size),
        close: () => Promise.resolve(),
      });
    },
    rename: never,
    remove: never,
    syncDirectory: never,
    free: never,
  };
}
