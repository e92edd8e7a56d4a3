import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LEAST_CASES, PLAN } from './support/plan.ts';

it('plans enough cases, and has a suite for each part of the plan', () => {
  const suites = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.test.ts') && name !== 'plan.test.ts',
  );
  expect(suites.toSorted()).toEqual(Object.keys(PLAN).toSorted());
  expect(Object.values(PLAN).reduce<number>((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(LEAST_CASES);
});
