/** A disk that is full: deletions go on and make room; and a write that cannot be taken back stops everything. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../../core/kube/objects.ts';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import type { Store } from '../../store.ts';
import { PODS, keyIn, objectOf, putTo, removeFrom } from '../../support.contract.ts';
import type { LogFile, LogFiles } from './files.ts';
import { faultyDisk, logHarness, outcome, quickDisk, state } from './log-support.contract.ts';

const log = logHarness();
const MIB = 1024 * 1024;

/** A disk of limited size: bytes that files hold are counted, bytes that are removed or cut off are given back. */
function smallDisk(capacity: number) {
  const disk = { capacity, others: 0 };
  const sizes = new Map<string, number>();
  const used = (): number => [...sizes.values()].reduce((sum, size) => sum + size, disk.others);
  const wrapFile = (file: LogFile, known: { name: string }): LogFile => ({
    ...file,
    async write(bytes, position) {
      const before = sizes.get(known.name) ?? 0;
      const after = Math.max(before, position + bytes.length);
      if (after - before > disk.capacity - used()) {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      }
      sizes.set(known.name, after);
      await file.write(bytes, position);
    },
    async truncate(length) {
      sizes.set(known.name, Math.min(length, sizes.get(known.name) ?? 0));
      await file.truncate(length);
    },
  });
  const wrapFiles = (real: LogFiles): LogFiles => {
    const files = quickDisk(real);
    const handles = new Map<string, { name: string }>();
    return {
      ...files,
      async open(name, mode) {
        const known = { name };
        handles.set(name, known);
        const file = await files.open(name, mode);
        sizes.set(name, mode === 'create' ? 0 : await file.size());
        return wrapFile(file, known);
      },
      async rename(from, to) {
        await files.rename(from, to);
        sizes.set(to, sizes.get(from) ?? 0);
        sizes.delete(from);
        const known = handles.get(from);
        if (known !== undefined) known.name = to;
      },
      async remove(name) {
        await files.remove(name);
        sizes.delete(name);
      },
      free: () => Promise.resolve(Math.max(0, disk.capacity - used())),
    };
  };
  return { disk, wrapFiles, used };
}

/** Writes objects of 10 KB until one is refused; answers with the names of those that were taken. */
async function fill(store: Store): Promise<string[]> {
  const taken: string[] = [];
  for (let i = 0; i < 5_000; i++) {
    const name = `f${i}`;
    const result = await outcome(putTo(store, PODS, 'a', name, 'x'.repeat(10_000)));
    if (result !== 'answered') {
      expect(result).toBe('EN_STORE_FULL');
      return taken;
    }
    taken.push(name);
  }
  throw new Error('the disk has no end');
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !isSo(); i++) await realClock.sleep(5);
  expect(isSo()).toBe(true);
}

const LIMITS = { segmentBytes: MIB, garbageBytes: MIB };

describe('a full disk', () => {
  it('takes deletions, merges within its reserve, and takes everything again once there is room', async () => {
    const { wrapFiles } = smallDisk(6 * MIB);
    const store = await log.open({ ...LIMITS, wrapFiles });
    const taken = await fill(store);
    expect(taken.length).toBeGreaterThan(200);
    expect(store.trouble).toMatchObject({ kind: 'full' });
    expect(await outcome(putTo(store, PODS, 'a', taken[0] ?? '', 'small'))).toBe('EN_STORE_FULL');
    for (const name of taken.slice(0, -20)) {
      expect(await outcome(removeFrom(store, PODS, 'a', name))).toBe('answered');
    }
    await until(() => store.trouble === undefined);
    expect(await outcome(putTo(store, PODS, 'a', 'after', 'y'.repeat(10_000)))).toBe('answered');
    // One notice when it began and one when it was over, whatever number of writes was refused.
    expect(log.notices.map((message) => message.slice(0, 23))).toEqual([
      'Only deletions are take',
      'There is room on the di',
    ]);
    const after = state(store);
    await log.crash(store);
    const again = await log.open(LIMITS);
    expect(state(again)).toEqual(after);
    await again.close();
  });

  it('takes what belongs to a deletion: its timestamp, its finalizers, its status', async () => {
    const { wrapFiles } = smallDisk(4 * MIB);
    const store = await log.open({ ...LIMITS, wrapFiles });
    const [name = ''] = await fill(store);
    const leaving = {
      ...objectOf('a', name, 'z'.repeat(10_000)),
      metadata: { ...objectOf('a', name).metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['f'] },
    } as unknown as Stored;
    expect(await outcome(store.write(keyIn(PODS, 'a', name), () => ({ put: leaving })))).toBe('answered');
    expect(await outcome(removeFrom(store, PODS, 'a', name))).toBe('answered');
    await store.close();
  });

  it('takes the very deletion that found it full', async () => {
    const { disk, wrapFiles, used } = smallDisk(20 * MIB);
    const store = await log.open({ ...LIMITS, wrapFiles });
    for (let i = 0; i < 20; i++) await putTo(store, PODS, 'a', `p${i}`, i);
    await realClock.sleep(30);
    disk.capacity = used();
    expect(await outcome(removeFrom(store, PODS, 'a', 'p1'))).toBe('answered');
    expect(store.trouble).toMatchObject({ kind: 'full' });
    expect(await outcome(putTo(store, PODS, 'a', 'p2', 'new'))).toBe('EN_STORE_FULL');
    disk.capacity = 40 * MIB;
    await until(() => store.trouble === undefined);
    await store.close();
  });

  it('that others filled is opened, by giving up the reserve', async () => {
    const { disk, wrapFiles, used } = smallDisk(6 * MIB);
    const store = await log.open({ ...LIMITS, wrapFiles });
    for (let i = 0; i < 150; i++) await putTo(store, PODS, 'a', `p${i}`, 'x'.repeat(10_000));
    await store.close();
    expect(statSync(join(log.directory, 'reserve')).size).toBeGreaterThanOrEqual(MIB);
    // Another process has taken all the room.
    disk.others = disk.capacity - used();
    const again = await log.open({ ...LIMITS, wrapFiles });
    expect(await outcome(removeFrom(again, PODS, 'a', 'p1'))).toBe('answered');
    expect(again.trouble).toMatchObject({ kind: 'full' });
    expect(readdirSync(log.directory)).not.toContain('reserve');
    await again.close();
  });
});

describe('a write that cannot be taken back', () => {
  it('stops the store unanswered when the disk lets neither cut it off nor begin a new segment', async () => {
    const { disk, wrapFiles } = faultyDisk();
    const store = await log.open({ wrapFiles });
    await putTo(store, PODS, 'a', 'kept', 1);
    Object.assign(disk, { failSyncs: 9, failTruncate: true, failOpen: true });
    let settled = false;
    const settle = (): boolean => (settled = true);
    void putTo(store, PODS, 'a', 'lost').then(settle, settle);
    await until(() => log.halts.length > 0);
    expect(log.halts).toMatchObject([{ code: 'EN_STORE_UNDO' }]);
    expect(await outcome(putTo(store, PODS, 'a', 'later'))).toBe('EN_STORE_HALTED');
    expect(store.trouble).toMatchObject({ kind: 'halted' });
    Object.assign(disk, { failSyncs: 0, failTruncate: false, failOpen: false });
    await realClock.sleep(20);
    // No writer was told "refused": after a restart the write may be there, and here it is.
    expect(settled).toBe(false);
    await store.close();
    const again = await log.open();
    expect(state(again).map(([name]) => name)).toEqual(['kept', 'lost']);
    await again.close();
  });
});
