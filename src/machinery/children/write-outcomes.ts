/** The outcomes of a write beside "done" and "refused", and batches of writes. */
import { isStatus, StatusError } from '../../core/kube/status-error.ts';

/** The namespace is being deleted and lets no new object in; the owner is deleted with it. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/** No answer, or one that says neither yes nor no: the write may have happened. */
export const isUnclear = (error: unknown): boolean =>
  !(error instanceof StatusError) || error.code >= 500 || isStatus(error, 'Timeout');

/** The server refuses the object as it is: an unchanged retry cannot help. */
export const isRefused = (error: unknown): boolean =>
  (isStatus(error, 'Invalid') || isStatus(error, 'Forbidden')) && !isNamespaceTerminating(error);

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The answer; undefined for NotFound. */
export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Waits for all writes, then throws the first failure: no write is under way any more when the caller goes on. */
export async function allOf(writes: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(writes);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Runs `work` for all items, `atOnce` at a time. Stops after the first batch with a failure. */
export async function inBatches<T>(
  items: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    await allOf(items.slice(at, at + atOnce).map(work));
    signal.throwIfAborted();
  }
}

/** Like `inBatches`, but begins with one item and doubles: an error that all would meet (a quota, a webhook) is met once. */
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
