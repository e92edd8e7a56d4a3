/** The few things the log asks of a file system, so that tests can fill its disk and tear its writes. */
import { open, readdir, rename, rm, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export interface LogFile {
  /** Writes all of it, or rejects. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills as much of `into` as there is; answers how much that was. */
  read(into: Uint8Array, position: number): Promise<number>;
  size(): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Bytes written so far survive a power cut once this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface LogFiles {
  list(): Promise<string[]>;
  /** `create` starts an empty file, whatever was there before. */
  open(name: string, mode: 'create' | 'existing'): Promise<LogFile>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Makes creations, renames and removals survive a power cut. */
  syncDirectory(): Promise<void>;
  /** Bytes that the disk still takes, as far as it tells. */
  free(): Promise<number>;
}

export function filesOf(directory: string): LogFiles {
  return {
    list: () => readdir(directory),
    open: async (name, mode) => logFile(await open(join(directory, name), mode === 'create' ? 'w+' : 'r+', 0o600)),
    rename: (from, to) => rename(join(directory, from), join(directory, to)),
    remove: (name) => rm(join(directory, name), { force: true }),
    async syncDirectory() {
      const handle = await open(directory, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    async free() {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },
  };
}

/** The same, with the directory kept open: `syncDirectory` must not fail because others took the last descriptor. */
export async function holdFilesOf(directory: string): Promise<{ files: LogFiles; release(): Promise<void> }> {
  const handle = await open(directory, 'r');
  return { files: { ...filesOf(directory), syncDirectory: () => handle.sync() }, release: () => handle.close() };
}

function logFile(handle: FileHandle): LogFile {
  return {
    async write(bytes, position) {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    },
    async read(into, position) {
      let done = 0;
      while (done < into.length) {
        const { bytesRead } = await handle.read(into, done, into.length - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    size: async () => (await handle.stat()).size,
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
