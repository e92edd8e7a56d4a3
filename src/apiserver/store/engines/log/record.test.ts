/** The record of segments: a log that lacks any of its entries is not opened, and a clean stop is known without the log. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../../../machinery/time/real-clock.ts';
import { openStore } from '../../store-over-engine.ts';
import { PODS, putTo, removeFrom } from '../../support.contract.ts';
import { encodeFrame } from './frame.ts';
import { createLogEngine } from './log-engine.ts';
import { corrupt, incomplete, logHarness, quickDisk, state, verdict } from './log-support.contract.ts';

const log = logHarness();
const { crash, open, refusal, segment, segments } = log;
const record = (): string => join(log.directory, 'record');

/** A store of several segments, closed. */
async function manySegments(): Promise<void> {
  const store = await open({ segmentBytes: 400, garbageBytes: 1e9 });
  for (let i = 0; i < 10; i++) await putTo(store, PODS, 'a', `p${i}`, i);
  await store.close();
  expect(segments()).toHaveLength(10);
}

describe('a store that lacks something', () => {
  it('is refused without its newest segments, so no revision is given out twice', async () => {
    await manySegments();
    for (const name of segments().toReversed()) {
      rmSync(segment(name));
      expect(await refusal()).toEqual(incomplete('.log is missing: record says that it must be there'));
    }
  });

  it('is refused without its record, and with nothing but the note of who held it', async () => {
    await manySegments();
    rmSync(record());
    expect(await refusal()).toEqual(incomplete('record is missing'));
    for (const name of segments()) rmSync(segment(name));
    expect(await refusal()).toEqual(incomplete('record is missing'));
    rmSync(join(log.directory, 'holder'));
    expect(await refusal({ isExpected: true })).toEqual(incomplete('the keys beside .* belong to a cluster'));
  });

  it('is refused with an empty newest segment after a crash', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    await crash(store);
    writeFileSync(segment(), '');
    expect(await refusal()).toEqual(incomplete('00000001-00000001.log is not whole: it is empty'));
  });

  it('is refused with a segment of another store, or with one under the name of another', async () => {
    await manySegments();
    const other = mkdtempSync(join(tmpdir(), 'everynode-other-'));
    const second = segments()[1] ?? '';
    const own = readFileSync(segment(second));
    const foreign = await openStore({
      clock: realClock,
      engine: await createLogEngine({ directory: other, segmentBytes: 400, garbageBytes: 1e9 }),
    });
    for (let i = 0; i < 10; i++) await putTo(foreign, PODS, 'a', `p${i}`, i);
    await foreign.close();
    writeFileSync(segment(second), readFileSync(join(other, second)));
    rmSync(other, { recursive: true });
    expect(await refusal()).toEqual(corrupt('it belongs to store'));
    writeFileSync(segment(second), readFileSync(segment(segments()[2])));
    expect(await refusal()).toEqual(corrupt('it was written as 00000003-00000003.log'));
    writeFileSync(segment(second), own);
    await (await open()).close();
  });

  it('is refused for a flipped bit anywhere in the record', async () => {
    await manySegments();
    const whole = readFileSync(record());
    for (let at = 0; at < whole.length; at += 17) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 7));
      writeFileSync(record(), damaged);
      expect([at, await verdict(log.directory)]).toEqual([
        at,
        expect.stringContaining('EN_STORE_CORRUPT: record is damaged at byte '),
      ]);
    }
  });

  it('is opened with a record whose last state was not finished', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    await crash(store);
    const whole = readFileSync(record());
    for (const torn of ['EN1 R 000', '\0'.repeat(300)]) {
      writeFileSync(record(), Buffer.concat([whole, Buffer.from(torn)]));
      const again = await open();
      expect(state(again)).toEqual([['p1', 1]]);
      await crash(again);
      await (await open()).close();
    }
  });
});

describe('the last frame', () => {
  it('is damage when a bit of it flipped after a kill: all of it was there once', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    const start = statSync(segment()).size;
    await putTo(store, PODS, 'a', 'p2', 'some text');
    await crash(store);
    const whole = readFileSync(segment());
    let tried = 0;
    for (let at = start; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(segment(), damaged);
      const why = expect.stringContaining(`is damaged at byte ${start}`) as unknown;
      expect([at - start, await verdict(log.directory)]).toEqual([at - start, why]);
      tried++;
    }
    expect(tried).toBeGreaterThan(100);
  });

  it('is missed when it was cut off after a clean stop, in its midst, at its beginning or to the last byte', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    const start = statSync(segment()).size;
    await putTo(store, PODS, 'a', 'p2', 2);
    const end = statSync(segment()).size;
    await store.close();
    const whole = readFileSync(segment());
    for (const length of [end - 1, start + 40, start, 0]) {
      writeFileSync(segment(), whole);
      truncateSync(segment(), length);
      expect(await refusal()).toEqual(incomplete('00000001-00000001.log is not whole'));
    }
  });

  it('is followed by nothing after a clean stop', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    await store.close();
    appendFileSync(segment(), Buffer.alloc(600));
    expect(await refusal()).toEqual(corrupt('the store was closed here, and something was written behind it'));
  });

  it('is not the one of the clean stop when another is as long', async () => {
    const store = await open();
    await putTo(store, PODS, 'a', 'p1', 1);
    await crash(store);
    const early = readFileSync(segment());
    const again = await open();
    await putTo(again, PODS, 'a', 'p2', 2);
    await again.close();
    const late = readFileSync(segment());
    const previous = Number.parseInt(early.subarray(early.lastIndexOf('EN1 B') + 24).toString('latin1', 0, 8), 16);
    const payload = late
      .subarray(early.length + 33)
      .toString()
      .replace('"data":2', '"data":3');
    writeFileSync(segment(), Buffer.concat([early, encodeFrame('B', payload, previous).bytes]));
    expect(await refusal()).toEqual(corrupt('what ends there is not what record says'));
  });
});

