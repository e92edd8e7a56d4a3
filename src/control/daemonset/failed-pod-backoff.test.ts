import { describe, expect, it } from 'vitest';
import { createFailedPodBackoff } from './failed-pod-backoff.ts';

describe('the backoff of failed pods', () => {
  function create() {
    let now = 0;
    const backoff = createFailedPodBackoff({ monotonic: () => now });
    return { attempt: (key = 'k') => backoff.attempt(key), pass: (ms: number) => void (now += ms) };
  }

  it('lets the first go, then doubles from a second to a quarter of an hour', () => {
    const { attempt, pass } = create();
    const delays: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      expect(attempt()).toBe(0);
      const delay = attempt();
      delays.push(delay / 1000);
      pass(delay - 1);
      expect(attempt()).toBe(delay);
      pass(1);
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
  });

  it('keeps keys apart', () => {
    const { attempt } = create();
    expect(attempt('a')).toBe(0);
    expect(attempt('b')).toBe(0);
    expect(attempt('a')).toBe(1000);
  });

  it('forgets after half an hour of peace', () => {
    const { attempt, pass } = create();
    attempt();
    pass(1000);
    attempt();
    pass(30 * 60_000 + 1);
    expect(attempt()).toBe(0);
    expect(attempt()).toBe(1000);
  });
});
