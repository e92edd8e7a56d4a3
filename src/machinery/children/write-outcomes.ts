/** How a write ended, where "no" is not the only other answer to "yes". */
import { isStatus, StatusError } from '../../core/kube/status-error.ts';

/** A namespace on its way out takes nothing new; what we work for goes with it. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/** The server said neither yes nor no: the write may have happened. */
export const isUnclear = (error: unknown): boolean =>
  !(error instanceof StatusError) || error.code >= 500 || isStatus(error, 'Timeout');

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Waits for all, then throws the first failure: nothing goes on behind the caller's back. */
export async function allOf(writes: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(writes);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** One first, then twice as many while all goes well: an error that all would meet (a quota, a webhook) is met once. */
export async function slowStart<T>(
  items: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let at = 0, size = 1; at < items.length; size = Math.min(size * 2, atOnce)) {
    const batch = items.slice(at, at + size);
    at += batch.length;
    await allOf(batch.map(work));
    signal.throwIfAborted();
  }
}
