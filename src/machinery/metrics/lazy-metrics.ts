/**
 * Metrics that are kept from the first moment and cost nothing at a start: observations made before the real metrics are
 * loaded are remembered and handed over then.
 */
import type { Counter, Family, Gauge, Histogram, Metrics } from './metrics.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';

export interface LazyMetrics extends Metrics {
  /** Loads the real metrics, once; also on the first `expose`. */
  load(): Promise<void>;
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Most observations remembered; the real metrics are loaded within seconds. */
const MAX_REMEMBERED = 50_000;
/** Observations handed over before other work gets its turn. */
const CHUNK = 1_000;

type Recorded = (real: PrometheusMetrics) => void;

export function createLazyMetrics(
  make: () => Promise<PrometheusMetrics>,
  /** Awaited between two chunks that are handed over. */
  pause: () => Promise<void> = () => Promise.resolve(),
): LazyMetrics {
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
    wrap: (member: () => M | undefined) => M,
  ): Family<M> {
    let known: Family<M> | undefined;
    return {
      with(labels) {
        let member: M | undefined;
        return wrap(() => {
          if (member === undefined && real !== undefined) member = (known ??= family(real)).with(labels);
          return member;
        });
      },
    };
  }

  return {
    counter: (definition) =>
      lazily<Counter>(
        (metrics) => metrics.counter(definition),
        (member) => {
          // Counted here until then: one entry to hand over, however busy the first seconds are.
          let early = 0;
          return {
            inc(by = 1) {
              const counter = member();
              if (counter !== undefined) counter.inc(by);
              else {
                if (early === 0) record(() => member()?.inc(early));
                early += by;
              }
            },
          };
        },
      ),
    gauge: (definition) =>
      lazily<Gauge>(
        (metrics) => metrics.gauge(definition),
        (member) => {
          let early: number | undefined;
          return {
            set(value) {
              const gauge = member();
              if (gauge !== undefined) {
                early = undefined;
                gauge.set(value);
              } else {
                if (early === undefined) record(() => void (early === undefined || member()?.set(early)));
                early = value;
              }
            },
          };
        },
      ),
    histogram: (definition) =>
      lazily<Histogram>(
        (metrics) => metrics.histogram(definition),
        (member) => ({
          observe(value) {
            const histogram = member();
            if (histogram === undefined) record(() => member()?.observe(value));
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
    loading ??= make().then(async (made) => {
      real = made;
      const entries = remembered;
      remembered = [];
      for (let i = 0; i < entries.length; i += 1) {
        entries[i]?.(made);
        if (i % CHUNK === CHUNK - 1) await pause();
      }
    });
    return loading;
  }
}
