/**
 * Backup and restore of a data directory: the store and the keys beside it, in one file. A backup is taken from
 * outside, whether a server runs on the directory or not, and holds everything answered before it began, at one
 * revision. A restored directory opens as a store that was closed properly.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeDirectory } from '../../../../../machinery/make-directory.ts';
import { StoreError, textOf } from '../../../errors.ts';
import { filesOf } from '../files.ts';
import type { LogFiles } from '../files.ts';
import { RECORD, encodeRecordFile, recordedOf } from '../record.ts';
import { verifyLog } from '../read-log.ts';
import type { ReadLog } from '../read-log.ts';
import { openArchive, writeArchive } from './archive.ts';
import type { BackupFacts, OpenArchive } from './archive.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';

export interface Backup extends BackupFacts {
  /** Bytes of all files in it. */
  readonly bytes: number;
  /** SHA-256, in hex, of the backup's description of itself, which holds the hash of every file. */
  readonly hash: string;
}

const STORE = 'store';
const KEYS = 'pki';
/** Nothing that is unpacked may leave the directory. */
const MEMBER = /^(?:store|pki)\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

export interface BackupOptions {
  readonly dataDir: string;
  /** Replaced only when all of the backup is there. */
  readonly output: string;
  readonly taken: string;
  readonly product: string;
}

export async function createBackup({ dataDir, output, taken, product }: BackupOptions): Promise<Backup> {
  const directory = join(dataDir, STORE);
  if (!existsSync(directory)) throw failed(`${dataDir} holds no store: there is no ${directory}`);
  const snapshot = await takeSnapshot(filesOf(directory));
  try {
    const { log } = snapshot;
    if (log.record === undefined && log.segments.length === 0) throw failed(`${dataDir} holds no store`);
    const facts = {
      store: log.record?.store ?? '',
      revision: log.revision,
      objects: log.live.size,
      taken,
      product,
    };
    return await inPlace(output, async (file) => {
      const archive = writeArchive(file);
      let bytes = 0;
      const add = async (name: string, size: number, read: Parameters<typeof archive.add>[2]): Promise<void> => {
        bytes += size;
        await archive.add(name, size, read);
      };
      await addStore(snapshot, add);
      await addKeys(join(dataDir, KEYS), add);
      return { ...facts, bytes, hash: await archive.finish(facts) };
    });
  } finally {
    await snapshot.close();
  }
}

type Add = (name: string, size: number, read: (into: Buffer, position: number) => Promise<void>) => Promise<void>;

async function addStore({ log, read }: Snapshot, add: Add): Promise<void> {
  const record = recordOf(log);
  if (record !== undefined) await add(`${STORE}/${RECORD}`, record.length, readFrom(record));
  for (const { name, length } of log.segments) {
    await add(`${STORE}/${name}`, length, (into, position) => read(name, into, position));
  }
}

/** As after a clean stop; a store of the format before has none. */
function recordOf({ record, segments, revision }: ReadLog): Buffer | undefined {
  if (record === undefined) return undefined;
  return encodeRecordFile(record.store, { segments: segments.map(recordedOf), revision, clean: true }).bytes;
}

async function addKeys(directory: string, add: Add): Promise<void> {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).toSorted()) {
    const path = join(directory, name);
    // A key that is being written has another name until it is whole.
    if (!statSync(path).isFile() || name.endsWith('.new')) continue;
    const bytes = await readFile(path);
    await add(`${KEYS}/${name}`, bytes.length, readFrom(bytes));
  }
}

const readFrom =
  (bytes: Buffer) =>
  (into: Buffer, position: number): Promise<void> => {
    bytes.copy(into, 0, position);
    return Promise.resolve();
  };

