/** Files of the log are cut, flipped, filled and lost in every way a crash or a bad disk can do it. */
import { readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import type { Store } from '../../store.ts';
import { PODS, putTo, removeFrom } from '../../support.contract.ts';
import { corrupt, faultyDisk, incomplete, logHarness, outcome, state } from './log-support.contract.ts';

const log = logHarness();
const { crash, notices, open, refusal, segment, segments } = log;

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
    const record = readFileSync(log.segment('record'));
    for (let cut = start; cut < end; cut += 7) {
      writeFileSync(segment(), whole.subarray(0, cut));
      writeFileSync(log.segment('record'), record);
      const store = await open();
      expect(state(store)).toEqual(firstFour);
      expect(store.revision).toBe(4);
      await store.close();
      expect(notices.splice(0)).toHaveLength(cut === start ? 0 : 1);
    }
  });

  it('is cut when sectors of the last write are zero or followed by a preallocated hole', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    const start = statSync(segment()).size;
    await putTo(store, PODS, 'a', 'p2', 'x'.repeat(2_000));
    await crash(store);
    const whole = readFileSync(segment());
    const record = readFileSync(log.segment('record'));
    const zeroed = (from: number, to: number): Buffer => Buffer.from(whole).fill(0, from, to);
    const torn = {
      all: zeroed(start, whole.length),
      header: zeroed(start, 512),
      middle: zeroed(1024, 1536),
      end: zeroed(2048, whole.length),
      'half of the header': Buffer.concat([whole.subarray(0, start + 20), Buffer.alloc(1_000)]),
      'a hole': Buffer.concat([whole.subarray(0, start), Buffer.alloc(10_000)]),
    };
    for (const [name, damaged] of Object.entries(torn)) {
      writeFileSync(segment(), damaged);
      writeFileSync(log.segment('record'), record);
      const again = await open();
      expect([name, state(again)]).toEqual([name, [['p1', 1]]]);
      await putTo(again, PODS, 'a', 'p2', 'again');
      await crash(again);
      const third = await open();
      expect([name, state(third)]).toEqual([
        name,
        [
          ['p1', 1],
          ['p2', 'again'],
        ],
      ]);
      await third.close();
    }
  });

  it('is only a new segment that never was, when the crash came while it was made', async () => {
    await fiveBatches();
    for (const content of ['', 'EN1 H 0000', '\0'.repeat(150)]) {
      writeFileSync(join(log.directory, '00000002-00000002.log'), content);
      const store = await open();
      expect(state(store)).toHaveLength(5);
      await store.close();
      expect(segments()).toEqual(['00000001-00000001.log']);
    }
  });
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
    expect(await refusal()).toEqual(incomplete('00000002-00000002.log is not whole'));
    rmSync(second);
    expect(await refusal()).toEqual(incomplete('00000002-00000002.log is missing'));
    writeFileSync(second, bytes);
    rmSync(segment(segments()[0]));
    expect(await refusal()).toEqual(incomplete('00000001-00000001.log is missing'));
  });

  it('names a format it does not know', async () => {
    const { encodeFrame } = await import('./frame.ts');
    const header = encodeFrame('H', `${JSON.stringify({ format: 99, first: 1, last: 1 })}\n`, 0);
    writeFileSync(join(log.directory, '00000001-00000001.log'), header.bytes);
    await expect(open()).rejects.toMatchObject({ code: 'EN_STORE_SCHEMA' });
  });
});

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
      expect(await outcome(putTo(store, PODS, 'a', 'lost'))).toBe('EN_STORE_FULL');
      expect(await outcome(putTo(store, PODS, 'a', 'refused'))).toBe('EN_STORE_FULL');
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

  it('that loses a sync and cannot cut the write off: a new segment says that it does not count', async () => {
    const { disk, wrapFiles } = faultyDisk();
    const store = await open({ wrapFiles });
    await putTo(store, PODS, 'a', 'kept', 1);
    Object.assign(disk, { failSyncs: 1, failTruncate: true });
    expect(await outcome(putTo(store, PODS, 'a', 'lost'))).toBe('EN_STORE_COMMIT_FAILED');
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
    writeFileSync(join(log.directory, '00000001-00000009.log.tmp'), 'half');
    const again = await open();
    expect(state(again)).toEqual(expected);
    await again.close();
    expect(readdirSync(log.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
