/**
 * What a killed process leaves is in the page cache, and the next one reads it there. What that one has shown or built on
 * must survive a power cut as if it had written it itself.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFiles } from '../../../src/apiserver/store/engines/log/files.ts';
import { createLogEngine } from '../../../src/apiserver/store/engines/log/log-engine.ts';
import { openStore } from '../../../src/apiserver/store/store-over-engine.ts';
import type { Store } from '../../../src/apiserver/store/store.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import { LOSE_ALL, SimulatedDisk } from './disk.ts';
import { drive } from './drive.ts';
import { contentOf, THINGS, thing } from './ledger.ts';

let clock: VirtualClock;
let disk: SimulatedDisk;
const folders: string[] = [];
function plugIn(seed: string): void {
  clock = createVirtualClock();
  disk = new SimulatedDisk(clock, createSeededRandom(seed));
}
beforeEach(() => plugIn('restarts'));
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new process on the disk. The one before may still wait for it, so each has a lock of its own. */
async function open(change: (files: LogFiles) => LogFiles = (files) => files, segmentBytes = 100_000): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'everynode-restart-'));
  folders.push(directory);
  const files = disk.mount();
  const opening = async (): Promise<Store> => {
    const engine = await createLogEngine({ directory, segmentBytes, wrapFiles: () => change(files) });
    return openStore({ clock, engine, halt: () => disk.stop('kill') });
  };
  return drive(clock, opening());
}

const put = (store: Store, name: string): Promise<unknown> =>
  store.write({ ...THINGS, namespace: 'default', name }, () => ({ put: thing(name, name.repeat(700)) }));
const names = (store: Store): string[] =>
  Array.from(store.list(THINGS), (object) => {
    expect(contentOf(object)).toBe(object.metadata.name.repeat(700));
    return object.metadata.name;
  });

/** Lets a write run until it comes to what never ends, and kills the process there. */
async function killedWhile(store: Store, name: string): Promise<void> {
  put(store, name).catch(() => undefined);
  await clock.advance(1_000);
  disk.stop('kill');
}

/** From when it is sprung on, the operation that it stands for never ends. */
interface Trap {
  isSprung: boolean;
}
const never = (): Promise<never> => new Promise(() => undefined);
const withTrap =
  (trap: Trap, operation: 'sync' | 'truncate') =>
  (files: LogFiles): LogFiles => ({
    ...files,
    async open(name, mode) {
      const file = await files.open(name, mode);
      return { ...file, [operation]: (length: number) => (trap.isSprung ? never() : file[operation](length)) };
    },
  });

describe('a restart after a kill', () => {
  it('keeps what it has shown: a frame that was written and not synced', async () => {
    const trap: Trap = { isSprung: false };
    const first = await open(withTrap(trap, 'sync'));
    await drive(clock, put(first, 'a'));
    trap.isSprung = true;
    await killedWhile(first, 'b');

    const second = await open();
    expect(names(second)).toEqual(['a', 'b']);
    disk.stop('power', LOSE_ALL);
    const third = await open();
    expect([names(third), third.revision]).toEqual([['a', 'b'], second.revision]);
  });

  // What a failed sync has written all the same differs from disk to disk.
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'keeps what it has answered behind a frame whose sync had failed (%i)',
    async (seed) => {
      plugIn(`failed sync ${seed}`);
      const trap: Trap = { isSprung: false };
      const first = await open(withTrap(trap, 'truncate'));
      await drive(clock, put(first, 'a'));
      trap.isSprung = true;
      disk.weather.faults = (operation) => (operation === 'sync' ? 'EIO' : undefined);
      await killedWhile(first, 'b');
      disk.weather.faults = () => undefined;

      const second = await open();
      const shown = names(second);
      await drive(clock, put(second, 'c'));
      disk.stop('power', LOSE_ALL);
      expect(names(await open())).toEqual([...shown, 'c']);
    },
  );

  it('keeps what it has answered in a segment whose name was not synced', async () => {
    const trap: Trap = { isSprung: false };
    const small = 1_000;
    const first = await open(
      (files) => ({ ...files, syncDirectory: () => (trap.isSprung ? never() : files.syncDirectory()) }),
      small,
    );
    await drive(clock, put(first, 'a'));
    await drive(clock, put(first, 'b'));
    trap.isSprung = true;
    await killedWhile(first, 'c');

    const second = await open(undefined, small);
    const shown = names(second);
    expect(shown).toEqual(['a', 'b']);
    await drive(clock, put(second, 'd'));
    disk.stop('power', LOSE_ALL);
    expect(names(await open(undefined, small))).toEqual(['a', 'b', 'd']);
  });
});

describe('a sector that was written in part', () => {
  it.each([
    ['its beginning', (start: number) => [start, start + 100] as const],
    ['its end', (start: number) => [start + 412, start + 512] as const],
  ])('is an unfinished write when %s is still zero', async (_, zeros) => {
    const store = await open();
    await drive(clock, put(store, 'a'));
    await drive(clock, put(store, 'b'));
    disk.stop('kill');
    const files = disk.mount();
    const segment = (await drive(clock, files.list())).find((name) => name.endsWith('.log')) ?? '';
    const file = await drive(clock, files.open(segment, 'existing'));
    const size = await drive(clock, file.size());
    const [from, to] = zeros(Math.floor((size - 200) / 512) * 512);
    await drive(clock, file.write(Buffer.alloc(Math.min(to, size) - from), from));
    expect(names(await open())).toEqual(['a']);
  });
});
