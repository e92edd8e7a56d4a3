import { describe, expect, it } from 'vitest';
import { createLazyMetrics } from './lazy-metrics.ts';
import { createPrometheusMetrics } from './prometheus-metrics.ts';

const lines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('lazy metrics', () => {
  it('hand over what was counted before they were loaded, and go on', async () => {
    let made = 0;
    const metrics = createLazyMetrics(() => {
      made += 1;
      return createPrometheusMetrics();
    });
    const requests = metrics.counter({ name: 'requests_total', help: 'x', labels: ['code'] });
    const early = requests.with({ code: '200' });
    early.inc();
    early.inc(2);
    const depth = metrics.gauge({ name: 'depth', help: 'x', labels: [] }).with({});
    depth.set(7);
    const time = metrics.histogram({ name: 'time', help: 'x', labels: [], buckets: [1, 2] }).with({});
    time.observe(1.5);
    let refreshed = 0;
    metrics.onCollect(() => void (refreshed += 1));
    metrics.onCollect(() => void (refreshed += 100))();
    expect(made).toBe(0);
    await metrics.load();
    early.inc();
    requests.with({ code: '500' }).inc();
    depth.set(3);
    time.observe(0.5);
    const { contentType, body } = await metrics.expose();
    expect(contentType).toContain('text/plain');
    expect(lines(body)).toEqual([
      'requests_total{code="200"} 4',
      'requests_total{code="500"} 1',
      'depth 3',
      'time_bucket{le="1"} 1',
      'time_bucket{le="2"} 2',
      'time_bucket{le="+Inf"} 2',
      'time_sum 2',
      'time_count 2',
    ]);
    expect(refreshed).toBe(1);
    expect(made).toBe(1);
  });

  it('are loaded by the first look at them', async () => {
    const metrics = createLazyMetrics(createPrometheusMetrics);
    metrics.counter({ name: 'early_total', help: 'x', labels: [] }).with({}).inc();
    expect(lines((await metrics.expose()).body)).toEqual(['early_total 1']);
  });
});
