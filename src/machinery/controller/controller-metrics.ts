/** Controller metrics under the names controller-runtime gave them. */
import type { Metrics } from '../metrics/metrics.ts';

type ReconcileOutcome = 'success' | 'error' | 'requeue_after';

export interface ControllerMetrics {
  started(): void;
  finished(outcome: ReconcileOutcome, tookMs: number): void;
  terminal(): void;
  panicked(): void;
}

const TIME_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const name = (suffix: string): string => `controller_runtime_${suffix}`;

export function createControllerMetrics(metrics: Metrics, controller: string, concurrency: number): ControllerMetrics {
  const labels = ['controller'];
  const counter = (suffix: string, help: string) =>
    metrics.counter({ name: name(suffix), help, labels }).with({ controller });
  const total = metrics.counter({
    name: name('reconcile_total'),
    help: 'Reconciles by their result',
    labels: ['controller', 'result'],
  });
  const outcomes = {
    success: total.with({ controller, result: 'success' }),
    error: total.with({ controller, result: 'error' }),
    requeue_after: total.with({ controller, result: 'requeue_after' }),
  };
  const errors = counter('reconcile_errors_total', 'Reconciles that failed');
  const terminals = counter('terminal_reconcile_errors_total', 'Reconciles that failed and are not tried again');
  const panics = counter('reconcile_panics_total', 'Reconciles that failed by an error in the program');
  const time = metrics
    .histogram({
      name: name('reconcile_time_seconds'),
      help: 'Seconds a reconcile took',
      labels,
      buckets: TIME_BUCKETS,
    })
    .with({ controller });
  const gauge = (suffix: string, help: string) =>
    metrics.gauge({ name: name(suffix), help, labels }).with({ controller });
  gauge('max_concurrent_reconciles', 'Reconciles that may run at the same time').set(concurrency);
  const active = gauge('active_workers', 'Reconciles running now');

  let running = 0;
  return {
    started() {
      running += 1;
      active.set(running);
    },
    finished(outcome, tookMs) {
      running -= 1;
      active.set(running);
      outcomes[outcome].inc();
      if (outcome === 'error') errors.inc();
      time.observe(tookMs / 1000);
    },
    terminal: () => terminals.inc(),
    panicked: () => panics.inc(),
  };
}