/** A file that is there whole or not at all. */
async function inPlace<T>(output: string, fill: (file: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const unfinished = `${output}.unfinished-${process.pid}`;
  const file = await open(unfinished, 'wx', 0o600).catch((cause: unknown) => {
    throw failed(`cannot write ${output}: ${textOf(cause)}`, cause);
  });
  try {
    const result = await fill(file);
    await file.sync();
    await file.close();
    await rename(unfinished, output);
    await syncDirectory(dirname(output));
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Checks every byte, and reads the store in it as a start would. Writes nothing. */
export async function verifyBackup(path: string): Promise<Backup> {
  const archive = await openArchive(path);
  try {
    return await judge(path, archive);
  } finally {
    await archive.close();
  }
}

async function judge(path: string, archive: OpenArchive): Promise<Backup> {
  for (const { name } of archive.members) {
    if (!MEMBER.test(name)) throw failed(`${path} holds ${JSON.stringify(name)}, which is no file of a data directory`);
  }
  const log = await verifyLog(archivedFiles(archive));
  const { facts, hash, members } = archive;
  if (log.revision !== facts.revision || log.live.size !== facts.objects) {
    throw failed(
      `${path} says revision ${facts.revision} and ${facts.objects} objects, and holds revision ${log.revision} and ${log.live.size}`,
    );
  }
  return { ...facts, hash, bytes: members.reduce((sum, { size }) => sum + size, 0) };
}

/** The store in a backup, as files that can only be read. */
function archivedFiles(archive: OpenArchive): LogFiles {
  const prefix = `${STORE}/`;
  const sizes = new Map(
    archive.members
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name, size }) => [name.slice(prefix.length), size]),
  );
  const never = (): never => {
    throw new Error('a backup is only read');
  };
  return {
    list: () => Promise.resolve([...sizes.keys()]),
    open: (name) => {
      const size = sizes.get(name) ?? 0;
      return Promise.resolve({
        async read(into: Buffer, position) {
          const some = into.subarray(0, Math.max(0, Math.min(into.length, size - position)));
          await archive.read(prefix + name, some, position);
          return some.length;
        },
        size: () => Promise.resolve(size),
        write: never,
        truncate: never,
        sync: never,
        close: () => Promise.resolve(),
      });
    },
    rename: never,
    remove: never,
    syncDirectory: never,
    free: never,
  };
}

/** Restores into a directory that does not exist or is empty; the restored directory is there whole or not at all. */
export async function restoreBackup(path: string, dataDir: string): Promise<Backup> {
  const target = resolve(dataDir);
  requireEmpty(target);
  const archive = await openArchive(path);
  try {
    const backup = await judge(path, archive);
    makeDirectory(dirname(target), 0o700);
    const unfinished = join(dirname(target), `.${basename(target)}.restoring-${process.pid}`);
    try {
      await unpack(archive, unfinished);
      if (existsSync(target)) await rmdir(target);
      await rename(unfinished, target);
      await syncDirectory(dirname(target));
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      throw error instanceof StoreError ? error : failed(`cannot restore to ${target}: ${textOf(error)}`, error);
    }
    return backup;
  } finally {
    await archive.close();
  }
}

function requireEmpty(target: string): void {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && readdirSync(target).length === 0)) return;
  throw failed(`${target} is not empty. Restore to a new directory, and start from that with --data-dir`);
}

const PIECE_BYTES = 1024 * 1024;

async function unpack(archive: OpenArchive, directory: string): Promise<void> {
  const folders = new Set(archive.members.map(({ name }) => join(directory, dirname(name))));
  await mkdir(directory, { mode: 0o700 });
  for (const folder of folders) await mkdir(folder, { mode: 0o700 });
  for (const { name, size } of archive.members) {
    const file = await open(join(directory, name), 'wx', 0o600);
    try {
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at));
        await archive.read(name, piece, at);
        await file.writeFile(piece);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }
  for (const folder of [...folders, directory]) await syncDirectory(folder);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const failed = (message: string, cause?: unknown): StoreError => new StoreError('EN_STORE_BACKUP', message, { cause });
