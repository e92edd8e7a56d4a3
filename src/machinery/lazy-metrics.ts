/**
 * Metrics that are kept from the first moment and cost nothing at a start: what is counted before the real ones are
 * loaded is remembered and handed over then.
 */
import type { Counter, Family, Gauge, Histogram, Labels, Metrics } from './metrics.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';

export interface LazyMetrics extends Metrics {
  /** Loads the real metrics, once; also on the first `expose`. */
  load(): Promise<void>;
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** So much is remembered; it is loaded within seconds, and what is beyond that is no loss anyone would notice. */
const MAX_REMEMBERED = 50_000;

type Recorded = (real: PrometheusMetrics) => void;

export function createLazyMetrics(make: () => Promise<PrometheusMetrics>): LazyMetrics {
  let real: PrometheusMetrics | undefined;
  let loading: Promise<void> | undefined;
  let remembered: Recorded[] = [];

  const record = (entry: Recorded): void => {
    if (real !== undefined) entry(real);
    else if (remembered.length < MAX_REMEMBERED) remembered.push(entry);
  };

  /** A family whose members become the real ones as soon as there are any. */
  function lazily<M>(
    family: (metrics: PrometheusMetrics) => Family<M>,
    wrap: (member: () => M | undefined, labels: Labels) => M,
  ): Family<M> {
    let known: Family<M> | undefined;
    return {
      with(labels) {
        let member: M | undefined;
        const realMember = (): M | undefined => {
          if (member === undefined && real !== undefined) member = (known ??= family(real)).with(labels);
          return member;
        };
        return wrap(realMember, labels);
      },
    };
  }

  return {
    counter: (definition) =>
      lazily<Counter>(
        (metrics) => metrics.counter(definition),
        (member, labels) => ({
          inc(by = 1) {
            const counter = member();
            if (counter === undefined) record((metrics) => metrics.counter(definition).with(labels).inc(by));
            else counter.inc(by);
          },
        }),
      ),
    gauge: (definition) =>
      lazily<Gauge>(
        (metrics) => metrics.gauge(definition),
        (member, labels) => ({
          set(value) {
            const gauge = member();
            if (gauge === undefined) record((metrics) => metrics.gauge(definition).with(labels).set(value));
            else gauge.set(value);
          },
        }),
      ),
    histogram: (definition) =>
      lazily<Histogram>(
        (metrics) => metrics.histogram(definition),
        (member, labels) => ({
          observe(value) {
            const histogram = member();
            if (histogram === undefined) record((metrics) => metrics.histogram(definition).with(labels).observe(value));
            else histogram.observe(value);
          },
        }),
      ),
    onCollect(refresh) {
      let isWanted = true;
      let stop: (() => void) | undefined;
      record((metrics) => {
        if (isWanted) stop = metrics.onCollect(refresh);
      });
      return () => {
        isWanted = false;
        stop?.();
      };
    },
    load,
    async expose() {
      await load();
      return { contentType: real?.contentType ?? '', body: (await real?.expose()) ?? '' };
    },
  };

  function load(): Promise<void> {
    loading ??= make().then((made) => {
      real = made;
      for (const entry of remembered) entry(made);
      remembered = [];
    });
    return loading;
  }
}
