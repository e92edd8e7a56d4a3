import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBase64 } from './base64.ts';
import { canonicalTime, isCanonicalTime, timeText } from './times.ts';

describe('parseBase64', () => {
  it('keeps the canonical text of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(parseBase64(text)).toEqual({ text });
      }),
    );
  });

  it('skips line breaks and clears bits that padding leaves over', () => {
    expect(parseBase64('aGVs\r\nbG8=\n')).toEqual({ text: 'aGVsbG8=' });
    expect(parseBase64('aGVsbG9=')).toEqual({ text: 'aGVsbG8=' });
  });

  it.each([
    ['!!!', 0],
    ['aGVsbG8', 4],
    ['aGVs!G8=', 4],
    ['a===', 1],
    ['aG=x', 2],
    ['aG=', 3],
    ['aGV=aGVs', 4],
    ['=', 0],
    ['aGVsb', 4],
  ])('tells where %s is broken', (text, at) => {
    expect(parseBase64(text)).toEqual({ error: `illegal base64 data at input byte ${at}` });
  });
});

describe('times', () => {
  it('are kept when canonical already, which is what every written time is', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
        (date) => {
          for (const micros of [false, true]) {
            const text = timeText(date.getTime(), micros);
            expect(canonicalTime(text, micros)).toEqual({ text });
            expect(isCanonicalTime(text, micros) || text.slice(8, 10) > '28').toBe(true);
          }
        },
      ),
    );
  });

  it('are refused where an offset carries them out of the calendar', () => {
    expect(canonicalTime('0000-01-01T00:00:00+01:00', false)).toEqual({
      error: 'parsing time "0000-01-01T00:00:00+01:00": year outside of range [0,9999]',
    });
    expect(canonicalTime('9999-12-31T23:59:59.000000-01:00', true)).toHaveProperty('error');
  });

  it('have no text for the zero time', () => {
    expect(canonicalTime('0001-01-01T00:00:00Z', false)).toEqual({ text: '' });
    expect(isCanonicalTime('0001-01-01T00:00:00Z', false)).toBe(false);
  });
});
