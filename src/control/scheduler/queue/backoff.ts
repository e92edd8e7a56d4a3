/**
 * How long a pod pauses after a failed attempt: a second, doubled with each failure, ten at most. Ends are counted in
 * windows of a second, so that pods of one window come back in the order of their priority.
 */
import type { QueuedPod } from './queued-pod.ts';

const WINDOW_MS = 1000;

export interface BackoffTimes {
  readonly initialMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffTimes = { initialMs: 1000, maxMs: 10_000 };

const windowOf = (time: number): number => Math.floor(time / WINDOW_MS) * WINDOW_MS;

/** Errors count by themselves: a server that was away must not make a pod pause as if it had been refused ten times. */
export function backoffUntil(entry: QueuedPod, times: BackoffTimes): number {
  const failures = entry.errors > 0 ? entry.errors : entry.refusals;
  if (failures === 0) return -1;
  // Past thirty doublings the maximum has long been reached, and the number would grow out of bounds.
  const pause = Math.min(times.maxMs, times.initialMs * 2 ** Math.min(failures - 1, 30));
  return windowOf(entry.since + pause);
}

export const isBackingOff = (entry: QueuedPod, now: number): boolean => entry.backoffUntil >= windowOf(now);

/** When a pause that runs is over. */
export const endOfBackoff = (entry: QueuedPod): number => entry.backoffUntil + WINDOW_MS;
