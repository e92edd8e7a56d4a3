import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import type { Exchange } from './exchange.ts';
import { createInFlight } from './overload.ts';

/** As much of an exchange as a crowd needs. */
function visitor(method: string) {
  const seen: { status?: number; body?: string; retryAfter?: string; brokenOff: boolean } = { brokenOff: false };
  const exchange = {
    method,
    answered: false,
    setHeader: (name: string, value: string) => void (name === 'retry-after' && (seen.retryAfter = value)),
    send(status: number, _type: string, body: string) {
      Object.assign(seen, { status, body });
    },
    breakOff: () => void (seen.brokenOff = true),
  };
  return { seen, exchange: exchange as unknown as Exchange, begin: () => void (exchange.answered = true) };
}

const LIMITS = { reads: 2, writes: 1, timeoutMs: 5000 };

describe('requests under way', () => {
  it('are counted by reads and writes, and let in again when others are gone', () => {
    const flights = createInFlight(LIMITS, createVirtualClock());
    const leave = flights.enter(visitor('POST').exchange);
    expect(() => flights.enter(visitor('DELETE').exchange)).toThrow('too many requests, please try again later');
    const reads = [flights.enter(visitor('GET').exchange), flights.enter(visitor('HEAD').exchange)];
    expect(() => flights.enter(visitor('GET').exchange)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 429, details: { retryAfterSeconds: 1 } }) }),
    );
    leave();
    for (const each of reads) each();
    expect([flights.reads, flights.writes]).toEqual([0, 0]);
    flights.enter(visitor('PATCH').exchange);
    expect(flights.writes).toBe(1);
  });

  it('are told that their time is up, or broken off when an answer was under way', async () => {
    const clock = createVirtualClock();
    const flights = createInFlight(LIMITS, clock);
    const [silent, talking, quick] = [visitor('POST'), visitor('GET'), visitor('GET')];
    flights.enter(silent.exchange);
    flights.enter(talking.exchange);
    talking.begin();
    flights.enter(quick.exchange)();
    await clock.advance(4000);
    expect([silent.seen, talking.seen.brokenOff]).toEqual([{ brokenOff: false }, false]);
    await clock.advance(3000);
    expect(silent.seen).toMatchObject({ status: 504, brokenOff: false });
    expect(silent.seen.body).toContain('"reason":"Timeout"');
    expect(talking.seen).toEqual({ brokenOff: true });
    expect(quick.seen).toEqual({ brokenOff: false });
  });

  it('leave no timer behind', async () => {
    const clock = createVirtualClock();
    const flights = createInFlight(LIMITS, clock);
    flights.enter(visitor('GET').exchange)();
    await clock.advance(1000);
    expect(clock.pendingTimers).toBe(0);
    flights.enter(visitor('GET').exchange);
    flights.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
