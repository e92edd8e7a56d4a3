import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAlarm } from './alarm.ts';
import { createVirtualClock } from './virtual-clock.ts';

function setUp() {
  const clock = createVirtualClock(0);
  const rung: [string, number][] = [];
  const alarm = createAlarm(clock, (key) => rung.push([key, clock.now()]));
  return { clock, rung, alarm };
}

describe('an alarm', () => {
  it('rings once for each key, at the time that was set last', async () => {
    const changes = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined })),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const { clock, rung, alarm } = setUp();
        for (const [key, at] of list) alarm.set(key, at);
        const last = new Map(list);
        await clock.advance(200_000);
        const expected = [...last].filter(([, at]) => at !== undefined);
        expect(new Map(rung)).toEqual(new Map(expected));
        expect(rung).toHaveLength(expected.length);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it('rings soon after the wall clock has jumped over a time, and later after it was set back', async () => {
    const { clock, rung, alarm } = setUp();
    alarm.set('day', 86_400_000);
    await clock.advance(60_000);
    clock.jump(86_400_000);
    await clock.advance(10_000);
    expect(rung.map(([key]) => key)).toEqual(['day']);
    alarm.set('soon', clock.now() + 1_000);
    clock.jump(-60_000);
    await clock.advance(30_000);
    expect(rung).toHaveLength(1);
    await clock.advance(40_000);
    expect(rung.map(([key]) => key)).toEqual(['day', 'soon']);
  });

  it('has one timer for any number of keys, and none once closed', async () => {
    const { clock, rung, alarm } = setUp();
    for (let i = 0; i < 1_000; i += 1) alarm.set(`key-${i}`, 1_000_000 + i);
    expect(clock.pendingTimers).toBe(1);
    alarm.close();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(2_000_000);
    expect(rung).toEqual([]);
  });
});
