import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import { createDelayingQueue } from './delaying-queue.ts';

function setUp() {
  const clock = createVirtualClock(0);
  return { clock, queue: createDelayingQueue<string>({ clock }) };
}

describe('delaying queue', () => {
  it('adds a key when its time has come, not before', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100);
    await clock.advance(99);
    expect([queue.length, queue.waiting]).toEqual([0, 1]);
    await clock.advance(1);
    expect([queue.length, queue.waiting]).toEqual([1, 0]);
  });

  it('keeps the earliest of several times', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 80);
    await clock.advance(50);
    expect(queue.take()).toBe('a');
    queue.done('a');
    await clock.advance(1000);
    expect(queue.take()).toBeUndefined();
  });

  it('releases keys in order of their times, and of coming at the same time', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('late', 30);
    queue.addAfter('b', 20);
    queue.addAfter('c', 20);
    queue.addAfter('a', 10);
    await clock.advance(30);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['a', 'b', 'c', 'late']);
  });

  it.each([0, -1, Number.NaN])('adds at once after %s', (delay) => {
    const { queue } = setUp();
    queue.addAfter('a', delay);
    expect(queue.take()).toBe('a');
  });

  it('is one with what is added directly', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 10);
    queue.add('a');
    await clock.advance(10);
    expect([queue.take(), queue.take()]).toEqual(['a', undefined]);
  });

  it('sets one timer for all that wait, and none once it is shut down', async () => {
    const { clock, queue } = setUp();
    for (let i = 0; i < 100; i += 1) queue.addAfter(`k${i}`, 1000 - i);
    expect(clock.pendingTimers).toBe(1);
    queue.shutDown();
    expect([clock.pendingTimers, queue.waiting]).toEqual([0, 0]);
    queue.addAfter('a', 10);
    await clock.advance(2000);
    expect(queue.length).toBe(0);
  });
});
