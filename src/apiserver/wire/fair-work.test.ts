import { describe, expect, it } from 'vitest';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Exchange } from './exchange.ts';
import { createFairWork, type RequestPace } from './fair-work.ts';

/** Time that passes only by work, and a loop whose turns are counted. */
function bench(perUser = 100) {
  const booked: (() => void)[] = [];
  let now = 0;
  const clock = {
    monotonic: () => now,
    after: (_: number, run: () => void) => (booked.push(run), { cancel: () => {} }),
  } as unknown as Clock;
  const work = createFairWork({ sliceMs: 4, perUser }, clock);
  const done: string[] = [];

  function request(user: string) {
    const controller = new AbortController();
    const exchange = {
      signal: controller.signal,
      get closed() {
        return controller.signal.aborted;
      },
    } as Exchange;
    return { pace: work.pace(user, exchange), leave: () => controller.abort() };
  }
  /** Works for the given number of milliseconds, one at a time. */
  async function toil(name: string, pace: RequestPace, ms: number): Promise<void> {
    const first = pace.turn();
    if (first !== undefined) await first;
    for (let worked = 0; worked < ms; worked += 1) {
      now += 1;
      const wait = pace.turn();
      if (wait !== undefined) await wait;
    }
    pace.end();
    done.push(name);
  }
  return {
    work,
    done,
    request,
    toil,
    async loop(turns = 1) {
      for (let i = 0; i < turns; i += 1) {
        const run = booked.splice(0);
        const before = now;
        for (const each of run) each();
        await new Promise((resolve) => setImmediate(resolve));
        // The loop comes round after one slice, whatever waits.
        expect(now - before).toBeLessThanOrEqual(4);
      }
    },
  };
}

describe('long work', () => {
  it('that is short asks for nothing but the time', async () => {
    const { done, request, toil, work } = bench();
    void toil('a', request('u').pace, 3);
    await Promise.resolve();
    expect([done, work.waiting]).toEqual([['a'], 0]);
  });

  it('of one user delays that of another by a slice', async () => {
    const { done, loop, request, toil } = bench();
    for (let i = 0; i < 30; i += 1) void toil(`greedy-${i}`, request('greedy').pace, 1000);
    await loop(10);
    void toil('modest', request('modest').pace, 7);
    await loop(4);
    expect(done).toEqual(['modest']);
  });

  it('that many begin at once is begun one after the other, a slice a turn of the loop', async () => {
    const { done, loop, request, toil } = bench();
    const began = Array.from({ length: 50 }, (_, i) => toil(String(i), request('u').pace, 3));
    await loop(0);
    expect(done.length).toBeLessThanOrEqual(1);
    await loop(60);
    await Promise.all(began);
    expect(done).toHaveLength(50);
  });

  it('of one user is answered in turn: what is short, then what is old', async () => {
    const { done, loop, request, toil } = bench();
    void toil('old', request('u').pace, 100);
    await loop(8);
    void toil('young', request('u').pace, 100);
    await loop(8);
    void toil('short', request('u').pace, 10);
    await loop(60);
    expect(done).toEqual(['short', 'old', 'young']);
  });

  it('is bounded for each user, and told so before anything of it is sent', async () => {
    const { loop, request, toil } = bench(3);
    const begun = Array.from({ length: 6 }, (_, i) => {
      const { pace } = request('u');
      return toil(String(i), pace, 50).finally(() => pace.end());
    });
    const other = toil('other', request('v').pace, 50);
    const settled = Promise.allSettled([...begun, other]);
    await loop(120);
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(outcomes.at(-1)?.status).toBe('fulfilled');
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: { code: 429, details: { retryAfterSeconds: 1 } } },
    });
    // Places are free again.
    const { pace } = request('u');
    pace.enter();
    pace.end();
  });

  it('ends with its request', async () => {
    const { done, loop, request, toil, work } = bench();
    const gone = request('u');
    const stays = toil('stays', request('u').pace, 20);
    const leaves = toil('leaves', gone.pace, 20);
    await loop(1);
    gone.leave();
    await expect(leaves).rejects.toMatchObject({ status: { code: 504 } });
    await loop(10);
    await stays;
    expect([done, work.waiting]).toEqual([['stays'], 0]);
    await expect(gone.pace.turn() ?? Promise.reject(new Error('in time'))).rejects.toThrow('the request is over');
  });
});
