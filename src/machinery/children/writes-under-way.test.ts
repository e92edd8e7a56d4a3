import { describe, expect, it } from 'vitest';
import type { Stored } from '../../core/kube/objects.ts';
import { WritesUnderWay } from './writes-under-way.ts';

const at = (resourceVersion: string): Stored =>
  ({ metadata: { name: 'a', uid: 'u', resourceVersion, creationTimestamp: '' } }) as unknown as Stored;

/** A write of `default/a` during which these versions are seen; it is answered with `answer`, or fails. */
async function write(seen: readonly string[], answer: Stored | undefined | Error) {
  const writes = new WritesUnderWay();
  let changes = 0;
  const make = (): Promise<Stored | undefined> => {
    for (const version of seen) expect(writes.holds('default/a', at(version))).toBe(true);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const ended = writes.during(
    'default/a',
    make,
    (made) => made,
    () => void (changes += 1),
  );
  await ended.catch(() => undefined);
  expect(writes.holds('default/a', at('99'))).toBe(false);
  return changes;
}

describe('events during a write', () => {
  it('that show the write itself count for nothing', async () => {
    expect(await write([], at('7'))).toBe(0);
    expect(await write(['7'], at('7'))).toBe(0);
  });

  it('count when they show something newer', async () => {
    expect(await write(['7', '9'], at('7'))).toBe(1);
  });

  it('count when the write failed, or left no object', async () => {
    expect(await write(['6'], new Error('conflict'))).toBe(1);
    expect(await write(['6'], undefined)).toBe(1);
    expect(await write([], new Error('conflict'))).toBe(0);
  });

  it('of other objects are not held back', () => {
    expect(new WritesUnderWay().holds('default/b', at('1'))).toBe(false);
  });
});
