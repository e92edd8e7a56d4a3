import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlicedWork } from './sliced-work.ts';
import { createVirtualClock } from './virtual-clock.ts';

const never = (): boolean => false;
const always = (): boolean => true;

describe('sliced work', () => {
  it('syncs each key once, in the order they came', async () => {
    const clock = createVirtualClock();
    const seen: string[] = [];
    const work = createSlicedWork({ clock, sync: (key) => void seen.push(key), onError: never });
    for (const key of ['b', 'a', 'b', 'c', 'a']) work.add(key);
    expect(seen).toEqual([]);
    await clock.drain();
    expect(seen).toEqual(['b', 'a', 'c']);
  });

  it('has no more under way than it may, and never one key twice', async () => {
    const clock = createVirtualClock();
    const running = new Map<string, () => void>();
    let most = 0;
    const work = createSlicedWork({
      clock,
      maxInFlight: 3,
      onError: never,
      sync(key) {
        expect(running.has(key)).toBe(false);
        const { promise, resolve } = Promise.withResolvers<void>();
        running.set(key, () => {
          running.delete(key);
          resolve();
        });
        most = Math.max(most, running.size);
        return promise;
      },
    });
    for (let i = 0; i < 10; i += 1) work.add(`k${i}`);
    await clock.drain();
    expect(work.inFlight).toBe(3);
    expect(work.waiting).toBe(7);
    work.add('k0');
    work.add('k0');
    let finished = 0;
    while (running.size > 0) {
      for (const finish of [...running.values()]) {
        finish();
        finished += 1;
      }
      await clock.drain();
    }
    expect(most).toBe(3);
    expect(finished).toBe(11);
  });

  it('tries again after growing pauses and forgets failures after a success', async () => {
    const clock = createVirtualClock();
    const at: number[] = [];
    const failures = { left: 3 };
    const work = createSlicedWork({
      clock,
      retryMs: 100,
      longestRetryMs: 250,
      onError: always,
      sync() {
        at.push(clock.monotonic());
        failures.left -= 1;
        return failures.left >= 0 ? Promise.reject(new Error('no')) : Promise.resolve();
      },
    });
    work.add('k');
    await clock.runUntilIdle();
    const pauses = at.slice(1).map((time, i) => time - (at[i] ?? 0));
    const stretch = (pauses[0] ?? 0) / 100;
    expect(stretch).toBeGreaterThanOrEqual(1);
    expect(stretch).toBeLessThan(1.5);
    expect(pauses.map((pause) => Math.round(pause / stretch))).toEqual([100, 200, 250]);
    failures.left = 1;
    const before = clock.monotonic();
    work.add('k');
    await clock.runUntilIdle();
    expect(Math.round((clock.monotonic() - before) / stretch)).toBe(100);
  });

  it('survives a sync that throws, and gives up where it is told to', async () => {
    const clock = createVirtualClock();
    const seen: string[] = [];
    const work = createSlicedWork({
      clock,
      onError: never,
      sync(key) {
        seen.push(key);
        if (key === 'bad') throw new Error('no');
        return undefined;
      },
    });
    work.add('bad');
    work.add('good');
    await clock.runUntilIdle();
    expect(seen).toEqual(['bad', 'good']);
  });

  it('keeps the latest appointment only, and none of a forgotten key', async () => {
    const clock = createVirtualClock();
    const at: string[] = [];
    const work = createSlicedWork({
      clock,
      sync: (key) => void at.push(`${key}@${clock.monotonic()}`),
      onError: never,
    });
    work.addAfter('a', 100);
    work.addAfter('a', 500);
    work.addAfter('b', 100);
    work.addAfter('c', 100);
    work.forget('b');
    work.cancel('c');
    await clock.runUntilIdle();
    expect(at).toEqual(['a@500']);
  });

  it('stops with nothing under way and nothing to come', async () => {
    const clock = createVirtualClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    let syncs = 0;
    const work = createSlicedWork({
      clock,
      onError: always,
      sync() {
        syncs += 1;
        return promise;
      },
    });
    work.add('a');
    work.addAfter('b', 50);
    await clock.drain();
    let isStopped = false;
    const stopping = work.stop().then(() => void (isStopped = true));
    work.add('c');
    await clock.advance(1000);
    expect(isStopped).toBe(false);
    resolve();
    await stopping;
    await clock.advance(1000);
    expect(syncs).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('always syncs a key after its last addition', async () => {
    const event = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      pause: fc.nat(30),
      takes: fc.nat(40),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const clock = createVirtualClock();
        const lastLook = new Map<string, number>();
        const lastAdd = new Map<string, number>();
        const running = new Set<string>();
        let next = { takes: 0, fails: false };
        const work = createSlicedWork({
          clock,
          maxInFlight: 2,
          onError: always,
          sync(key) {
            expect(running.has(key)).toBe(false);
            lastLook.set(key, clock.monotonic());
            const { takes, fails } = next;
            next = { takes: 0, fails: false };
            if (takes === 0) return undefined;
            running.add(key);
            return clock.sleep(takes).then(() => {
              running.delete(key);
              if (fails) throw new Error('no');
              return undefined;
            });
          },
        });
        for (const { key, pause, takes, fails } of events) {
          next = { takes, fails };
          lastAdd.set(key, clock.monotonic());
          work.add(key);
          await clock.advance(pause);
        }
        await clock.runUntilIdle();
        for (const [key, added] of lastAdd) expect(lastLook.get(key)).toBeGreaterThanOrEqual(added);
        expect(work.inFlight).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
