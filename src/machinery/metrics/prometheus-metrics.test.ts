import { describe, expect, it } from 'vitest';
import { createPrometheusMetrics } from './prometheus-metrics.ts';

describe('metrics of Prometheus', () => {
  it('are exposed under their names, refreshed when asked for', async () => {
    const metrics = await createPrometheusMetrics();
    const definition = { name: 'things_total', help: 'Things', labels: ['kind'] };
    metrics.counter(definition).with({ kind: 'a' }).inc();
    metrics.counter(definition).with({ kind: 'a' }).inc(2);
    const depth = metrics.gauge({ name: 'depth', help: 'Depth', labels: [] }).with({});
    const stop = metrics.onCollect(() => depth.set(7));
    metrics
      .histogram({ name: 'took', help: 'Took', labels: [], buckets: [1, 2] })
      .with({})
      .observe(1.5);
    const text = await metrics.expose();
    expect(text).toContain('things_total{kind="a"} 3');
    expect(text).toContain('depth 7');
    expect(text).toContain('took_bucket{le="2"} 1');
    expect(metrics.contentType).toContain('text/plain');
    stop();
  });
});
