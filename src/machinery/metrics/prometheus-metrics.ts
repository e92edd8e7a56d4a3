import type { Registry } from 'prom-client';
import type { Family, HistogramDefinition, Labels, MetricDefinition, Metrics } from './metrics.ts';

export interface PrometheusMetrics extends Metrics {
  /** The text a scrape is answered with. */
  expose(): Promise<string>;
  readonly contentType: string;
}

/** Metrics kept by prom-client, which is loaded only when someone wants to scrape. */
export async function createPrometheusMetrics(
  options: { readonly processMetrics?: boolean } = {},
): Promise<PrometheusMetrics> {
  const prom = await import('prom-client');
  const registry: Registry = new prom.Registry();
  if (options.processMetrics === true) prom.collectDefaultMetrics({ register: registry });
  const refreshers = new Set<() => void>();

  /** Rooms ask for families by definition, each on its own; the same name is the same family. */
  const families = new Map<string, Family<unknown>>();
  const once = <M>(definition: MetricDefinition, make: () => (labels: Labels) => M): Family<M> => {
    const known = families.get(definition.name);
    if (known !== undefined) return known as Family<M>;
    const bind = make();
    const family: Family<M> = { with: bind };
    families.set(definition.name, family);
    return family;
  };
  const configuration = (definition: MetricDefinition) => ({
    name: definition.name,
    help: definition.help,
    labelNames: [...definition.labels],
    registers: [registry],
  });

  return {
    counter: (definition) =>
      once(definition, () => {
        const counter = new prom.Counter(configuration(definition));
        return (labels) => counter.labels(labels);
      }),
    gauge: (definition) =>
      once(definition, () => {
        const gauge = new prom.Gauge(configuration(definition));
        return (labels) => gauge.labels(labels);
      }),
    histogram: (definition: HistogramDefinition) =>
      once(definition, () => {
        const histogram = new prom.Histogram({ ...configuration(definition), buckets: [...definition.buckets] });
        return (labels) => histogram.labels(labels);
      }),
    onCollect(refresh) {
      refreshers.add(refresh);
      return () => void refreshers.delete(refresh);
    },
    expose() {
      for (const refresh of refreshers) refresh();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
