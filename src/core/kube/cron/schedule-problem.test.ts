import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, scheduleProblem } from './schedule-problem.ts';

describe('a cron schedule', () => {
  it.each([
    '* * * * *',
    '*/15 0-6/2 1,15 jan-MAR sun',
    '@hourly',
    '@every 1h30m',
    '? ? ? ? ?',
    'TZ=UTC 0 0 * * *',
    '5/20 * * * *',
  ])('may be %s', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  it.each([
    ['', 'empty spec string'],
    ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['9-5 * * * *', 'beginning of range (9) beyond end of range (5): 9-5'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('may not be %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });

  it('is fine with any number in range, and with no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), (minute) => {
        expect(scheduleProblem(`${minute} * * * *`) === undefined).toBe(minute <= 59);
      }),
    );
  });

  it('never crashes on text', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[-*/,0-9 @A-Z=]{0,40}$/));
    fc.assert(
      fc.property(texts, (text) => {
        expect(() => scheduleProblem(text)).not.toThrow();
      }),
    );
  });

  it('knows time zones by name', () => {
    expect(['UTC', 'Europe/Berlin', 'Nowhere/Town'].map(isTimeZone)).toEqual([true, true, false]);
  });
});
