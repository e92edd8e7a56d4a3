/**
 * The metrics port. Names and labels are those that Prometheus dashboards for client-go and controller-runtime already
 * query. `with` binds labels once, so that a hot path pays for a number and not for a map lookup.
 */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface HistogramDefinition extends MetricDefinition {
  readonly buckets: readonly number[];
}

export type Labels = { readonly [label: string]: string };

export interface Counter {
  inc(by?: number): void;
}

export interface Gauge {
  set(value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export interface Family<M> {
  with(labels: Labels): M;
}

export interface Metrics {
  counter(definition: MetricDefinition): Family<Counter>;
  gauge(definition: MetricDefinition): Family<Gauge>;
  histogram(definition: HistogramDefinition): Family<Histogram>;
  /** Runs before every scrape: for values that are cheaper to read than to follow. Answers how to stop it. */
  onCollect(refresh: () => void): () => void;
}

const ignored = { inc: () => undefined, set: () => undefined, observe: () => undefined };
const ignoredFamily = { with: () => ignored };

/** The default where nothing is scraped; costs next to nothing. */
export const noMetrics: Metrics = {
  counter: () => ignoredFamily,
  gauge: () => ignoredFamily,
  histogram: () => ignoredFamily,
  onCollect: () => () => undefined,
};

/** `count` buckets, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}
