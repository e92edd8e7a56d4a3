/** What is on disk is cut, flipped, filled and lost in every way a crash or a bad disk can do it. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../machinery/clock.ts';
import { realClock } from '../../../../machinery/real-clock.ts';
import { openStore } from '../../memory-store.ts';
import type { Store } from '../../store.ts';
import { PODS, dataOf, putTo, removeFrom } from '../../support.contract.ts';
import type { LogFile, LogFiles } from './files.ts';
import { createLogEngine } from './log-engine.ts';
import type { LogEngineOptions } from './log-engine.ts';

let directory: string;
const notices: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everynode-damage-'));
  notices.length = 0;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Waits for a disk's recovery are long for people and too long for a test. */
const impatientClock: Clock = { ...realClock, after: (delayMs, run) => realClock.after(delayMs / 50, run) };

const open = async (more: Partial<LogEngineOptions> = {}): Promise<Store> =>
  openStore({
    clock: impatientClock,
    engine: await createLogEngine({ directory, notice: (m) => void notices.push(m), ...more }),
  });
const state = (store: Store): [string, unknown][] =>
  Array.from(store.list(PODS), (o) => [o.metadata.name ?? '', dataOf(o)]);
const segments = (): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .toSorted();
const segment = (name = segments().at(-1) ?? ''): string => join(directory, name);

/** Ends without closing anything, as a killed process does: the files are copied while the store is open. */
async function crash(store: Store): Promise<void> {
  const copy = `${directory}-copy`;
  cpSync(directory, copy, { recursive: true });
  await store.close();
  rmSync(directory, { recursive: true });
  cpSync(copy, directory, { recursive: true });
  rmSync(copy, { recursive: true });
}

/** Five batches of one object each; answers where each frame ends. */
async function fiveBatches(): Promise<number[]> {
  const store = await open();
  const ends: number[] = [];
  for (let i = 1; i <= 5; i++) {
    await putTo(store, PODS, 'a', `p${i}`, i);
    ends.push(statSync(segment()).size);
  }
  await crash(store);
  return ends;
}
const firstFour = [1, 2, 3, 4].map((i) => [`p${i}`, i]);

describe('a torn tail', () => {
  it('is cut wherever the last write stopped, and nothing before it is lost', async () => {
    const ends = await fiveBatches();
    const [start = 0, end = 0] = ends.slice(3);
    const whole = readFileSync(segment());
    for (let cut = start; cut < end; cut += 7) {
      writeFileSync(segment(), whole.subarray(0, cut));
      const store = await open();
      expect(state(store)).toEqual(firstFour);
      expect(store.revision).toBe(4);
      await store.close();
      expect(notices.splice(0)).toHaveLength(cut === start ? 0 : 1);
    }
  });

  it('is cut when sectors of the last write are zero, wrong, or followed by a preallocated hole', async () => {
    const ends = await fiveBatches();
    const start = ends[3] ?? 0;
    const whole = readFileSync(segment());
    const zeroed = Buffer.from(whole).fill(0, start);
    const flipped = Buffer.from(whole);
    flipped[start + 80] = (flipped[start + 80] ?? 0) ^ 1;
    const hole = Buffer.concat([whole.subarray(0, start), Buffer.alloc(10_000)]);
    for (const damaged of [zeroed, flipped, hole]) {
      writeFileSync(segment(), damaged);
      const store = await open();
      expect(state(store)).toEqual(firstFour);
      await putTo(store, PODS, 'a', 'p5', 'again');
      await crash(store);
      const again = await open();
      expect(state(again)).toEqual([...firstFour, ['p5', 'again']]);
      await again.close();
    }
  });

  it('is only a new segment that never was, when the crash came while it was made', async () => {
    await fiveBatches();
    for (const content of ['', 'EN1 H 0000', '\0'.repeat(150)]) {
      writeFileSync(join(directory, '00000002-00000002.log'), content);
      const store = await open();
      expect(state(store)).toHaveLength(5);
      await store.close();
      expect(segments()).toEqual(['00000001-00000001.log']);
    }
  });
});

const allBytes = (): string =>
  segments()
    .map((name) => readFileSync(segment(name), 'latin1'))
    .join();

