import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createLife } from './life.ts';

describe('the life of an instance', () => {
  it('has time like everybody else', async () => {
    const clock = createVirtualClock();
    const life = createLife(clock, () => undefined);
    const heard: string[] = [];
    life.clock.after(10, () => heard.push('timer'));
    void life.clock.sleep(20).then(() => heard.push('sleep'));
    life.clock.after(5, () => heard.push('never')).cancel();
    await clock.advance(30);
    expect(heard).toEqual(['timer', 'sleep']);
    expect(life.clock.now()).toBe(clock.now());
  });

  it('ends without a word: no timer fires, no promise settles, and no new ones begin', async () => {
    const clock = createVirtualClock();
    const life = createLife(clock, () => undefined);
    const heard: string[] = [];
    life.clock.after(10, () => heard.push('timer'));
    void life.clock.sleep(10).then(() => heard.push('sleep'));
    void life.guard(Promise.resolve()).then(() => heard.push('answer'));
    void life.guard(Promise.reject(new Error('refused'))).catch(() => heard.push('refusal'));
    life.end();
    life.clock.after(1, () => heard.push('after the end'));
    await clock.advance(100);
    expect(heard).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells once who wants to close up behind it', () => {
    const life = createLife(createVirtualClock(), () => undefined);
    const heard: string[] = [];
    life.onEnd(() => heard.push('a'));
    life.onEnd(() => heard.push('b'))();
    life.end();
    life.end();
    expect(heard).toEqual(['a']);
    expect(life.isOver).toBe(true);
  });

  it('counts its timers', async () => {
    const clock = createVirtualClock();
    let count = 0;
    const life = createLife(clock, () => (count += 1));
    life.clock.after(1, () => undefined);
    life.clock.after(2, () => undefined);
    await clock.advance(5);
    expect(count).toBe(2);
  });
});
