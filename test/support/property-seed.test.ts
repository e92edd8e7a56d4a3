import fc from 'fast-check';
import { expect, it } from 'vitest';

it.skipIf(process.env['EVERYNODE_SEED'] !== undefined)('draws the same cases on every run', () => {
  expect(fc.readConfigureGlobal()).toMatchObject({ seed: 20_261 });
  expect(fc.sample(fc.nat(), 3)).toEqual(fc.sample(fc.nat(), 3));
});