/** How opening was refused, and whether it left every file as it was. */
async function refusal(): Promise<{ code: unknown; message: string; unchanged: boolean }> {
  const before = allBytes();
  const error = await open().then(
    () => new Error('it was opened'),
    (reason: unknown) => reason as Error & { code?: unknown },
  );
  return {
    code: 'code' in error ? error.code : undefined,
    message: error.message,
    unchanged: allBytes() === before,
  };
}
const corrupt = (why: string): unknown => ({
  code: 'EN_STORE_CORRUPT',
  message: expect.stringContaining(why),
  unchanged: true,
});

describe('damage that no crash explains', () => {
  it('is refused for a flipped bit anywhere before the last write, and nothing is changed', async () => {
    const ends = await fiveBatches();
    const whole = readFileSync(segment());
    const last = ends[3] ?? 0;
    for (let at = 0; at < last; at += 31) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(segment(), damaged);
      expect(await refusal()).toEqual(corrupt('00000001-00000001.log is damaged at byte '));
    }
    writeFileSync(segment(), whole);
    const store = await open();
    expect(state(store)).toHaveLength(5);
    await store.close();
  });

  it('is refused for the last write too once the store was closed properly', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'x', 'some text');
    await store.close();
    const bytes = readFileSync(segment());
    const at = bytes.indexOf('some text');
    bytes[at] = 0x53;
    writeFileSync(segment(), bytes);
    expect(await refusal()).toEqual(corrupt('the checksum does not match'));
  });

  it('is refused when a frame was taken out, put twice or put elsewhere', async () => {
    const [a = 0, b = 0, c = 0] = await fiveBatches();
    const whole = readFileSync(segment());
    for (const spliced of [
      [whole.subarray(0, a), whole.subarray(b)],
      [whole.subarray(0, b), whole.subarray(a)],
      [whole.subarray(0, a), whole.subarray(b, c), whole.subarray(a, b), whole.subarray(c)],
    ]) {
      writeFileSync(segment(), Buffer.concat(spliced));
      expect(await refusal()).toEqual(corrupt('does not follow the one before it'));
    }
  });

  it('is refused when a closed segment is missing, cut short, or of another format', async () => {
    const store = await open({ segmentBytes: 300, garbageBytes: 1e9 });
    for (let i = 0; i < 10; i++) await putTo(store, PODS, 'a', `p${i}`, i);
    await store.close();
    const second = segment(segments()[1]);
    const bytes = readFileSync(second);
    truncateSync(second, bytes.length - 1);
    expect(await refusal()).toEqual(corrupt('the segment is cut off'));
    rmSync(second);
    expect(await refusal()).toEqual(corrupt('log segment 2 is missing'));
    writeFileSync(second, bytes);
    rmSync(segment(segments()[0]));
    expect(await refusal()).toEqual(corrupt('log segment 1 is missing'));
  });

  it('names a format it does not know', async () => {
    const { encodeFrame } = await import('./frame.ts');
    const header = encodeFrame('H', `${JSON.stringify({ format: 99, first: 1, last: 1 })}\n`, 0);
    writeFileSync(join(directory, '00000001-00000001.log'), header.bytes);
    await expect(open()).rejects.toMatchObject({ code: 'EN_STORE_SCHEMA' });
  });
});

/** A disk that takes `room` more bytes, writes part of what does not fit, and can lose its syncs. */
function faultyDisk() {
  const disk = { room: Infinity, failSync: false, failTruncate: false };
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
    sync: () => (disk.failSync ? Promise.reject(new Error('EIO: i/o error, fdatasync')) : file.sync()),
    truncate: (length) => (disk.failTruncate ? Promise.reject(new Error('EIO')) : file.truncate(length)),
  });
  const wrapFiles = (files: LogFiles): LogFiles => ({
    ...files,
    open: async (name, mode) => wrapFile(await files.open(name, mode)),
  });
  return { disk, wrapFiles };
}

const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error as { storeCode?: string }).storeCode ?? String(error),
  );

async function untilWritable(store: Store): Promise<void> {
  while ((await outcome(putTo(store, PODS, 'a', 'probe'))) !== 'answered') await realClock.sleep(5);
}

