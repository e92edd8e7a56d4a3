import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGolden } from './golden/read.ts';
import { childName, childSuffix, fnv1a32, fnv1a64, fnv1a64Hex, fnv1x32, murmur128, safeEncode } from './hash.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from './names.ts';

interface Table {
  readonly hashes: readonly (readonly [text: string, fnv32: number, fnv32a: number, fnv64a: string, safe: string])[];
}

describe('FNV', () => {
  it('agrees with Go', () => {
    for (const [text, fnv32, fnv32a, fnv64a, safe] of (readGolden('time') as Table).hashes) {
      expect({ text, h: [fnv1x32(text), fnv1a32(text), fnv1a64Hex(text)] }).toEqual({
        text,
        h: [fnv32, fnv32a, fnv64a],
      });
      expect(safeEncode(String(fnv1a32(text)))).toBe(safe);
    }
  });
  it('hashes text and its bytes alike, and agrees with arithmetic on wide integers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = new TextEncoder().encode(text);
        let wide = 0xcbf29ce484222325n;
        for (const byte of bytes) wide = BigInt.asUintN(64, (wide ^ BigInt(byte)) * 0x100000001b3n);
        expect(fnv1a64(text)).toBe(wide);
        expect(fnv1a64(bytes)).toBe(wide);
        expect(fnv1a32(bytes)).toBe(fnv1a32(text));
      }),
    );
  });
});

describe('murmur128', () => {
  it('passes the verification of its reference test suite', () => {
    // Keys 0, 0 1, 0 1 2, … each with its own seed; the hash of all the hashes is the published number.
    const all = new Uint8Array(256 * 16);
    const view = new DataView(all.buffer);
    for (let i = 0; i < 256; i++) {
      const key = Uint8Array.from({ length: i }, (_, n) => n);
      murmur128(key, 256 - i).forEach((word, n) => view.setUint32(i * 16 + n * 4, word, true));
    }
    expect(murmur128(all)[0].toString(16)).toBe('b3ece62a');
  });
});

describe('childName', () => {
  const parts = ['owner-uid', 'node-uid', 'revision', ''];
  it('never changes: stored objects carry these names', () => {
    expect(childName('log-agent', parts)).toBe('log-agent-rs56qfj8hjjwcqkfgd');
  });
  it('tells parts apart', () => {
    expect(childSuffix(['ab', 'c'])).not.toBe(childSuffix(['a', 'bc']));
    expect(childSuffix(['a', ''])).not.toBe(childSuffix(['a']));
    expect(childSuffix(['1:a'])).not.toBe(childSuffix(['', 'a']));
  });
  it('is a valid label of at most 63 characters for any valid base', () => {
    const base = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?$/);
    fc.assert(
      fc.property(base, fc.array(fc.string()), (name, list) => {
        expect(dns1123LabelProblems(childName(name, list))).toEqual([]);
      }),
    );
  });
  it('is a valid subdomain when dots are in the base, wherever it is cut', () => {
    for (let length = 1; length < 80; length++) {
      const base = 'ab.cd-ef.'.repeat(10).slice(0, length);
      expect(dns1123SubdomainProblems(childName(base, parts))).toEqual([]);
      expect(childName(base, parts, 253)).toHaveLength(base.replace(/[-.]+$/, '').length + 19);
    }
  });
  it('does not collide among 50,000 nodes that differ in one character', () => {
    const names = new Set<string>();
    for (let i = 0; i < 50_000; i++) names.add(childName('agent', ['uid', `node-${i}`, '1']));
    expect(names.size).toBe(50_000);
  });
  it('spreads evenly over the alphabet in every place', () => {
    const counts = Array.from({ length: 18 }, () => new Map<string, number>());
    for (let i = 0; i < 27_000; i++) {
      const suffix = childSuffix([String(i)]);
      counts.forEach((count, place) => count.set(suffix.charAt(place), (count.get(suffix.charAt(place)) ?? 0) + 1));
    }
    for (const count of counts) {
      expect(count.size).toBe(27);
      expect(Math.max(...count.values())).toBeLessThan(1300);
    }
  });
});
