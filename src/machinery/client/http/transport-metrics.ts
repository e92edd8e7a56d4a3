/** A client's requests to its server, under client-go's names. */
import type { Counter, Histogram, Metrics } from '../../metrics/metrics.ts';

export interface TransportMetrics {
  /** The server answered, with whatever code. */
  answered(method: string, code: number, tookMs: number): void;
  /** There was no answer. */
  broke(method: string): void;
  /** The server asked to come again later, and that will be done. */
  retried(method: string, code: number): void;
  /** The client's own limit made a request wait; for so long, which may be nothing. */
  waited(method: string, ms: number): void;
}

const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** As client-go has it, where there was no answer. */
const NO_CODE = '<error>';

export function createTransportMetrics(metrics: Metrics, host: string): TransportMetrics {
  const byCode = ['code', 'method', 'host'];
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'HTTP requests by status code, method and host',
    labels: byCode,
  });
  const retries = metrics.counter({
    name: 'rest_client_request_retries_total',
    help: 'HTTP requests sent once more because the server asked for it, by status code, verb and host',
    labels: ['code', 'verb', 'host'],
  });
  const byVerb = ['verb', 'host'];
  const took = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Seconds until the server began to answer',
    labels: byVerb,
    buckets: BUCKETS,
  });
  const limited = metrics.histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: "Seconds a request waited for the client's own rate limit",
    labels: byVerb,
    buckets: BUCKETS,
  });
  /** Bound once: a request pays for a look-up, not for a set of labels. */
  const counters = new Map<string, Counter>();
  const times = new Map<string, Histogram>();
  const waits = new Map<string, Histogram>();
  const count = (method: string, code: string): void => {
    const key = `${method} ${code}`;
    let counter = counters.get(key);
    if (counter === undefined) counters.set(key, (counter = requests.with({ code, method, host })));
    counter.inc();
  };
  const observe = (known: Map<string, Histogram>, family: typeof took, verb: string, ms: number): void => {
    let histogram = known.get(verb);
    if (histogram === undefined) known.set(verb, (histogram = family.with({ verb, host })));
    histogram.observe(ms / 1000);
  };
  return {
    answered(method, code, tookMs) {
      count(method, String(code));
      observe(times, took, method, tookMs);
    },
    broke: (method) => count(method, NO_CODE),
    retried: (method, code) => retries.with({ code: String(code), verb: method, host }).inc(),
    waited: (method, ms) => observe(waits, limited, method, ms),
  };
}
