import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';

describe('virtual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = createVirtualClock(1000);
    let fired = false;
    clock.after(1, () => {
      fired = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1000, 0, false]);
    await clock.advance(1);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1001, 1, true]);
  });

  it('fires each timer at its own instant, in order of time and then of setting', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.monotonic()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(30, note('d'));
    await clock.advance(25);
    expect(seen).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.monotonic()).toBe(25);
    expect(clock.pendingTimers).toBe(1);
    expect(clock.nextTimerAt).toBe(30);
  });

  it('lets promise chains of any length end before the next timer', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.after(10, () => {
      void (async () => {
        for (let i = 0; i < 5000; i += 1) await Promise.resolve();
        await new Promise<void>((resolve) => process.nextTick(resolve));
        for (let i = 0; i < 5000; i += 1) await Promise.resolve(i);
        seen.push(`chain@${clock.monotonic()}`);
      })();
    });
    clock.after(10, () => void seen.push('second'));
    clock.after(11, () => void seen.push('third'));
    await clock.advance(100);
    expect(seen).toEqual(['chain@10', 'second', 'third']);
  });

  it('runs timers set by timers within the same move', async () => {
    const clock = createVirtualClock(0);
    const times: number[] = [];
    const tick = (): void => {
      times.push(clock.monotonic());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
  });

  it('lets an async loop of sleeps pass without being moved step by step', async () => {
    const clock = createVirtualClock(0);
    let rounds = 0;
    const loop = (async () => {
      while (rounds < 100) {
        await clock.sleep(1000);
        rounds += 1;
      }
    })();
    expect(await clock.runUntilIdle()).toBe(100_000);
    await loop;
    expect(rounds).toBe(100);
  });

  it('treats no delay, negative and NaN as "after the microtasks"', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.after(0, () => void seen.push('zero'));
    clock.after(-5, () => void seen.push('negative'));
    clock.after(Number.NaN, () => void seen.push('nan'));
    void Promise.resolve().then(() => seen.push('microtask'));
    await clock.drain();
    expect(seen).toEqual(['microtask', 'zero', 'negative', 'nan']);
    expect(clock.monotonic()).toBe(0);
  });

  it('cancels idempotently, also from within a callback and after firing', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    const b = clock.after(5, () => void seen.push('b'));
    const a = clock.after(1, () => {
      seen.push('a');
      b.cancel();
      b.cancel();
    });
    await clock.advance(10);
    a.cancel();
    expect(seen).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects a sleep with the reason of the abort and leaves no timer behind', async () => {
    const clock = createVirtualClock(0);
    const controller = new AbortController();
    const sleeping = clock.sleep(1000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  });

  it('stops at the limit when timers renew themselves for ever', async () => {
    const clock = createVirtualClock(0);
    const beat = (): void => void clock.after(10_000, beat);
    beat();
    expect(await clock.runUntilIdle(60_000)).toBe(60_000);
  });

  it('stops as soon as a condition holds', async () => {
    const clock = createVirtualClock(0);
    let count = 0;
    const beat = (): void => {
      count += 1;
      clock.after(10, beat);
    };
    clock.after(10, beat);
    expect(await clock.runUntil(() => count === 3)).toBe(true);
    expect(clock.monotonic()).toBe(30);
    expect(await clock.runUntil(() => count === 1000, 100)).toBe(false);
  });

  it('jumps the wall clock without touching durations', async () => {
    const clock = createVirtualClock(1_000_000);
    let fired = false;
    clock.after(10, () => {
      fired = true;
    });
    clock.jump(-500_000);
    expect(clock.now()).toBe(500_000);
    expect(fired).toBe(false);
    await clock.advance(10);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([500_010, 10, true]);
  });

  it('hands a throwing callback to whoever moves time, and can go on afterwards', async () => {
    const clock = createVirtualClock(0);
    let later = false;
    clock.after(1, () => {
      throw new Error('broken');
    });
    clock.after(2, () => {
      later = true;
    });
    await expect(clock.advance(5)).rejects.toThrow('broken');
    await clock.advance(5);
    expect(later).toBe(true);
  });

  it('refuses two callers moving time at once', async () => {
    const clock = createVirtualClock(0);
    const first = clock.advance(5);
    await expect(clock.advance(5)).rejects.toThrow('already being moved');
    await first;
  });

  it('fires any set of timers as a stable sort by time would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ delay: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() }), { maxLength: 60 }),
        async (plan) => {
          const clock = createVirtualClock(0);
          const seen: number[] = [];
          const timers = plan.map(({ delay }, index) => clock.after(delay, () => void seen.push(index)));
          plan.forEach(({ cancelled }, index) => {
            if (cancelled) timers[index]?.cancel();
          });
          await clock.advance(20);
          const expected = plan
            .map((entry, index) => ({ ...entry, index }))
            .filter((entry) => !entry.cancelled)
            .toSorted((a, b) => a.delay - b.delay)
            .map((entry) => entry.index);
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
