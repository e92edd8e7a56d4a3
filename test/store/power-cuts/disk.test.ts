/** The disk itself: it keeps what was synced, whatever else happens, and may do anything with the rest. */
import { describe, expect, it } from 'vitest';
import type { LogFiles } from '../../../src/apiserver/store/engines/log/files.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import { SimulatedDisk } from './disk.ts';

const SEEDS = 300;

/** Does something on a new disk, cuts the power, and tells what is left: each outcome that many seeds gave. */
async function outcomes(act: (files: LogFiles, disk: SimulatedDisk) => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const clock = createVirtualClock();
    const disk = new SimulatedDisk(clock, createSeededRandom(seed));
    const run = async (): Promise<string> => {
      await act(disk.mount(), disk);
      disk.stop('power');
      const files = disk.mount();
      const names = (await files.list()).toSorted();
      return (await Promise.all(names.map(async (name) => `${name}=${await textIn(files, name)}`))).join(' ');
    };
    const text = run();
    await clock.runUntilIdle();
    seen.add(await text);
  }
  return seen;
}

async function textIn(files: LogFiles, name: string): Promise<string> {
  const file = await files.open(name, 'existing');
  const bytes = Buffer.alloc(await file.size());
  await file.read(bytes, 0);
  // Long runs of one letter are one letter: which sectors are there is what counts.
  return bytes
    .toString('latin1')
    .replaceAll('\0', '0')
    .replaceAll(/(.)\1+/g, '$1');
}

const put = async (files: LogFiles, name: string, text: string, position = 0) => {
  const file = await files.open(name, position === 0 ? 'create' : 'existing');
  await file.write(Buffer.from(text), position);
  return file;
};

/** A file whose bytes and name are safe. */
async function keep(files: LogFiles, name: string, text: string): Promise<void> {
  await (await put(files, name, text)).sync();
  await files.syncDirectory();
}

describe('a simulated disk after a power cut', () => {
  it('has what was synced, always', async () => {
    expect(await outcomes((files) => keep(files, 'f', 'abc'))).toEqual(new Set(['f=abc']));
  });

  it('may have lost a file whose directory was not synced, or its bytes when only the directory was', async () => {
    expect(await outcomes(async (files) => (await put(files, 'f', 'abc')).sync())).toEqual(new Set(['', 'f=abc']));
    const nameOnly = await outcomes(async (files) => {
      await put(files, 'f', 'abc');
      await files.syncDirectory();
    });
    expect([...nameOnly]).toEqual(expect.arrayContaining(['f=', 'f=0', 'f=abc']));
  });

  it('has each unsynced sector or not, in any combination, and never harms what was synced before it', async () => {
    const seen = await outcomes(async (files) => {
      await keep(files, 'f', 'k');
      await put(files, 'f', 'a'.repeat(511) + 'b'.repeat(512) + 'c'.repeat(512), 1);
    });
    expect([...seen].every((text) => text.startsWith('f=k'))).toBe(true);
    expect([...seen]).toEqual(expect.arrayContaining(['f=k', 'f=kabc', 'f=k0', 'f=ka0', 'f=k0b0', 'f=k0c', 'f=kab0']));
    // Torn: a part of a sector.
    expect([...seen].some((text) => text.includes('0a') || text.includes('a0b'))).toBe(true);
  });

  it('has the old name or the new one of a file that was renamed, never none and never both', async () => {
    const seen = await outcomes(async (files) => {
      await keep(files, 'old', 'new bytes');
      await keep(files, 'name', 'former bytes');
      await files.rename('old', 'name');
    });
    expect(seen).toEqual(new Set(['name=former bytes old=new bytes', 'name=new bytes']));
  });

  it('may still have what was removed or cut off without a sync', async () => {
    const removed = await outcomes(async (files) => {
      await keep(files, 'f', 'abc');
      await files.remove('f');
    });
    expect(removed).toEqual(new Set(['', 'f=abc']));
    const cutOff = await outcomes(async (files) => {
      await keep(files, 'f', 'a'.repeat(600));
      await (await files.open('f', 'existing')).truncate(0);
    });
    expect([...cutOff]).toEqual(expect.arrayContaining(['f=', 'f=a']));
  });

  it('has lost what a failed sync did not write, although programs could read it and a later sync succeeded', async () => {
    let wasReadable = true;
    const seen = await outcomes(async (files, disk) => {
      await files.syncDirectory();
      const file = await put(files, 'f', 'a'.repeat(512) + 'b'.repeat(512));
      await files.syncDirectory();
      disk.weather.faults = (operation) => (operation === 'sync' ? 'EIO' : undefined);
      await expect(file.sync()).rejects.toThrow('EIO');
      disk.weather.faults = () => undefined;
      await file.sync();
      wasReadable &&= (await textIn(files, 'f')) === 'ab';
    });
    expect(wasReadable).toBe(true);
    expect([...seen]).toEqual(expect.arrayContaining(['f=0', 'f=a0', 'f=0b', 'f=ab']));
  });

  it('writes what it has room for, and says that it is full', async () => {
    const seen = await outcomes(async (files, disk) => {
      disk.weather.capacity = 3;
      const file = await files.open('f', 'create');
      await expect(file.write(Buffer.from('abcdef'), 0)).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.sync();
      await files.syncDirectory();
    });
    expect(seen).toEqual(new Set(['f=abc']));
  });

  it('keeps everything when only the process was killed, and no longer listens to that process', async () => {
    const clock = createVirtualClock();
    const disk = new SimulatedDisk(clock, createSeededRandom(1));
    const run = async (): Promise<string> => {
      const before = disk.mount();
      const file = await put(before, 'f', 'abc');
      disk.stop('kill');
      await expect(file.write(Buffer.from('x'), 0)).rejects.toThrow('the power is off');
      const after = disk.mount();
      await expect(file.write(Buffer.from('x'), 0)).rejects.toThrow('the power is off');
      return textIn(after, 'f');
    };
    const text = run();
    await clock.runUntilIdle();
    expect(await text).toBe('abc');
  });
});
