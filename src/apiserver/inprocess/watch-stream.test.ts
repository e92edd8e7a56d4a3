import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ApiServer } from '../api-server.ts';
import { LOOPBACK } from '../contract/users.ts';
import type { ApiWatchEvent, WatchRequest, WatchSink } from '../contract/request.ts';
import { configMap } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';
import { openStream } from './watch-stream.ts';

const target = { tenant: 'system', group: '', version: 'v1', resource: 'x', namespace: '', name: '', subresource: '' };
const request: WatchRequest = { verb: 'watch', target, user: LOOPBACK, options: {} };

/** A server that does nothing but hand its sink to the test. */
function puppet() {
  let sink: WatchSink | undefined;
  let stops = 0;
  const server = {
    watch: (_: WatchRequest, given: WatchSink) => {
      sink = given;
      return { stop: () => void stops++ };
    },
  } as unknown as ApiServer;
  return { server, sink: () => sink as WatchSink, stops: () => stops };
}

const event = (name: string): ApiWatchEvent => ({
  type: 'ADDED',
  object: { metadata: { name } } as unknown as Stored,
});

describe('a watch as a stream', () => {
  it('opens when it is read, not before', () => {
    const { server, sink } = puppet();
    const stream = openStream(server, request);
    expect(sink()).toBeUndefined();
    void stream[Symbol.asyncIterator]().next();
    expect(sink()).toBeDefined();
  });

  it('keeps the server’s own batches', async () => {
    const { server, sink } = puppet();
    const reader = openStream(server, request)[Symbol.asyncIterator]();
    const first = reader.next();
    const [one, two] = [[event('a')], [event('b')]];
    sink().events(one);
    sink().events(two);
    expect((await first).value).toBe(one);
    expect((await reader.next()).value).toBe(two);
  });

  it('gives what came before its end, then the end', async () => {
    const { server, sink } = puppet();
    const reader = openStream(server, request)[Symbol.asyncIterator]();
    const first = reader.next();
    sink().events([event('a')]);
    sink().events([event('b')]);
    sink().ended();
    expect((await first).done).toBe(false);
    expect((await reader.next()).done).toBe(false);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('cuts off a reader that falls hopelessly behind, which then ends in good order', async () => {
    const { server, sink, stops } = puppet();
    const reader = openStream(server, request)[Symbol.asyncIterator]();
    const first = reader.next();
    sink().events([event('first')]);
    await first;
    const batch = Array.from({ length: 50_000 }, () => event('x'));
    for (let i = 0; i < 3; i++) sink().events(batch);
    expect(stops()).toBe(1);
    let seen = 0;
    for (;;) {
      const step = await reader.next();
      if (step.done === true) break;
      seen += step.value.length;
    }
    expect(seen).toBeGreaterThanOrEqual(100_000);
  });

  it('stops the server when the reader leaves', async () => {
    const { server, sink, stops } = puppet();
    const reader = openStream(server, request)[Symbol.asyncIterator]();
    void reader.next();
    await reader.return?.();
    expect(stops()).toBe(1);
    sink().events([event('late')]);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('shares objects with the store', async () => {
    const { client, store } = await createTestServer();
    const made = await client.create(CONFIG_MAPS, configMap('a'));
    const reader = client.watch(CONFIG_MAPS)[Symbol.asyncIterator]();
    const { value } = (await reader.next()) as { value: readonly ApiWatchEvent[] };
    const [first] = value;
    expect(first?.type === 'ADDED' && first.object).toBe(made);
    await reader.return?.();
    await store.close();
  });
});
