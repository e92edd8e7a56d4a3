import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIP } from '../../kube/ip.ts';
import { nextClusterIP } from './cluster-ip.ts';

describe('service addresses', () => {
  it('come from above the part kept for chosen ones, and from it at last', () => {
    const used = new Set<string>();
    const given: string[] = [];
    for (let ip = nextClusterIP(used, '10.0.0.0/24'); ip !== undefined; ip = nextClusterIP(used, '10.0.0.0/24')) {
      used.add(ip);
      given.push(ip);
    }
    expect(given[0]).toBe('10.0.0.17');
    expect(given).toHaveLength(254);
    expect(given.at(-1)).toBe('10.0.0.16');
    expect(used.has('10.0.0.0')).toBe(false);
    expect(used.has('10.0.0.255')).toBe(false);
  });

  it('stay within their range and are never given twice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 30 }),
        fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 20 }),
        (prefix, taken) => {
          const cidr = `10.20.0.0/${prefix}`;
          const used = new Set(taken.map((host) => `10.20.0.${host}`));
          const ip = nextClusterIP(used, cidr);
          if (ip === undefined) return;
          const bytes = parseIP(ip)?.bytes ?? [];
          const host = (bytes[2] ?? 0) * 256 + (bytes[3] ?? 0);
          expect(used.has(ip)).toBe(false);
          expect(host).toBeGreaterThan(0);
          expect(host).toBeLessThan(2 ** (32 - prefix) - 1);
        },
      ),
    );
  });

  it('exist for the other family, and not for what is no range', () => {
    expect(nextClusterIP(new Set(), 'fd00::/108')).toBe('fd00::101');
    expect(nextClusterIP(new Set(), 'nonsense')).toBeUndefined();
  });
});
