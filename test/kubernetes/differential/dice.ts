/** Chance for generators, in the words they need. A seed always makes the same cases. */
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';

export interface Dice {
  chance(percent: number): boolean;
  /** An integer from 0, less than the bound. */
  upTo(bound: number): number;
  pick<T>(choices: readonly T[]): T;
  /** None up to so many. */
  some<T>(most: number, make: (index: number) => T): T[];
  /** The value, or nothing at all: for spreading into an object. */
  maybe<T extends object>(percent: number, make: () => T): T | Record<string, never>;
}

export function createDice(seed: string): Dice {
  const random = createSeededRandom(seed);
  const chance = (percent: number): boolean => random.next() * 100 < percent;
  return {
    chance,
    upTo: (bound) => random.integer(bound),
    pick: <T>(choices: readonly T[]): T => choices[random.integer(choices.length)] as T,
    some: (most, make) => Array.from({ length: random.integer(most + 1) }, (_, index) => make(index)),
    maybe: (percent, make) => (chance(percent) ? make() : {}),
  };
}
