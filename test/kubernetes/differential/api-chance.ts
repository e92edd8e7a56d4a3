/** Dice with weights, for the generators of requests. */
import { createDice, type Dice } from './dice.ts';

export interface Chance extends Dice {
  happens(percent: number): boolean;
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
}

export function chanceOf(seed: string): Chance {
  const dice = createDice(seed);
  return {
    ...dice,
    happens: dice.chance,
    weighted(from) {
      let left = dice.upTo(from.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, value] of from) if ((left -= weight) < 0) return value;
      throw new Error('nothing to choose from');
    },
  };
}
