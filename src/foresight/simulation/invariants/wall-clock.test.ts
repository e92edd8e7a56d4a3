import { describe, expect, it } from 'vitest';
import { type ClockJump, createClusterView } from '../cluster-view.ts';
import { wallWithin } from './wall-clock.ts';

const within = (ms: number, now: number, wall: number, jumps: readonly ClockJump[]) =>
  wallWithin(
    createClusterView({ now: () => now, wall: () => wall, jumps, knewAt: () => 0, reactionMs: 0, patienceMs: 0 }),
    ms,
  );

describe('times that the wall clock has shown lately', () => {
  it('end at the present one where it has not jumped', () => {
    expect(within(100, 1_000, 5_000, [])).toEqual({ earliest: 4_900, latest: 5_000 });
    expect(within(100, 1_000, 5_000, [{ at: 100, byMs: -9 }])).toEqual({ earliest: 4_900, latest: 5_000 });
  });

  it('reach back before a jump forward', () => {
    // At 950 the clock went from 1,950 to 4,950.
    expect(within(100, 1_000, 5_000, [{ at: 950, byMs: 3_000 }])).toEqual({ earliest: 1_900, latest: 5_000 });
  });

  it('are later than the present one after a jump back', () => {
    // At 950 the clock went from 7,950 to 4,950.
    expect(within(100, 1_000, 5_000, [{ at: 950, byMs: -3_000 }])).toEqual({ earliest: 4_950, latest: 7_950 });
  });

  it('are those of every jump in the span', () => {
    // 1,900 at 900; at 920 from 1,920 to 9,920; at 960 from 9,960 to 4,960.
    const jumps = [
      { at: 920, byMs: 8_000 },
      { at: 960, byMs: -5_000 },
    ];
    expect(within(100, 1_000, 5_000, jumps)).toEqual({ earliest: 1_900, latest: 9_960 });
  });
});
