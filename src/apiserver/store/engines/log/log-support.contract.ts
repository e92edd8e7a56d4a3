/** Shared by the suites of the log: a directory a test, stores in it, ways to end without closing, and bad disks. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Clock } from '../../../../machinery/time/clock.ts';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import { openStore } from '../../store-over-engine.ts';
import type { Store } from '../../store.ts';
import { PODS, dataOf } from '../../support.contract.ts';
import { filesOf } from './files.ts';
import type { LogFile, LogFiles } from './files.ts';
import { createLogEngine } from './log-engine.ts';
import type { LogEngineOptions } from './log-engine.ts';
import { verifyLog } from './read-log.ts';

/** Waits for a disk's recovery are long for people and too long for a test. */
const impatientClock: Clock = { ...realClock, after: (delayMs, run) => realClock.after(delayMs / 50, run) };

/** Every file of a directory by its name. */
type Snapshot = ReadonlyMap<string, Buffer>;

export interface LogHarness {
  /** Of this test; empty at its beginning. */
  readonly directory: string;
  /** Notices of this test's stores. */
  readonly notices: string[];
  /** Set when a store asked for the process to end. */
  readonly halts: Error[];
  open(more?: Partial<LogEngineOptions>): Promise<Store>;
  /** Ends without closing anything, as a killed process does: the files are copied while the store is open. */
  crash(store: Store): Promise<void>;
  segments(): string[];
  /** The path of a segment, the newest unless one is named. */
  segment(name?: string): string;
  /** How opening was refused, and whether it left every file as it was. */
  refusal(more?: Partial<LogEngineOptions>): Promise<{ code: unknown; message: string; unchanged: boolean }>;
}

export function logHarness(): LogHarness {
  const notices: string[] = [];
  const halts: Error[] = [];
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'everynode-log-'));
    notices.length = 0;
    halts.length = 0;
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const open: LogHarness['open'] = async (more = {}) =>
    openStore({
      clock: impatientClock,
      notice: (message) => void notices.push(message),
      halt: (error) => void halts.push(error),
      engine: await createLogEngine({ directory, notice: (message) => void notices.push(message), ...more }),
    });
  const segments = (): string[] =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .toSorted();

  return {
    get directory() {
      return directory;
    },
    notices,
    halts,
    open,
    async crash(store) {
      const copy = `${directory}-copy`;
      cpSync(directory, copy, { recursive: true });
      await store.close();
      rmSync(directory, { recursive: true });
      cpSync(copy, directory, { recursive: true });
      rmSync(copy, { recursive: true });
    },
    segments,
    segment: (name = segments().at(-1) ?? '') => join(directory, name),
    async refusal(more) {
      const before = contentsOf(directory);
      const error = await open(more).then(
        () => new Error('it was opened'),
        (reason: unknown) => reason as Error & { code?: unknown },
      );
      return {
        code: 'code' in error ? error.code : undefined,
        message: error.message,
        unchanged: sameContents(before, contentsOf(directory)),
      };
    },
  };
}

/** Everything but the note of who holds the directory. */
function contentsOf(directory: string): Snapshot {
  const names = readdirSync(directory).filter((name) => name !== 'holder' && name !== 'lock');
  return new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
}

const sameContents = (one: Snapshot, other: Snapshot): boolean =>
  one.size === other.size && [...one].every(([name, bytes]) => other.get(name)?.equals(bytes) === true);

export const corrupt = (why: string): unknown => ({
  code: 'EN_STORE_CORRUPT',
  message: expect.stringContaining(why),
  unchanged: true,
});
/** A file is missing or short: the message names the file, and the command that makes a whole copy. */
export const incomplete = (why: string): unknown => ({
  code: 'EN_STORE_INCOMPLETE',
  message: expect.stringMatching(new RegExp(`${why}.*everynode backup`, 's')),
  unchanged: true,
});

export const state = (store: Store): [string, unknown][] =>
  Array.from(store.list(PODS), (o) => [o.metadata.name ?? '', dataOf(o)]);

export const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error as { storeCode?: string }).storeCode ?? String(error),
  );

/** A disk that never syncs: no process of these suites dies, so written bytes are there, and far sooner. */
export const quickDisk = (files: LogFiles): LogFiles => ({
  ...files,
  open: async (name, mode) => ({ ...(await files.open(name, mode)), sync: () => Promise.resolve() }),
  syncDirectory: () => Promise.resolve(),
});

/** Why the files in a directory would be refused, without opening a store; undefined when they would not be. */
export const verdict = (directory: string): Promise<string | undefined> =>
  verifyLog(filesOf(directory)).then(
    () => undefined,
    (error: unknown) => `${(error as { code?: string }).code}: ${(error as Error).message}`,
  );

/** A disk that takes `room` more bytes, writes a part of a write that does not fit, and can fail in other ways. */
export function faultyDisk() {
  const disk = { room: Infinity, failSyncs: 0, failTruncate: false, failOpen: false };
  const failed = (what: string): Error => Object.assign(new Error(`EIO: i/o error, ${what}`), { code: 'EIO' });
  const wrapFile = (file: LogFile): LogFile => ({
    ...file,
    async write(bytes, position) {
      if (bytes.length <= disk.room) {
        disk.room -= bytes.length;
        return file.write(bytes, position);
      }
      await file.write(bytes.subarray(0, disk.room), position);
      disk.room = 0;
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    sync: () => (disk.failSyncs-- > 0 ? Promise.reject(failed('fdatasync')) : file.sync()),
    truncate: (length) => (disk.failTruncate ? Promise.reject(failed('ftruncate')) : file.truncate(length)),
  });
  const wrapFiles = (files: LogFiles): LogFiles => ({
    ...files,
    open: async (name, mode) => {
      if (disk.failOpen) throw failed('open');
      return wrapFile(await files.open(name, mode));
    },
  });
  return { disk, wrapFiles };
}
