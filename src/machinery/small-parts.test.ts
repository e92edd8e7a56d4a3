import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NODES } from '../core/api/registry/resources.ts';
import { abortAfter, aborted, abortError, isAbortError, linkAbort, orAborted, wasAborted } from './time/abort.ts';
import { createBackoff } from './time/backoff.ts';
import { createInformer } from './cache/informer.ts';
import { rememberingLogger } from './logging/logger.ts';
import { exponentialBuckets, noMetrics } from './metrics/metrics.ts';
import { nodeSourceFrom } from './ports/node-source.ts';
import { keyOf, keyText, parseKeyText } from './cache/object-keys.ts';
import { StatusError } from '../core/kube/status-error.ts';
import { createPinoLogger } from './logging/pino-logger.ts';
import { createPrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { createPushStream } from './testing/push-stream.ts';
import { createSeededRandom } from './random/seeded-random.ts';
import { createFakeClient } from './testing/fake-client.ts';
import { createVirtualClock } from './time/virtual-clock.ts';

describe('object keys', () => {
  it('come back from their text', () => {
    const part = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    fc.assert(
      fc.property(fc.record({ tenant: part, namespace: part, name: part }, { requiredKeys: ['name'] }), (key) => {
        expect(parseKeyText(keyText(key))).toEqual(key.tenant === 'system' ? { ...key, tenant: undefined } : key);
      }),
    );
  });

  it('are one for the system tenant, said or not', () => {
    expect(keyText({ tenant: 'system', namespace: 'a', name: 'b' })).toBe(keyText({ namespace: 'a', name: 'b' }));
    expect(keyOf({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })).toEqual({ name: 'n' });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n', namespace: 'x' } };
    expect(keyOf(pod, 'acme')).toEqual({ tenant: 'acme', namespace: 'x', name: 'n' });
  });
});

describe('backoff', () => {
  it('grows, stays below its limit, and starts over after a quiet time', async () => {
    const clock = createVirtualClock();
    const options = { initialMs: 100, maxMs: 1000, factor: 2, jitter: 0.5, resetAfterMs: 60_000 };
    const backoff = createBackoff(clock, createSeededRandom(1), options);
    const delays = Array.from({ length: 8 }, () => backoff.next());
    delays.forEach((delay, index) => {
      const base = Math.min(100 * 2 ** index, 1000);
      expect(delay).toBeGreaterThanOrEqual(base);
      expect(delay).toBeLessThan(base * 1.5);
    });
    await clock.advance(70_000);
    expect(backoff.next()).toBeLessThan(150);
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBeLessThan(150);
  });
});

describe('abort helpers', () => {
  it('pass the parent on until they are released', () => {
    const parent = new AbortController();
    const [held, freed] = [linkAbort(parent.signal), linkAbort(parent.signal)];
    freed.release();
    parent.abort(new Error('why'));
    expect([held.signal.aborted, freed.signal.aborted]).toEqual([true, false]);
    expect(held.signal.reason).toBe(parent.signal.reason);
    expect(linkAbort(parent.signal).signal.aborted).toBe(true);
  });

  it('end after a time, and leave no timer when released', async () => {
    const clock = createVirtualClock();
    const limit = abortAfter(clock, 100);
    await clock.advance(100);
    expect((limit.signal.reason as Error).name).toBe('TimeoutError');
    abortAfter(clock, 100).release();
    expect(clock.pendingTimers).toBe(0);
  });

  it('tell the echo of a signal from a real failure', () => {
    const stop = new AbortController();
    expect(wasAborted(abortError(), stop.signal)).toBe(false);
    stop.abort(new Error('enough'));
    expect(wasAborted(stop.signal.reason, stop.signal)).toBe(true);
    expect(wasAborted(abortError(), stop.signal)).toBe(true);
    expect(wasAborted(new Error('other'), stop.signal)).toBe(false);
    expect(isAbortError(new Error('x'))).toBe(false);
  });

  it('wait for whichever comes first', async () => {
    const stop = new AbortController();
    expect(await orAborted(Promise.resolve(1), stop.signal)).toBe(1);
    expect(await orAborted(Promise.resolve(2), undefined)).toBe(2);
    await expect(orAborted(Promise.reject(new Error('own')), stop.signal)).rejects.toThrow('own');
    const waiting = orAborted(new Promise(() => undefined), stop.signal);
    const gone = aborted(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await gone;
    await aborted(stop.signal);
    await expect(orAborted(Promise.reject(new Error('late')), stop.signal)).rejects.toThrow('enough');
  });
});

describe('push stream', () => {
  it('hands over together what gathered, then ends', async () => {
    const stream = createPushStream<number>();
    stream.push(1);
    stream.push(2);
    const seen: (readonly number[])[] = [];
    const reading = (async () => {
      for await (const batch of stream.batches) seen.push(batch);
    })();
    await Promise.resolve();
    await Promise.resolve();
    stream.push(3);
    stream.end();
    stream.push(4);
    await reading;
    expect(seen).toEqual([[1, 2], [3]]);
  });

  it('gives what was pushed before it fails, and lets go once', async () => {
    let left = 0;
    const stream = createPushStream<number>(() => {
      left += 1;
    });
    stream.push(1);
    stream.fail(new Error('broken'));
    const iterator = stream.batches[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual([1]);
    await expect(iterator.next()).rejects.toThrow('broken');
    expect((await iterator.next()).done).toBe(true);
    expect(left).toBe(1);
  });
});

describe('logs', () => {
  it('carry bound fields under constant messages', () => {
    const { logger, lines } = rememberingLogger();
    logger.with({ controller: 'c' }).with({ name: 'n' }).warn('Something', { error: 'e' });
    expect(lines).toEqual([
      { level: 'warn', message: 'Something', fields: { controller: 'c', name: 'n', error: 'e' } },
    ]);
  });

  it('are JSON lines with the error whole, and never throw', async () => {
    const lines: string[] = [];
    const logger = await createPinoLogger({ level: 'info', destination: { write: (text) => void lines.push(text) } });
    logger.debug('Hidden');
    logger.with({ controller: 'c' }).error('Failed', { name: 'n', error: new Error('why'), big: 2n ** 60n });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      msg: 'Failed',
      controller: 'c',
      name: 'n',
      big: '1152921504606846976',
      error: { type: 'Error', message: 'why' },
    });
  });

  it('tell what an API server said in one short line', async () => {
    const lines: string[] = [];
    const logger = await createPinoLogger({ level: 'info', destination: { write: (text) => void lines.push(text) } });
    logger.warn('Refused', { error: new StatusError(503, 'ServiceUnavailable', 'the disk is full') });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'Refused',
      error: { code: 503, reason: 'ServiceUnavailable', message: 'the disk is full' },
    });
    expect(lines[0]).not.toContain('stack');
  });
});

