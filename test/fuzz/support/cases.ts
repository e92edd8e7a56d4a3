/** Counts the cases of a suite, asserts that there were as many as planned, and says how many to draw. */
import { appendFileSync } from 'node:fs';
import type { Parameters } from 'fast-check';
import { afterAll, expect } from 'vitest';
import { COUNTS_FILE } from './counts.ts';
import { PLAN, type SuiteName } from './plan.ts';

const SCALE = Number(process.env['EVERYNODE_FUZZ_SCALE'] ?? 1);
const PATH = process.env['EVERYNODE_FUZZ_PATH'];

export const TIMEOUT = Math.max(1, SCALE) * 300_000;

export interface Cases {
  /** So many more inputs were judged. */
  count(more?: number): void;
  /** For a property that has a share of the suite's cases, and on average `each` of them in a run. */
  settings<T>(share: number, each?: number): Parameters<T>;
}

export function cases(suite: SuiteName): Cases {
  let judged = 0;
  const planned = PLAN[suite] * SCALE;
  afterAll(() => {
    const file = process.env[COUNTS_FILE];
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ suite, judged })}\n`);
    // A suite that draws less than it says finds nothing, and nobody would notice.
    if (PATH === undefined) expect(judged, `cases of ${suite}`).toBeGreaterThanOrEqual(Math.floor(planned));
  });
  return {
    count(more = 1) {
      judged += more;
    },
    settings: (share, each = 1) => ({
      numRuns: Math.max(1, Math.ceil((planned * share) / each)),
      ...(PATH === undefined ? {} : { path: PATH }),
    }),
  };
}
