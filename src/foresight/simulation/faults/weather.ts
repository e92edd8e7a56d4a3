/**
 * The kinds of fault that a seed has, and their rates. Most seeds have a few kinds only, some much and some little of
 * each: a storm of everything at once hides the effect of two rare faults together.
 */
import type { SeededRandom } from '../../../machinery/random/seeded-random.ts';

export interface Weather {
  /** The chance of each at one write, read or opened watch. */
  readonly overtaken: number;
  readonly refused: number;
  readonly answerLost: number;
  readonly delayed: number;
  readonly crash: number;
  readonly readTrouble: number;
  readonly dropped: number;
  readonly expired: number;
  readonly lagging: number;
  readonly replayed: number;
  /** Number of times each actor ends at a moment of its own. */
  readonly crashes: number;
  readonly latencyMs: number;
  /** Objects a page, for lists that have to be continued. */
  readonly pageSize: number;
  readonly streamingList: boolean;
}

const RATES = [0.02, 0.08, 0.25];
const WATCH_RATES = [0.2, 0.5, 0.9];

export function weatherOf(random: SeededRandom): Weather {
  const chance = (name: string, rates: readonly number[]): number => {
    const dice = random.fork(name);
    return dice.integer(2) === 0 ? 0 : (rates[dice.integer(rates.length)] ?? 0);
  };
  const pick = <T>(name: string, values: readonly T[]): T => {
    const value = values[random.fork(name).integer(values.length)];
    if (value === undefined) throw new RangeError(`nothing to pick for ${name}`);
    return value;
  };
  return {
    overtaken: chance('overtaken', RATES),
    refused: chance('refused', RATES),
    answerLost: chance('answer-lost', RATES),
    delayed: chance('delayed', RATES),
    crash: chance('crash', [0.01, 0.03, 0.08]),
    readTrouble: chance('read', RATES),
    dropped: chance('dropped', WATCH_RATES),
    expired: chance('expired', WATCH_RATES),
    lagging: chance('lagging', WATCH_RATES),
    replayed: chance('replayed', WATCH_RATES),
    crashes: pick('crashes', [0, 0, 0, 1, 2]),
    latencyMs: pick('latency', [0, 0, 5, 40, 400]),
    pageSize: pick('page', [500, 500, 3]),
    streamingList: pick('streaming', [false, true]),
  };
}

/** Nothing goes wrong. */
export const CALM: Weather = {
  overtaken: 0,
  refused: 0,
  answerLost: 0,
  delayed: 0,
  crash: 0,
  readTrouble: 0,
  dropped: 0,
  expired: 0,
  lagging: 0,
  replayed: 0,
  crashes: 0,
  latencyMs: 0,
  pageSize: 500,
  streamingList: false,
};
