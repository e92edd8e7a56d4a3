import { describe, expect, it } from 'vitest';
import { difference, type CanonicalState } from './canonical-state.ts';

const state = (lines: readonly string[], open: readonly string[] = []): CanonicalState => ({
  lines,
  open: new Set(open),
});

describe('two ends of one scenario', () => {
  it('are alike when they say the same, as often', () => {
    expect(difference(state(['a', 'b', 'b']), state(['a', 'b', 'b']))).toBeUndefined();
    expect(difference(state(['a', 'b', 'b']), state(['a', 'b']))).toBe('without faults: b; with them: nothing more');
  });

  it('are told apart in a few words', () => {
    const many = ['1', '2', '3', '4'];
    expect(difference(state(many), state(['x']))).toBe('without faults: 1 | 2 | 3 | …; with them: x');
  });

  it('are not compared in what either of them left open', () => {
    const one = state(['daemon default/a on n: 1', 'node n']);
    const other = state(['daemon default/a on n: 2', 'node n'], ['daemon default/a']);
    expect(difference(one, other)).toBeUndefined();
    expect(difference(other, one)).toBeUndefined();
  });
});
