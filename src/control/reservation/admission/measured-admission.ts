/** Durations and refusals of the webhook of Orders, Tickets and Quotas, under the names that dashboards of the existing operator query. */
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { AdmissionPlugin } from '../../../machinery/ports/admission.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The plugin, measured; the same one where nothing is measured. The webhook is named by the resource that it judges. */
export function measuredAdmission(
  plugin: AdmissionPlugin,
  { clock, metrics }: Pick<Surroundings, 'clock' | 'metrics'>,
): AdmissionPlugin {
  const { validate } = plugin;
  if (metrics === undefined || validate === undefined) return plugin;
  const durations = metrics.histogram({
    name: 'korder_webhook_duration_seconds',
    help: 'Seconds the judgement of an Order, Ticket or Quota took',
    labels: ['webhook', 'operation', 'result'],
    buckets: BUCKETS,
  });
  const errors = metrics.counter({
    name: 'korder_webhook_errors_total',
    help: 'Orders, Tickets and Quotas that were refused, or could not be judged',
    labels: ['webhook', 'operation', 'error_type'],
  });
  return {
    ...plugin,
    async validate(request) {
      const labels = { webhook: request.resource.resource, operation: request.operation.toLowerCase() };
      const began = clock.monotonic();
      const note = (result: string, error?: unknown): void => {
        durations.with({ ...labels, result }).observe((clock.monotonic() - began) / 1000);
        if (error !== undefined) errors.with({ ...labels, error_type: typeOf(error) }).inc();
      };
      try {
        const answer = await validate.call(plugin, request);
        if (answer.allowed) note('allowed');
        else note('denied', answer.error);
        return answer;
      } catch (error) {
        note('error', error);
        throw error;
      }
    },
  };
}

const typeOf = (error: unknown): string => {
  if (error instanceof StatusError) return error.status.reason ?? 'Unknown';
  return error instanceof Error ? error.name : 'Unknown';
};
