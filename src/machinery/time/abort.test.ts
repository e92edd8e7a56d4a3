import { describe, expect, it } from 'vitest';
import { abortAfter, aborted, abortError, isAbortError, linkAbort, orAborted, wasAborted } from './abort.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('abort helpers', () => {
  it('pass the parent on until they are released', () => {
    const parent = new AbortController();
    const [held, freed] = [linkAbort(parent.signal), linkAbort(parent.signal)];
    freed.release();
    parent.abort(new Error('why'));
    expect([held.signal.aborted, freed.signal.aborted]).toEqual([true, false]);
    expect(held.signal.reason).toBe(parent.signal.reason);
    expect(linkAbort(parent.signal).signal.aborted).toBe(true);
  });

  it('end after a time, and leave no timer when released', async () => {
    const clock = createVirtualClock();
    const limit = abortAfter(clock, 100);
    await clock.advance(100);
    expect((limit.signal.reason as Error).name).toBe('TimeoutError');
    abortAfter(clock, 100).release();
    expect(clock.pendingTimers).toBe(0);
  });

  it('tell the echo of a signal from a real failure', () => {
    const stop = new AbortController();
    expect(wasAborted(abortError(), stop.signal)).toBe(false);
    stop.abort(new Error('enough'));
    expect(wasAborted(stop.signal.reason, stop.signal)).toBe(true);
    expect(wasAborted(abortError(), stop.signal)).toBe(true);
    expect(wasAborted(new Error('other'), stop.signal)).toBe(false);
    expect(isAbortError(new Error('x'))).toBe(false);
  });

  it('wait for whichever comes first', async () => {
    const stop = new AbortController();
    expect(await orAborted(Promise.resolve(1), stop.signal)).toBe(1);
    expect(await orAborted(Promise.resolve(2), undefined)).toBe(2);
    await expect(orAborted(Promise.reject(new Error('own')), stop.signal)).rejects.toThrow('own');
    const waiting = orAborted(new Promise(() => undefined), stop.signal);
    const gone = aborted(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await gone;
    await aborted(stop.signal);
    await expect(orAborted(Promise.reject(new Error('late')), stop.signal)).rejects.toThrow('enough');
  });
});
