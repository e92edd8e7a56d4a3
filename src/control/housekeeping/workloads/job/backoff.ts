/** How long a Job waits after failures: ten seconds, doubling up to ten minutes, forgotten with the next success. Pure. */
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { finishedAt } from './job-pods.ts';

export interface Backoff {
  readonly failures: number;
  /** The time of the last failure (epoch ms). */
  readonly last: number;
}

export const NO_BACKOFF: Backoff = { failures: 0, last: 0 };

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** The record with pods that have ended since. Only failures after the last success count. */
export function nextBackoff(record: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const failures = failed.map(finishedAt);
  if (succeeded.length === 0) {
    if (failures.length === 0) return record;
    return { failures: record.failures + failures.length, last: Math.max(...failures) };
  }
  const lastSuccess = Math.max(...succeeded.map(finishedAt));
  const after = failures.filter((time) => time > lastSuccess);
  return after.length === 0 ? NO_BACKOFF : { failures: after.length, last: Math.max(...after) };
}

export function backoffLeft({ failures, last }: Backoff, now: number): number {
  if (failures === 0) return 0;
  return Math.max(0, Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 30), LONGEST_MS) - (now - last));
}
