import { describe, expect, it } from 'vitest';
import { exponentialBuckets, noMetrics } from './metrics.ts';

describe('metrics', () => {
  it('cost nothing when nobody wants them', () => {
    noMetrics.counter({ name: 'a', help: '', labels: [] }).with({}).inc();
    noMetrics.onCollect(() => undefined)();
    expect(exponentialBuckets(1, 10, 3)).toEqual([1, 10, 100]);
  });
});
