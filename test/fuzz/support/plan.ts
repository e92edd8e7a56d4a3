/**
 * fuzz/ — everything that takes input from outside, under input that nobody would send in good faith. Each suite draws
 * cases from a seed and judges them by a model or an invariant; a failure prints its seed and path and is shrunk.
 *
 * The seed is fixed; `EVERYNODE_SEED=random` hunts. `EVERYNODE_FUZZ_SCALE=10` draws ten times as many cases, `0.1` a tenth.
 * `EVERYNODE_SEED=<seed> EVERYNODE_FUZZ_PATH=<path>` shows a failure again.
 *
 * This file: how many cases a full run has at least, suite by suite. One case is one input that was judged: a request, a
 * patch, an object, what one watcher saw.
 */

export const PLAN = {
  'wire.test.ts': 4_000,
  'sockets.test.ts': 500,
  'handlers.test.ts': 22_500,
  'custom.test.ts': 8_000,
  'json-patch.test.ts': 12_000,
  'strategic-merge.test.ts': 12_000,
  'apply.test.ts': 6_000,
  'patches.test.ts': 1_000,
  'protobuf.test.ts': 16_000,
  'watches.test.ts': 5_000,
  'schemas.test.ts': 16_000,
  'stalls.test.ts': 1_000,
} as const;

export type SuiteName = keyof typeof PLAN;

/** What must not be fallen short of, whatever happens to the single suites. */
export const LEAST_CASES = 100_000;
