import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGoDuration, formatNanos, parseGoDuration, readGoDuration } from './go-duration.ts';
import { readGolden } from './golden/read.ts';
import {
  formatMicroTime,
  formatTime,
  humanDuration,
  normalizeTime,
  parseMicroTimeStrictly,
  parseTime,
  parseTimeStrictly,
  type ParsedTime,
} from './time.ts';

type Expected = string | readonly [micros: number, time: string, micro: string];
interface Table {
  readonly times: readonly (readonly [text: string, time: Expected, micro: Expected])[];
  readonly durations: readonly (readonly [text: string, error: string] | readonly [string, string, string])[];
  readonly ages: readonly (readonly [ms: number, text: string])[];
}
const table = readGolden('time') as Table;

/** A double holds microseconds of these years to within one. */
const near = (micros: number): unknown => expect.closeTo(micros, -1);
const outcome = (parsed: ParsedTime): unknown =>
  parsed.ok ? [parsed.epochMs * 1000, formatTime(parsed.epochMs)] : parsed.error;
const expectation = (expected: Expected): unknown =>
  typeof expected === 'string' ? expected : [near(expected[0]), expected[1]];

describe('times against Go', () => {
  it('reads a Time as Go reads it', () => {
    for (const [text, time] of table.times) {
      expect({ text, result: outcome(parseTimeStrictly(text)) }).toEqual({ text, result: expectation(time) });
    }
  });
  it('reads a MicroTime as Go reads it', () => {
    for (const [text, , micro] of table.times) {
      expect({ text, result: outcome(parseMicroTimeStrictly(text)) }).toEqual({ text, result: expectation(micro) });
    }
  });
  it('prints ages as kubectl does', () => {
    for (const [ms, text] of table.ages) expect({ ms, text: humanDuration(ms) }).toEqual({ ms, text });
  });
  it('reads and prints durations', () => {
    for (const [text, first, printed] of table.durations) {
      const parsed = readGoDuration(text);
      const result = parsed.ok ? [parsed.nanos.toString(), formatNanos(parsed.nanos)] : [parsed.error, undefined];
      expect({ text, result }).toEqual({ text, result: [first, printed] });
    }
  });
});

describe('times', () => {
  const instants = fc.integer({ min: -62135596800000, max: 253402300799999 });
  it('round-trip to the second', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        expect(parseTime(formatTime(ms))).toBe(Math.floor(ms / 1000) * 1000);
        expect(formatTime(ms)).toBe(`${new Date(ms).toISOString().slice(0, 19)}Z`);
      }),
    );
  });
  it('round-trip to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e15 }), (micros) => {
        const text = formatMicroTime(micros / 1000);
        const parsed = parseMicroTimeStrictly(text);
        expect(parsed.ok && Math.round(parsed.epochMs * 1000)).toBe(micros);
      }),
    );
  });
  it('read the canonical form and every other alike', () => {
    for (const [text] of table.times) {
      const parsed = parseTimeStrictly(text);
      expect({ text, epochMs: parseTime(text) }).toEqual({ text, epochMs: parsed.ok ? parsed.epochMs : undefined });
    }
    fc.assert(
      fc.property(instants, (ms) => {
        const text = formatTime(ms);
        expect(parseTime(text.replace('Z', '+00:00'))).toBe(parseTime(text));
      }),
    );
  });
  it('are normal in UTC, to the second', () => {
    expect(normalizeTime('2024-01-01T00:00:00.9+02:00')).toBe('2023-12-31T22:00:00Z');
    expect(normalizeTime('yesterday')).toBeUndefined();
  });
  it('refuse years that four digits cannot write', () => {
    expect(() => formatTime(253402300800000)).toThrow(RangeError);
    expect(() => formatTime(Number.NaN)).toThrow(RangeError);
  });
  it('print the microseconds of times before 1970', () => {
    expect(formatMicroTime(-0.001)).toBe('1969-12-31T23:59:59.999999Z');
    expect(formatMicroTime(1.5)).toBe('1970-01-01T00:00:00.001500Z');
  });
});

describe('durations in milliseconds', () => {
  it('read and print', () => {
    expect(parseGoDuration('1h30m')).toBe(5_400_000);
    expect(parseGoDuration('1.5ms')).toBe(1.5);
    expect(parseGoDuration('soon')).toBeUndefined();
    expect(formatGoDuration(5_400_000)).toBe('1h30m0s');
    expect(formatGoDuration(0.25)).toBe('250µs');
  });
  it('are quick to refuse what is absurdly long', () => {
    expect(parseGoDuration(`${'1'.repeat(1_000_000)}s`)).toBeUndefined();
  });
  it('round-trip', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (nanos) => {
        expect(readGoDuration(formatNanos(nanos))).toEqual({ ok: true, nanos });
      }),
    );
  });
});
