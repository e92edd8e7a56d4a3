import type { Clock } from './clock.ts';

/** An error named as the platform names it, so that `isAbortError` and other libraries recognise it. */
export function abortError(message = 'This operation was aborted'): Error {
  return new DOMException(message, 'AbortError');
}

export function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** True when the failure is nothing but the echo of the signal that the caller itself gave. */
export function wasAborted(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && (error === signal.reason || isAbortError(error));
}

/** A controller that fires with its parent. `release` cuts the tie, since a parent that lives long gathers listeners. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  release(): void;
}

export function linkAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  const release = (): void => parent?.removeEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    abort: (reason: unknown = abortError()) => controller.abort(reason),
    release,
    [Symbol.dispose]: release,
  };
}

/** A signal that fires with its parent or after `ms`, with a `TimeoutError`. */
export function abortAfter(clock: Clock, ms: number, parent?: AbortSignal): LinkedAbort {
  const link = linkAbort(parent);
  const timer = clock.after(ms, () =>
    link.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
  );
  const release = (): void => {
    timer.cancel();
    link.release();
  };
  return { signal: link.signal, abort: (reason) => link.abort(reason), release, [Symbol.dispose]: release };
}

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The promise's outcome, or the signal's reason if that comes first. The promise itself goes on unheard. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => undefined);
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    promise.finally(settle).then(resolve, reject);
  });
}
