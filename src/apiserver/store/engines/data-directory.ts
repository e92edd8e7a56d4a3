/**
 * The directory a durable store lives in: made private, and held by one process at a time. The lock is the kernel's
 * (through SQLite's file locks), so it ends with its holder however that dies, and nothing stale is left to remove.
 */
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError, textOf } from '../errors.ts';
import { makeDirectory } from '../../../machinery/make-directory.ts';

export interface DataDirectory {
  readonly path: string;
  /** The identity of the store that was made in it, as far as it is known: proof that there was one. */
  readonly store: string | undefined;
  /** Remembers the identity of the store in it. */
  holds(store: string): void;
  /** Lets the next process in. Idempotent. */
  release(): void;
}

const LOCK = 'lock';
const HOLDER = 'holder';

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makePrivate(path);
  const lock = await takeLock(path);
  const store = readHolder(path).store;
  writeHolder(path, store);
  let held = true;
  return {
    path,
    store,
    holds(known) {
      if (known !== store) writeHolder(path, known);
    },
    release() {
      if (held) lock.close();
      held = false;
    },
  };
}

function makePrivate(path: string): void {
  try {
    makeDirectory(path, 0o700);
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory');
    // A directory that was prepared beforehand is closed to other users before the first secret is written to it.
    if (readdirSync(path).length === 0) chmodSync(path, 0o700);
  } catch (cause) {
    throw new StoreError('EN_STORE_DIRECTORY', `cannot use ${path} as data directory: ${textOf(cause)}`, { cause });
  }
}

async function takeLock(path: string): Promise<DatabaseSync> {
  // Loaded here, since an ephemeral store never needs it.
  const { DatabaseSync } = await import('node:sqlite');
  let lock: DatabaseSync | undefined;
  try {
    const file = join(path, LOCK);
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    lock = new DatabaseSync(file);
    // The exclusive lock is kept from the first transaction on; nothing is ever written.
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause)) {
      throw new StoreError('EN_STORE_DIRECTORY', `cannot lock ${path}: ${textOf(cause)}`, { cause });
    }
    const { pid } = readHolder(path);
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    throw new StoreError('EN_STORE_LOCKED', `${path} is in use by ${who}; stop it, or use another data directory`, {
      cause,
    });
  }
}

const SQLITE_BUSY = 5;
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY;

/** Two lines: the process that holds the directory, and the store in it. */
function writeHolder(path: string, store: string | undefined): void {
  const text = store === undefined ? `${process.pid}\n` : `${process.pid}\nstore ${store}\n`;
  try {
    writeFileSync(join(path, HOLDER), text, { mode: 0o600 });
  } catch (cause) {
    // A full disk does not keep a store from being opened: deletions make room.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
  }
}

function readHolder(path: string): { pid?: string; store?: string } {
  try {
    const text = readFileSync(join(path, HOLDER), 'utf8');
    const [pid = '', store = ''] = text.split('\n');
    return {
      ...(/^\d+$/.test(pid) ? { pid } : {}),
      ...(store.startsWith('store ') ? { store: store.slice('store '.length) } : {}),
    };
  } catch {
    return {};
  }
}
