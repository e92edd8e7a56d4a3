import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDomain, countInto, createDomainCounts, leastWith, podsIn } from './domain-counts.ts';

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('domain' as const), domain: fc.nat(7), delta: fc.constant(0) }),
    fc.record({ kind: fc.constant('count' as const), domain: fc.nat(7), delta: fc.integer({ min: -2, max: 3 }) }),
  ),
  { maxLength: 60 },
);

const naiveLeast = (model: ReadonlyMap<number, number>): number => Math.min(Infinity, ...model.values());

describe('domain counts', () => {
  it('know the least after every step, and what it would be after one more', () => {
    fc.assert(
      fc.property(steps, fc.nat(7), fc.integer({ min: -3, max: 3 }), (moves, probe, delta) => {
        const domains = createDomainCounts(8);
        const model = new Map<number, number>();
        for (const move of moves) {
          if (move.kind === 'domain') {
            addDomain(domains, move.domain);
            if (!model.has(move.domain)) model.set(move.domain, 0);
          } else {
            countInto(domains, move.domain, move.delta);
            const before = model.get(move.domain);
            if (before !== undefined) model.set(move.domain, before + move.delta);
          }
          expect(domains.least).toBe(naiveLeast(model));
          expect(domains.domains).toBe(model.size);
        }
        for (let domain = 0; domain < 8; domain++) expect(podsIn(domains, domain)).toBe(model.get(domain) ?? 0);
        const imagined = new Map(model);
        if (model.has(probe)) imagined.set(probe, (model.get(probe) ?? 0) + delta);
        expect(leastWith(domains, probe, delta)).toBe(naiveLeast(imagined));
      }),
    );
  });

  it('count nothing in domains nobody added, nor outside the numbers', () => {
    const domains = createDomainCounts(2);
    countInto(domains, 1, 5);
    countInto(domains, 9, 5);
    expect(podsIn(domains, 1)).toBe(0);
    expect(podsIn(domains, 9)).toBe(0);
    expect(podsIn(domains, -2)).toBe(0);
    expect(domains.least).toBe(Infinity);
  });
});
