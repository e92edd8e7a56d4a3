import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  familyOf,
  formatIP,
  isDualStack,
  parseCIDR,
  parseIP,
  validateCIDR,
  validateEndpointIP,
  validateIP,
  warningsForCIDR,
  warningsForIP,
} from './ip.ts';

const messages = (errors: readonly { readonly message: string }[]): string[] =>
  errors.map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, ''));

describe('addresses', () => {
  it('are read as the platform reads them, but for zones', () => {
    const part = fc.constantFrom('0', '1', 'ff', 'abcd', '255', '256', '::', ':', '.', '1.2.3.4', '00', 'g', '%eth0');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6(),
          fc.array(part, { maxLength: 9 }).map((p) => p.join(':')),
        ),
        (text) => {
          const ip = parseIP(text);
          const strict = ip?.strict === true;
          expect(strict).toBe(isIP(text) !== 0 && !text.includes('%'));
        },
      ),
    );
  });

  it('are written in canonical form, which reads back the same', () => {
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const bytes = groups.flatMap((value) => [value >> 8, value & 0xff]);
        const text = formatIP({ bytes });
        const back = parseIP(text);
        const mapped = back?.bytes.length === 4;
        expect(mapped ? [...Array(10).fill(0), 255, 255, ...back.bytes] : back?.bytes).toEqual(bytes);
        // The URL parser is an independent writer of RFC 5952.
        const url = `http://[${groups.map((g) => g.toString(16)).join(':')}]`;
        expect(`[${text}]`).toBe(mapped ? `[${text}]` : new URL(url).hostname);
      }),
    );
  });

  it('with leading zeros are read, but refused', () => {
    expect(parseIP('010.0.0.1')).toMatchObject({ bytes: [10, 0, 0, 1], strict: false });
    expect(messages(validateIP('p', '010.0.0.1'))).toEqual(['must not have leading 0s']);
    expect(validateIP('p', '010.0.0.1', ['010.0.0.1'])).toEqual([]);
    expect(messages(validateIP('p', '::ffff:1.2.3.4'))).toEqual(['must not be an IPv4-mapped IPv6 address']);
    expect(messages(validateIP('p', 'nonsense'))).toEqual([
      'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
    expect(parseIP('1'.repeat(100_000))).toBeUndefined();
  });

  it('belong to a family', () => {
    const family = (text: string) => familyOf(parseIP(text) ?? { bytes: [], strict: false });
    expect(['1.2.3.4', '::ffff:1.2.3.4', '::1'].map(family)).toEqual(['IPv4', 'IPv4', 'IPv6']);
    expect(isDualStack(['1.2.3.4', 'fd00::1'].map(parseIP))).toBe(true);
    expect(isDualStack(['1.2.3.4', '5.6.7.8'].map(parseIP))).toBe(false);
  });

  it.each([
    ['0.0.0.0', 'may not be unspecified (0.0.0.0)'],
    ['127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['fe80::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ['ff02::5', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ])('%s is nobody’s endpoint', (ip, message) => {
    expect(messages(validateEndpointIP('p', ip))).toEqual([message]);
  });

  it('that are not well written earn a warning', () => {
    expect(warningsForIP('p', '1.2.3.4')).toEqual([]);
    expect(warningsForIP('p', '01.2.3.4')).toEqual(['p: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"']);
    expect(warningsForIP('p', 'FD00::0:1')).toEqual([
      'p: IPv6 address "FD00::0:1" should be in RFC 5952 canonical format ("fd00::1")',
    ]);
  });
});

describe('ranges', () => {
  it.each([
    ['10.0.0.0/8', []],
    ['0.0.0.0/0', []],
    ['fd00::/64', []],
    ['10.0.0.1/8', ['must not have bits set beyond the prefix length']],
    ['10.0.0.0/08', ['must not have leading 0s in IP or prefix length']],
    ['::ffff:10.0.0.0/104', ['must not have an IPv4-mapped IPv6 address']],
    ['10.0.0.0/33', ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
    ['10.0.0.0', ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
    ['10.0.0.0/', ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
  ])('%s', (text, expected) => {
    expect(messages(validateCIDR('p', text))).toEqual(expected);
  });

  it('that are ambiguous or oddly written earn a warning', () => {
    expect(warningsForCIDR('p', '10.1.2.3/8')).toEqual([
      'p: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
    ]);
    expect(warningsForCIDR('p', 'FD00::/64')).toEqual([
      'p: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
    ]);
    expect(warningsForCIDR('p', '::ffff:10.0.0.0/104')).toEqual([
      'p: non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"',
    ]);
  });

  it('have ranges', () => {
    expect(parseCIDR('10.0.0.0/24')).toMatchObject({ prefix: 24 });
  });
});
