import { describe, expect, it, vi } from 'vitest';
import { realClock } from './real-clock.ts';

describe('real clock', () => {
  it('runs an immediate timer after pending microtasks', async () => {
    const seen: string[] = [];
    const done = new Promise<void>((resolve) => {
      realClock.after(0, () => {
        seen.push('timer');
        resolve();
      });
    });
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => seen.push('microtask'));
    await done;
    expect(seen).toEqual(['microtask', 'timer']);
  });

  it('does not run what was cancelled', async () => {
    let ran = false;
    const run = (): void => {
      ran = true;
    };
    realClock.after(0, run).cancel();
    const timer = realClock.after(1, run);
    timer.cancel();
    timer.cancel();
    await realClock.sleep(5);
    expect(ran).toBe(false);
  });

  it('does not fire early when the delay is longer than the platform can wait', async () => {
    vi.useFakeTimers();
    try {
      let fired = false;
      const month = 31 * 24 * 3600 * 1000;
      realClock.after(month, () => {
        fired = true;
      });
      await vi.advanceTimersByTimeAsync(month - 1);
      expect(fired).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(fired).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends a sleep when the signal fires, and leaves no listener behind', async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    await realClock.sleep(1, controller.signal);
    expect(remove).toHaveBeenCalledTimes(1);
    const sleeping = realClock.sleep(60_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleeping).rejects.toThrow('stop');
  });

  it('never runs backwards', () => {
    const first = realClock.monotonic();
    expect(realClock.monotonic()).toBeGreaterThanOrEqual(first);
    expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(1000);
  });
});
