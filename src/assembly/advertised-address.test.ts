import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { advertisedAddress } from './advertised-address.ts';

const card = (address: string, internal = false): NetworkInterfaceInfo =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

describe('the address others know', () => {
  it('is the one that is bound, where that is one of this machine', () => {
    expect(advertisedAddress('192.0.2.7', { eth0: [card('192.0.2.1')] })).toBe('192.0.2.7');
    expect(advertisedAddress('2001:db8::1', {})).toBe('2001:db8::1');
  });

  it('is the first of the machine where none or a local one is bound', () => {
    const interfaces = {
      lo: [card('127.0.0.1', true)],
      eth0: [card('fe80::1'), card('169.254.1.1'), card('192.0.2.1')],
    };
    for (const bind of ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost']) {
      expect(advertisedAddress(bind, interfaces)).toBe('192.0.2.1');
    }
  });

  it('is none on a machine without a network', () => {
    expect(advertisedAddress('127.0.0.1', { lo: [card('127.0.0.1', true)] })).toBeUndefined();
  });
});
