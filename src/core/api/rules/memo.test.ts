import { describe, expect, it } from 'vitest';
import { subtreeMemo } from './memo.ts';

describe('the memory of subtrees', () => {
  it('remembers from the second sighting on', () => {
    const memo = subtreeMemo<object, string>();
    const key = {};
    memo.offer(key, 'first');
    expect(memo.get(key)).toBeUndefined();
    memo.offer(key, 'second');
    expect(memo.get(key)).toBe('second');
  });

  it('remembers at once what is known to come back', () => {
    const memo = subtreeMemo<object, string>();
    const key = {};
    memo.keep(key, 'kept');
    expect(memo.get(key)).toBe('kept');
  });

  it('knows a key by identity, not by content', () => {
    const memo = subtreeMemo<object, string>();
    memo.keep({ a: 1 }, 'one');
    expect(memo.get({ a: 1 })).toBeUndefined();
  });

  it('forgets newcomers when many others came since', () => {
    const memo = subtreeMemo<object, string>();
    const key = {};
    memo.offer(key, 'first');
    for (let index = 0; index < 100; index++) memo.offer({}, 'other');
    memo.offer(key, 'again');
    expect(memo.get(key)).toBeUndefined();
  });

  it('takes a newer answer for a remembered key', () => {
    const memo = subtreeMemo<object, number>();
    const key = {};
    memo.keep(key, 1);
    memo.offer(key, 2);
    expect(memo.get(key)).toBe(2);
  });
});
