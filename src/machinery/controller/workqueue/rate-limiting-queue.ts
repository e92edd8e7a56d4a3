import { noQueueMetrics } from './queue-metrics.ts';
import { createDelayingQueue, type DelayingQueue, type DelayingQueueOptions } from './delaying-queue.ts';
import { createControllerLimiter, type RateLimiter } from './rate-limiter.ts';

export interface RateLimitingQueue<K> extends DelayingQueue<K> {
  /** Adds the key when its limiter allows; each call counts as a failure of the key. */
  addRateLimited(key: K): void;
  /** The key is fine: its next failure waits as little as its first did. Does not take it out of the queue. */
  forget(key: K): void;
  retries(key: K): number;
}

export type RateLimitingQueueOptions<K> = DelayingQueueOptions<K> & { readonly limiter?: RateLimiter<K> };

export function createRateLimitingQueue<K>(options: RateLimitingQueueOptions<K>): RateLimitingQueue<K> {
  const queue = createDelayingQueue(options);
  const limiter = options.limiter ?? createControllerLimiter<K>(options.clock, options.identify);
  const metrics = options.metrics ?? noQueueMetrics;
  // Object.defineProperties keeps the getters of the queue inside; a spread would freeze their values.
  return Object.defineProperties(
    {
      addRateLimited(key: K): void {
        metrics.retried();
        queue.addAfter(key, limiter.when(key));
      },
      forget: (key: K): void => limiter.forget(key),
      retries: (key: K): number => limiter.retries(key),
    },
    Object.getOwnPropertyDescriptors(queue),
  ) as RateLimitingQueue<K>;
}
