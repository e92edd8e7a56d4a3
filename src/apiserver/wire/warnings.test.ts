import { describe, expect, it } from 'vitest';
import { warningHeaders } from './warnings.ts';

describe('warnings', () => {
  it('are quoted, and each is said once', () => {
    expect(warningHeaders(['unknown field "a\\b"', 'x', '', 'x'])).toEqual([
      String.raw`299 - "unknown field \"a\\b\""`,
      '299 - "x"',
    ]);
  });

  it('cannot break out of their header', () => {
    expect(warningHeaders(['a"\r\nset-cookie: b\u0000\u2028'])).toEqual([String.raw`299 - "a\"  set-cookie: b  "`]);
  });

  it('keep words of all languages, as bytes', () => {
    const [header = ''] = warningHeaders(['größer \ud800 語']);
    expect(Buffer.from(header, 'latin1').toString('utf8')).toBe('299 - "größer \ufffd 語"');
  });

  it('are cut and left out when there are too many, never in the middle of an escape', () => {
    const many = warningHeaders(Array.from({ length: 20_000 }, (_, i) => `"${i}${'\\'.repeat(500)}`));
    expect(many).toHaveLength(16);
    for (const header of many) expect(header).toMatch(/^299 - "(?:[^"\\]|\\["\\])*"$/);
    expect(many.join('').length).toBeLessThan(16 * 1024);
    expect(warningHeaders(['y'.repeat(10_000)])).toEqual([`299 - "${'y'.repeat(256)}"`]);
    expect(warningHeaders(['z'.repeat(4096)])[0]).toHaveLength(4096 + 8);
  });
});
