import { describe, expect, it } from 'vitest';
import { createDeadlines } from './deadlines.ts';
import { createVirtualClock } from './virtual-clock.ts';

function deadlines(timeoutMs: number) {
  const clock = createVirtualClock();
  const expired: string[] = [];
  return { clock, expired, all: createDeadlines<string>(clock, timeoutMs, (thing) => expired.push(thing)) };
}

describe('deadlines', () => {
  it('end in order, each once, no more than a second late', async () => {
    const { clock, expired, all } = deadlines(5_000);
    all.add('a');
    await clock.advance(2_500);
    all.add('b');
    await clock.advance(2_400);
    expect(expired).toEqual([]);
    await clock.advance(1_100);
    expect(expired).toEqual(['a']);
    await clock.advance(60_000);
    expect(expired).toEqual(['a', 'b']);
  });

  it('are forgotten when deleted, and say whether they were running', async () => {
    const { clock, expired, all } = deadlines(5_000);
    all.add('a');
    expect(all.delete('a')).toBe(true);
    expect(all.delete('a')).toBe(false);
    await clock.advance(60_000);
    expect(expired).toEqual([]);
  });

  it('neither end nor begin after close', async () => {
    const { clock, expired, all } = deadlines(5_000);
    all.add('a');
    all.close();
    all.add('b');
    await clock.advance(60_000);
    expect(expired).toEqual([]);
  });
});
