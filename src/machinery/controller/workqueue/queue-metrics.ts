/** The workqueue metrics that dashboards for client-go and controller-runtime query, under the same names. */
import { exponentialBuckets, type Metrics } from '../../metrics/metrics.ts';

export interface QueueMetrics {
  added(): void;
  /** A key was taken after it waited this many milliseconds. */
  taken(waitedMs: number): void;
  /** A key was done after this many milliseconds of work. */
  finished(workedMs: number): void;
  retried(): void;
  /** Registers the queue's view, which is read only when metrics are scraped. */
  observe(view: QueueView): void;
}

interface QueueView {
  depth(): number;
  /** When the work in progress began. */
  startedAt(): Iterable<number>;
  now(): number;
}

const nothing = (): void => undefined;

export const noQueueMetrics: QueueMetrics = {
  added: nothing,
  taken: nothing,
  finished: nothing,
  retried: nothing,
  observe: nothing,
};

export function createQueueMetrics(metrics: Metrics, name: string): QueueMetrics {
  const labels = ['name', 'controller'];
  const bound = { name, controller: name };
  const buckets = exponentialBuckets(1e-8, 10, 12);
  const counter = (metric: string, help: string) => metrics.counter({ name: metric, help, labels }).with(bound);
  const gauge = (metric: string, help: string) => metrics.gauge({ name: metric, help, labels }).with(bound);
  const histogram = (metric: string, help: string) =>
    metrics.histogram({ name: metric, help, labels, buckets }).with(bound);

  const adds = counter('workqueue_adds_total', 'Keys added to the queue');
  const retries = counter('workqueue_retries_total', 'Keys added again after a failure');
  const depth = gauge('workqueue_depth', 'Keys waiting in the queue');
  const unfinished = gauge('workqueue_unfinished_work_seconds', 'Seconds of work in progress, over all workers');
  const longest = gauge('workqueue_longest_running_processor_seconds', 'Seconds the longest running work has taken');
  const waiting = histogram('workqueue_queue_duration_seconds', 'Seconds a key waited in the queue');
  const working = histogram('workqueue_work_duration_seconds', 'Seconds the work on a key took');

  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    taken: (waitedMs) => waiting.observe(waitedMs / 1000),
    finished: (workedMs) => working.observe(workedMs / 1000),
    observe(view) {
      metrics.onCollect(() => {
        const now = view.now();
        let sum = 0;
        let max = 0;
        for (const start of view.startedAt()) {
          sum += now - start;
          max = Math.max(max, now - start);
        }
        depth.set(view.depth());
        unfinished.set(sum / 1000);
        longest.set(max / 1000);
      });
    },
  };
}
