import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldErrorMessage } from './field-errors.ts';
import {
  compareResourceVersions,
  formatResourceVersion,
  invalidResourceVersion,
  newer,
  parseResourceVersion,
  validateListOptions,
} from './resource-version.ts';

describe('resourceVersions', () => {
  it('are decimal numbers; none and "0" mean any', () => {
    expect(parseResourceVersion('')).toEqual({ ok: true, revision: 0 });
    expect(parseResourceVersion('0')).toEqual({ ok: true, revision: 0 });
    expect(parseResourceVersion('42')).toEqual({ ok: true, revision: 42 });
    expect(formatResourceVersion(42)).toBe('42');
  });
  it.each([
    ['abc', 'strconv.ParseUint: parsing "abc": invalid syntax'],
    ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ['1.5', 'strconv.ParseUint: parsing "1.5": invalid syntax'],
    ['99999999999999999999', 'strconv.ParseUint: parsing "99999999999999999999": value out of range'],
  ])('refuse %s in upstream words', (text, why) => {
    const parsed = parseResourceVersion(text);
    if (parsed.ok) throw new Error('accepted');
    expect(fieldErrorMessage(parsed.error)).toBe(`resourceVersion: Invalid value: "${text}": ${why}`);
    expect(invalidResourceVersion({ group: '', resource: 'pods' }, parsed.error).message).toBe(
      `pods "" is invalid: resourceVersion: Invalid value: "${text}": ${why}`,
    );
  });
  it('compare at any length', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 25n), fc.bigInt(1n, 10n ** 25n), (a, b) => {
        expect(compareResourceVersions(a.toString(), b.toString())).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
    expect(compareResourceVersions('0', '1')).toBeUndefined();
    expect(compareResourceVersions('01', '1')).toBeUndefined();
    expect(compareResourceVersions('1', 'x')).toBeUndefined();
  });
  it.each(['', '0', '07', '-1', 'abc', '1.5', '1e3'])('cannot be ordered when one is %j', (odd) => {
    expect(compareResourceVersions(odd, '5')).toBeUndefined();
    expect(compareResourceVersions(odd, odd)).toBe(0);
  });
  it('tell which state of an object is the newer one, and nothing of two objects', () => {
    const at = (resourceVersion: string, uid = 'u') => ({ metadata: { uid, resourceVersion } });
    const [older, later, other] = [at('9'), at('10'), at('11', 'v')];
    expect(newer(older, later)).toBe(later);
    expect(newer(later, older)).toBe(later);
    expect(newer(older, other)).toBe(older);
    expect(newer(older, undefined)).toBe(older);
    expect(newer(at('x'), older)).toEqual(at('x'));
  });
});

describe('list options', () => {
  const messages = (options: Parameters<typeof validateListOptions>[0]): readonly string[] =>
    validateListOptions(options).map(fieldErrorMessage);
  it('that go together pass', () => {
    expect(messages({})).toEqual([]);
    expect(messages({ resourceVersion: '5', resourceVersionMatch: 'Exact' })).toEqual([]);
    expect(messages({ watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })).toEqual([]);
    expect(messages({ watch: true, resourceVersion: '5' })).toEqual([]);
  });
  it('of a list', () => {
    expect(messages({ resourceVersionMatch: 'Exact', continue: 'x' })).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ]);
    expect(messages({ resourceVersion: '0', resourceVersionMatch: 'Exact' })).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ]);
    expect(messages({ resourceVersion: '1', resourceVersionMatch: 'x', sendInitialEvents: false })).toEqual([
      'resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ]);
  });
  it('of a watch', () => {
    expect(messages({ watch: true, sendInitialEvents: true })).toEqual([
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ]);
    expect(messages({ watch: true, resourceVersionMatch: 'Exact', continue: 'x' })).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ]);
  });
});