describe('metrics', () => {
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

  it('cost nothing when nobody wants them', () => {
    noMetrics.counter({ name: 'a', help: '', labels: [] }).with({}).inc();
    noMetrics.onCollect(() => undefined)();
    expect(exponentialBuckets(1, 10, 3)).toEqual([1, 10, 100]);
  });
});

describe('node source of one server', () => {
  it('shows nodes with their partition, and whether absence means anything yet', async () => {
    const clock = createVirtualClock();
    const random = createSeededRandom(1);
    const client = createFakeClient({ clock, random });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: {} });
    const informer = createInformer(client, NODES, {}, { clock, random, watchTimeoutMs: 0 });
    const source = nodeSourceFrom(informer, client);
    const seen: string[] = [];
    source.addHandler({ add: (node) => void seen.push(node.metadata.name) });
    expect([source.hasSynced(), source.partitions()[0]?.state, source.size]).toEqual([false, 'syncing', 0]);
    void informer.run(new AbortController().signal);
    await source.synced();
    await clock.drain();
    expect([source.hasSynced(), source.partitions()[0]?.state, source.size]).toEqual([true, 'synced', 1]);
    expect([source.get('n1')?.partition, source.get('n2'), seen]).toEqual(['home', undefined, ['n1']]);
    expect(Array.from(source.nodes(), ({ node }) => node.metadata.name)).toEqual(['n1']);
  });
});
