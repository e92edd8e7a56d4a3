import type { Labels, Metrics } from '../metrics/metrics.ts';

const keyOf = (name: string, labels: Labels): string =>
  JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

/** Metrics that can be asked, for tests. Histograms answer with how often they were observed. */
export function rememberingMetrics(): {
  readonly metrics: Metrics;
  value(name: string, labels: Labels): number;
} {
  const values = new Map<string, number>();
  const refreshers = new Set<() => void>();
  const add = (key: string, by: number): void => void values.set(key, (values.get(key) ?? 0) + by);
  return {
    metrics: {
      counter: ({ name }) => ({
        with: (labels) => {
          const key = keyOf(name, labels);
          return { inc: (by = 1) => add(key, by) };
        },
      }),
      gauge: ({ name }) => ({
        with: (labels) => {
          const key = keyOf(name, labels);
          return { set: (value) => void values.set(key, value) };
        },
      }),
      histogram: ({ name }) => ({
        with: (labels) => {
          const key = keyOf(name, labels);
          return { observe: () => add(key, 1) };
        },
      }),
      onCollect(refresh) {
        refreshers.add(refresh);
        return () => void refreshers.delete(refresh);
      },
    },
    value(name, labels) {
      for (const refresh of refreshers) refresh();
      return values.get(keyOf(name, labels)) ?? 0;
    },
  };
}