describe('a store of the format before the record', () => {
  /** As the encoder of that format wrote it: two segments, the second with the mark of a clean stop. */
  function writeOld(mark: boolean): void {
    const line = (revision: number, name: string): string =>
      `${revision}\t["system","","pods","a","${name}"]\t{"apiVersion":"v1","kind":"Thing","metadata":{"name":"${name}","namespace":"a","uid":"u","resourceVersion":"${revision}","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"data":${revision}}}\n`;
    let previousLength = 0;
    for (const sequence of [1, 2]) {
      const common = { format: 1, first: sequence, last: sequence, merged: false };
      const head = encodeFrame('H', `${JSON.stringify({ ...common, revision: sequence - 1, previousLength })}\n`, 0);
      const body = encodeFrame('B', line(sequence, `p${sequence}`), head.checksum);
      const frames = [head.bytes, body.bytes];
      if (mark && sequence === 2) frames.push(encodeFrame('M', '{"revision":7}\n', body.checksum).bytes);
      const bytes = Buffer.concat(frames);
      previousLength = bytes.length;
      writeFileSync(join(log.directory, `0000000${sequence}-0000000${sequence}.log`), bytes);
    }
  }

  it.each([true, false])('is opened, and has a record from then on (clean stop: %s)', async (mark) => {
    writeOld(mark);
    const store = await open();
    expect(state(store)).toEqual([
      ['p1', 1],
      ['p2', 2],
    ]);
    expect(store.revision).toBe(mark ? 7 : 2);
    await putTo(store, PODS, 'a', 'p3', 3);
    await crash(store);
    // The new format begins in a segment of its own, which the version before refuses by its format.
    expect(segments()).toHaveLength(3);
    expect(readFileSync(segment(), 'latin1')).toContain('"format":2');
    const again = await open();
    expect(state(again).map(([name]) => name)).toEqual(['p1', 'p2', 'p3']);
    await again.close();
    rmSync(segment());
    expect(await refusal()).toEqual(incomplete('00000003-00000003.log is missing'));
  });

  it('is refused when it is damaged', async () => {
    writeOld(false);
    rmSync(join(log.directory, '00000001-00000001.log'));
    expect(await refusal()).toEqual(incomplete('00000001-00000001.log is missing'));
  });
});

/** Repeatable chance. */
function chance(seed: number): (bound: number) => number {
  let at = seed;
  return (bound) => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((at / 2_147_483_648) * bound);
  };
}

const COPIES = 40;

describe('a plain copy of the directory, file by file while the store writes and merges', () => {
  it(`opens with everything answered before it began, or is refused with the file that is wrong (${COPIES} copies)`, async () => {
    const limits = { segmentBytes: 1_500, garbageBytes: 1_500, wrapFiles: quickDisk };
    const seen = { opened: 0, refused: 0 };
    const store = await open(limits);
    const pick = chance(7);
    let next = 0;
    const work = async (writes: number): Promise<void> => {
      for (let i = 0; i < writes; i++) {
        const name = `p${pick(12)}`;
        if (pick(5) === 0) await removeFrom(store, PODS, 'a', name).catch(() => undefined);
        else await putTo(store, PODS, 'a', name, next++);
      }
    };
    for (let round = 0; round < COPIES; round++) {
      await work(30);
      const copy = mkdtempSync(join(tmpdir(), 'everynode-copied-'));
      const before = new Map(state(store));
      const from = store.revision;
      const names = readdirSync(log.directory).filter((name) => name !== 'reserve');
      while (names.length > 0) {
        const [name = ''] = names.splice(pick(names.length), 1);
        await work(pick(round % 4 === 0 ? 2 : 50));
        try {
          writeFileSync(join(copy, name), readFileSync(join(log.directory, name)));
        } catch {
          // Gone since: a copying tool says so and goes on.
        }
      }
      const found = await openCopy(copy);
      if (typeof found === 'string') {
        seen.refused++;
        expect(found).toMatch(/EN_STORE_(INCOMPLETE|CORRUPT): .*(record|\.log|holder)/s);
      } else {
        seen.opened++;
        expect(found.revision).toBeGreaterThanOrEqual(from);
        for (const [name, data] of before) {
          const kept = found.objects.get(name);
          // Changed after the copy began: the later state is there, or its removal.
          if (kept !== undefined) expect(Number(kept)).toBeGreaterThanOrEqual(Number(data));
          else expect(store.revision).toBeGreaterThan(from);
        }
        expect(await isOneMoment(found.revision, found.objects)).toBe(true);
      }
      rmSync(copy, { recursive: true });
    }
    await store.close();
    expect(seen.opened + seen.refused).toBe(COPIES);
    expect(seen.opened).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);

    /** Whether the store held exactly these objects at that revision, by its own history. */
    async function isOneMoment(revision: number, objects: ReadonlyMap<string, unknown>): Promise<boolean> {
      const then = [...store.list(PODS, { revision })].map((o) => [
        o.metadata.name,
        (o as unknown as { spec: { data: unknown } }).spec.data,
      ]);
      await Promise.resolve();
      return JSON.stringify(then) === JSON.stringify([...objects]);
    }
  });

  async function openCopy(directory: string) {
    try {
      const store = await openStore({
        clock: realClock,
        engine: await createLogEngine({ directory, wrapFiles: quickDisk }),
      });
      const found = { revision: store.revision, objects: new Map(state(store)) };
      await store.close();
      return found;
    } catch (error) {
      return `${(error as { code?: string }).code}: ${(error as Error).message}`;
    }
  }
});
