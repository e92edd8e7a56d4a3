/** Durations and failures of reconciles, under the names that dashboards of the existing operator query. */
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Reconciler } from '../../../machinery/controller/controller.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The reconciler, measured; the same one where nothing is measured. */
export function measured<K>(
  { clock, metrics }: Pick<Surroundings, 'clock' | 'metrics'>,
  controller: string,
  reconcile: Reconciler<K>,
): Reconciler<K> {
  if (metrics === undefined) return reconcile;
  const durations = metrics.histogram({
    name: 'korder_reconciliation_duration_seconds',
    help: 'Seconds a reconcile of Orders, Tickets or nodes took',
    labels: ['controller', 'result'],
    buckets: BUCKETS,
  });
  const errors = metrics.counter({
    name: 'korder_reconciliation_errors_total',
    help: 'Reconciles of Orders, Tickets or nodes that failed',
    labels: ['controller', 'error_type'],
  });
  const success = durations.with({ controller, result: 'success' });
  const failure = durations.with({ controller, result: 'error' });
  return async (key, signal) => {
    const began = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - began) / 1000;
    try {
      const result = await reconcile(key, signal);
      success.observe(seconds());
      return result;
    } catch (error) {
      if (!wasAborted(error, signal)) {
        failure.observe(seconds());
        errors.with({ controller, error_type: typeOf(error) }).inc();
      }
      throw error;
    }
  };
}

const typeOf = (error: unknown): string => {
  if (error instanceof StatusError) return error.status.reason ?? 'Unknown';
  return error instanceof Error ? error.name : 'Unknown';
};
