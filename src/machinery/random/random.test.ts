import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Random } from './random.ts';
import { realRandom } from './real-random.ts';
import { createSeededRandom } from './seeded-random.ts';

const sources: readonly (readonly [string, () => Random])[] = [
  ['real', () => realRandom],
  ['seeded', () => createSeededRandom(42)],
];

describe.each(sources)('%s random', (_name, make) => {
  it('draws fractions in [0, 1) that spread evenly', () => {
    const random = make();
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 20_000; i += 1) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
      const bucket = Math.floor(value * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(400);
  });

  it('draws every integer below the bound and no other', () => {
    const random = make();
    const seen = new Set<number>();
    for (let i = 0; i < 2000; i += 1) seen.add(random.integer(7));
    expect([...seen].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(random.integer(1)).toBe(0);
    expect(random.integer(2 ** 40)).toBeLessThan(2 ** 40);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the bound %s', (bound) => {
    expect(() => make().integer(bound)).toThrow(RangeError);
  });

  it('makes suffixes of the asked length from the alphabet of generated names', () => {
    const random = make();
    for (const length of [0, 1, 5, 10, 63]) {
      expect(random.suffix(length)).toMatch(new RegExp(`^[bcdfghjklmnpqrstvwxz2456789]{${length}}$`));
    }
    const letters = new Set(random.suffix(2000));
    expect(letters.size).toBe(27);
  });

  it('makes version 4 UUIDs that do not repeat', () => {
    const random = make();
    const seen = new Set<string>();
    for (let i = 0; i < 2000; i += 1) {
      const uuid = random.uuid();
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      seen.add(uuid);
    }
    expect(seen.size).toBe(2000);
  });
});

const draw = (random: Random): readonly unknown[] => [
  random.next(),
  random.integer(1000),
  random.suffix(5),
  random.uuid(),
];

describe('seeded random', () => {
  it('repeats itself from the same seed and differs between seeds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.string()), (seed) => {
        expect(draw(createSeededRandom(seed))).toEqual(draw(createSeededRandom(seed)));
        expect(draw(createSeededRandom(seed))).not.toEqual(draw(createSeededRandom(`${seed} `)));
      }),
    );
  });

  it('never changes between releases, so that an old failing seed still replays', () => {
    const random = createSeededRandom('everynode');
    expect([random.integer(1_000_000), random.suffix(8), random.uuid()]).toMatchInlineSnapshot(`
      [
        826046,
        "v6f98bzl",
        "757fb847-acb9-4686-adae-43499379f8cf",
      ]
    `);
  });

  it('forks streams that neither draws from the parent nor the order of forking can shift', () => {
    const first = createSeededRandom(1);
    const a = draw(first.fork('a'));
    const second = createSeededRandom(1);
    second.next();
    second.fork('b').next();
    expect(draw(second.fork('a'))).toEqual(a);
    expect(draw(second.fork('b'))).not.toEqual(a);
  });
});
