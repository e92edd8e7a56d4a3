import { describe, expect, it } from 'vitest';
import { createPushStream } from './push-stream.ts';

describe('push stream', () => {
  it('hands over together what gathered, then ends', async () => {
    const stream = createPushStream<number>();
    stream.push(1);
    stream.push(2);
    const seen: (readonly number[])[] = [];
    const reading = (async () => {
      for await (const batch of stream.batches) seen.push(batch);
    })();
    await Promise.resolve();
    await Promise.resolve();
    stream.push(3);
    stream.end();
    stream.push(4);
    await reading;
    expect(seen).toEqual([[1, 2], [3]]);
  });

  it('gives what was pushed before it fails, and lets go once', async () => {
    let left = 0;
    const stream = createPushStream<number>(() => {
      left += 1;
    });
    stream.push(1);
    stream.fail(new Error('broken'));
    const iterator = stream.batches[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual([1]);
    await expect(iterator.next()).rejects.toThrow('broken');
    expect((await iterator.next()).done).toBe(true);
    expect(left).toBe(1);
  });
});
