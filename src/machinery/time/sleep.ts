import type { Clock } from './clock.ts';

/** `Clock.sleep` in terms of `Clock.after`, the same for every clock. */
export function sleepWith(after: Clock['after']): Clock['sleep'] {
  return (delayMs, signal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
}
