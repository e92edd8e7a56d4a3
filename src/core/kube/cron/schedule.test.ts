import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostRecent, readSchedule, type Schedule, zonedTime } from './schedule.ts';

const read = (text: string, zone?: string): Schedule => {
  const result = readSchedule(text, zone);
  if (!result.ok) throw new Error(result.error);
  return result.schedule;
};
const at = (text: string): number => Date.parse(text);
const next = (text: string, after: string, zone?: string): string | undefined => {
  const time = read(text, zone).next(at(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

/** Walks minute by minute through UTC, reading the fields as the documentation explains them. */
function oracle(
  minutes: readonly number[] | '*',
  hours: readonly number[] | '*',
  days: readonly number[] | '*',
  weekdays: readonly number[] | '*',
  after: number,
): number {
  const fits = (list: readonly number[] | '*', value: number): boolean => list === '*' || list.includes(value);
  for (let time = Math.floor(after / 60_000) * 60_000 + 60_000; ; time += 60_000) {
    const date = new Date(time);
    const day = fits(days, date.getUTCDate());
    const weekday = fits(weekdays, date.getUTCDay());
    const isDay = days !== '*' && weekdays !== '*' ? day || weekday : day && weekday;
    if (isDay && fits(minutes, date.getUTCMinutes()) && fits(hours, date.getUTCHours())) return time;
  }
}

const some = (max: number, min = 0) => fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 });
const orAll = (list: fc.Arbitrary<number[]>) => fc.oneof(list, fc.constant('*' as const));
const text = (list: readonly number[] | '*'): string => (list === '*' ? '*' : list.join(','));

describe('a schedule', () => {
  it('is due when its fields say so', () => {
    fc.assert(
      fc.property(
        orAll(some(59)),
        orAll(some(23)),
        orAll(some(28, 1)),
        orAll(some(6)),
        fc.integer({ min: 0, max: 200_000 }),
        (minutes, hours, days, weekdays, offset) => {
          const after = at('2026-01-31T23:50:00Z') + offset * 61_000;
          const schedule = read(`${text(minutes)} ${text(hours)} ${text(days)} * ${text(weekdays)}`);
          expect(schedule.next(after)).toBe(oracle(minutes, hours, days, weekdays, after));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['5/15 * * * *', '2026-03-01T10:00:00Z', '2026-03-01T10:05:00.000Z'],
    ['5/15 * * * *', '2026-03-01T10:05:00Z', '2026-03-01T10:20:00.000Z'],
    ['*/20 9-10 * * mon-fri', '2026-03-06T10:40:00Z', '2026-03-09T09:00:00.000Z'],
    ['0 0 ? JAN ?', '2026-03-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 13 * 5', '2026-03-01T00:00:00Z', '2026-03-06T00:00:00.000Z'],
    ['@hourly', '2026-03-01T10:00:00Z', '2026-03-01T11:00:00.000Z'],
    ['@weekly', '2026-03-02T10:00:00Z', '2026-03-08T00:00:00.000Z'],
    ['@every 90s', '2026-03-01T10:00:00Z', '2026-03-01T10:01:30.000Z'],
    ['TZ=Europe/Berlin 0 8 * * *', '2026-01-01T00:00:00Z', '2026-01-01T07:00:00.000Z'],
  ])('%s after %s is due at %s', (schedule, after, due) => {
    expect(next(schedule, after)).toBe(due);
  });

  it('follows the time zone through its changes', () => {
    expect(next('30 8 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T06:30:00.000Z');
    expect(next('30 8 * * *', '2026-03-27T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-28T07:30:00.000Z');
  });

  it('that never comes is never due', () => {
    expect(next('0 0 30 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });

  it('that cannot be read says why', () => {
    expect(readSchedule('* * *', undefined)).toEqual({
      ok: false,
      error: 'expected exactly 5 fields, found 3: [* * *]',
    });
  });
});

describe('the most recent time that was missed', () => {
  it('is the last one, however many there were', () => {
    const start = at('2026-01-01T00:00:30Z');
    for (const minutes of [0, 1, 2, 50, 101, 5000]) {
      const due = mostRecent(read('* * * * *'), start, start + minutes * 60_000);
      expect(due).toEqual({
        time: minutes === 0 ? undefined : start - 30_000 + minutes * 60_000,
        isLong: minutes > 100,
      });
    }
  });

  it('is the last one of an uneven schedule too', () => {
    const schedule = read('0 9,17 * * *');
    expect(mostRecent(schedule, at('2026-01-01T00:00:00Z'), at('2026-01-20T12:00:00Z')).time).toBe(
      at('2026-01-20T09:00:00Z'),
    );
    expect(mostRecent(schedule, at('2026-01-01T00:00:00Z'), at('2026-01-20T08:00:00Z')).time).toBe(
      at('2026-01-19T17:00:00Z'),
    );
  });
});

describe('times in a zone', () => {
  it.each([
    [undefined, '2026-07-01T12:00:00Z'],
    ['Europe/Berlin', '2026-07-01T14:00:00+02:00'],
    ['America/St_Johns', '2026-07-01T09:30:00-02:30'],
    ['Asia/Kolkata', '2026-07-01T17:30:00+05:30'],
  ])('in %s are written %s', (zone, written) => {
    expect(zonedTime(at('2026-07-01T12:00:00Z'), zone)).toBe(written);
  });
});
