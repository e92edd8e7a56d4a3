/** Metrics of webhook requests, under the names that dashboards for controller-runtime query. */
import { exponentialBuckets, type Metrics } from '../metrics/metrics.ts';

export interface WebhookMetrics {
  answered(path: string, status: number, seconds: number): void;
}

export function webhookMetrics(metrics: Metrics): WebhookMetrics {
  const requests = metrics.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Admission requests by webhook and HTTP status code.',
    labels: ['webhook', 'code'],
  });
  const latency = metrics.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long admission requests took.',
    labels: ['webhook'],
    buckets: exponentialBuckets(0.0005, 2, 14),
  });
  return {
    answered(path, status, seconds) {
      requests.with({ webhook: path, code: String(status) }).inc();
      latency.with({ webhook: path }).observe(seconds);
    },
  };
}
