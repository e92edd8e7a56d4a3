import { expect, it } from 'vitest';
import { isOver, newBackoff, noteFailure, noteReserved } from './guardian-backoff.ts';

it('waits a second, then twice as long each time, five minutes at most', () => {
  const backoff = newBackoff();
  const waits = Array.from({ length: 11 }, () => {
    noteFailure(backoff, 0);
    return backoff.notBefore / 1000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

it('begins anew after the Ticket was Reserved for a while, not before', () => {
  const backoff = newBackoff();
  for (let i = 0; i < 5; i += 1) noteFailure(backoff, 0);
  noteReserved(backoff, 1_000);
  noteReserved(backoff, 500_000);
  expect(isOver(backoff, 600_000)).toBe(false);
  expect(isOver(backoff, 601_000)).toBe(true);
  noteFailure(backoff, 601_000);
  expect(backoff.notBefore).toBe(602_000);
  noteReserved(backoff, 603_000);
  noteFailure(backoff, 604_000);
  expect(backoff.notBefore).toBe(606_000);
});
