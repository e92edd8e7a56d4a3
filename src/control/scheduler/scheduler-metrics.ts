/** Metrics under the names that dashboards for kube-scheduler query. */
import { exponentialBuckets, type Metrics } from '../../machinery/metrics/metrics.ts';
import type { QueueCounts } from './queue/scheduling-queue.ts';

export interface SchedulerMetrics {
  attempted(result: 'scheduled' | 'unschedulable' | 'error', ms: number): void;
  /** `undefined` when no victim was selected. */
  preempted(victims: number | undefined): void;
}

export function createSchedulerMetrics(metrics: Metrics, profile: string, counts: () => QueueCounts): SchedulerMetrics {
  const attempts = metrics.counter({
    name: 'scheduler_schedule_attempts_total',
    help: 'Number of attempts to schedule pods, by the result',
    labels: ['result', 'profile'],
  });
  const durations = metrics.histogram({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'Scheduling attempt latency in seconds, binding included',
    labels: ['result', 'profile'],
    buckets: exponentialBuckets(0.001, 2, 15),
  });
  const preemptions = metrics
    .counter({ name: 'scheduler_preemption_attempts_total', help: 'Preemption attempts so far', labels: [] })
    .with({});
  const victims = metrics
    .histogram({
      name: 'scheduler_preemption_victims',
      help: 'Number of selected preemption victims',
      labels: [],
      buckets: exponentialBuckets(1, 2, 7),
    })
    .with({});
  const pending = metrics.gauge({
    name: 'scheduler_pending_pods',
    help: 'Number of pending pods, by the queue they are in',
    labels: ['queue'],
  });
  const queues = (['active', 'backoff', 'unschedulable', 'gated'] as const).map((queue) => ({
    queue,
    gauge: pending.with({ queue }),
  }));
  metrics.onCollect(() => {
    const now = counts();
    for (const { queue, gauge } of queues) gauge.set(now[queue]);
  });
  const of = (result: string) => {
    const labels = { result, profile };
    return { count: attempts.with(labels), seconds: durations.with(labels) };
  };
  const results = { scheduled: of('scheduled'), unschedulable: of('unschedulable'), error: of('error') };

  return {
    attempted(result, ms) {
      results[result].count.inc();
      results[result].seconds.observe(ms / 1000);
    },
    preempted(count) {
      preemptions.inc();
      if (count !== undefined) victims.observe(count);
    },
  };
}