describe('a disk that fails', () => {
  it.each([0, 10, 33, 100])(
    'when %i bytes of a batch fit: refuses it, reads on, recovers, forgets it for good',
    async (room) => {
      const { disk, wrapFiles } = faultyDisk();
      const store = await open({ wrapFiles });
      await putTo(store, PODS, 'a', 'kept', 1);
      disk.room = room;
      expect(await outcome(putTo(store, PODS, 'a', 'lost'))).toBe('EN_STORE_COMMIT_FAILED');
      expect(await outcome(putTo(store, PODS, 'a', 'refused'))).toBe('EN_STORE_READ_ONLY');
      expect(state(store)).toEqual([['kept', 1]]);
      disk.room = Infinity;
      await untilWritable(store);
      const after = state(store);
      await crash(store);
      const again = await open();
      expect(state(again)).toEqual(after);
      expect(again.revision).toBe(3);
      await again.close();
    },
  );

  it('that loses a sync and cannot even take the write back: what was refused does not return', async () => {
    const { disk, wrapFiles } = faultyDisk();
    const store = await open({ wrapFiles });
    await putTo(store, PODS, 'a', 'kept', 1);
    Object.assign(disk, { failSync: true, failTruncate: true });
    expect(await outcome(putTo(store, PODS, 'a', 'lost'))).toBe('EN_STORE_COMMIT_FAILED');
    Object.assign(disk, { failSync: false });
    await untilWritable(store);
    await crash(store);
    const again = await open();
    expect(state(again).map(([name]) => name)).toEqual(['kept', 'probe']);
    await again.close();
  });

  it('while segments are merged: goes on, says so, and loses nothing', async () => {
    const { disk, wrapFiles } = faultyDisk();
    const store = await open({ wrapFiles, segmentBytes: 2_000, garbageBytes: 3_000 });
    for (let i = 0; i < 200; i++) await putTo(store, PODS, 'a', `p${i % 3}`, i);
    disk.room = 0;
    await outcome(putTo(store, PODS, 'a', 'lost'));
    disk.room = Infinity;
    await untilWritable(store);
    for (let i = 0; i < 200; i++) await putTo(store, PODS, 'a', `p${i % 3}`, i);
    const after = state(store);
    await crash(store);
    const again = await open();
    expect(state(again)).toEqual(after);
    await again.close();
  });
});

describe('merging', () => {
  it('bounds the log, drops removals without bringing anything back, and survives restarts', async () => {
    const limits = { segmentBytes: 4_000, garbageBytes: 4_000 };
    let store = await open(limits);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 150; i++) {
        await putTo(store, PODS, 'a', `p${i % 20}`, i);
        if (i % 7 === 0) await removeFrom(store, PODS, 'a', `p${i % 20}`);
      }
      const expected = state(store);
      const { revision } = store;
      if (round % 2 === 0) await crash(store);
      else await store.close();
      store = await open(limits);
      expect(state(store)).toEqual(expected);
      expect(store.revision).toBe(revision);
    }
    await store.close();
    const bytes = segments().reduce((sum, name) => sum + statSync(segment(name)).size, 0);
    expect(bytes).toBeLessThan(60_000);
    expect(notices).toEqual([]);
  });

  it('clears what a crash in its midst has left', async () => {
    const store = await open({ segmentBytes: 500, garbageBytes: 1e9 });
    for (let i = 0; i < 10; i++) await putTo(store, PODS, 'a', 'x', i);
    await store.close();
    const old = segments().map((name) => [name, readFileSync(segment(name))] as const);
    const merging = await open({ segmentBytes: 500, garbageBytes: 1 });
    while (segments().length >= old.length) {
      await putTo(merging, PODS, 'a', 'y', segments().length);
      await realClock.sleep(5);
    }
    const expected = state(merging);
    await merging.close();
    // As if the removal of merged segments, or the merge itself, had been cut short.
    for (const [name, bytes] of old.slice(0, 3)) writeFileSync(segment(name), bytes);
    writeFileSync(join(directory, '00000001-00000009.log.tmp'), 'half');
    const again = await open();
    expect(state(again)).toEqual(expected);
    expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await again.close();
  });
});
