import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, PODS } from '../../core/api/registry/resources.ts';
import type { StatusError } from '../../core/kube/status-error.ts';
import { type VirtualClock, createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { LOOPBACK } from '../contract/users.ts';
import type { ApiWatchEvent, WatchRequest } from '../contract/request.ts';
import { configMap, pod, thrown, told } from '../testing/samples.ts';
import { type TestServer, createTestServer } from '../testing/test-server.ts';

interface Seen {
  readonly batches: (readonly ApiWatchEvent[])[];
  readonly ends: (StatusError | undefined)[];
  /** All events so far, in short. */
  events(): readonly string[];
  stop(): void;
}

function open(server: TestServer['server'], options: WatchRequest['options'] = {}, resource = 'configmaps'): Seen {
  const batches: (readonly ApiWatchEvent[])[] = [];
  const ends: (StatusError | undefined)[] = [];
  const target = {
    tenant: 'system',
    group: '',
    version: 'v1',
    resource,
    namespace: options.namespace ?? '',
    name: '',
    subresource: '',
  };
  const handle = server.watch(
    { verb: 'watch', target, user: LOOPBACK, options },
    { events: (batch) => void batches.push(batch), ended: (error) => void ends.push(error) },
  );
  expect(batches).toEqual([]);
  return { batches, ends, events: () => batches.flat().map(told), stop: handle.stop };
}

const setUp = async (history?: { events: number }): Promise<TestServer & { readonly clock: VirtualClock }> => {
  const clock = createVirtualClock();
  const made = createTestServer({ clock, ...(history === undefined ? {} : { history }) });
  await clock.drain();
  return { ...(await made), clock };
};

/** Runs a write to its end; virtual time has to be advanced for it. */
async function done<T>(clock: VirtualClock, write: Promise<T>): Promise<T> {
  await clock.drain();
  return write;
}

const version = (server: TestServer): string => String(server.store.revision);

describe('where a watch starts', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])('says no more than it sent when a write is %i turns ahead', async (turns) => {
    const made = await setUp();
    const options = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
    const writing = made.client.create(CONFIG_MAPS, configMap('meanwhile'));
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const watch = open(made.server, options);
    const { metadata } = await done(made.clock, writing);
    // In the initial state, or after the bookmark that ends it; never before the bookmark's version and after the bookmark.
    const before = [`ADDED meanwhile@${metadata.resourceVersion}`, `BOOKMARK @${metadata.resourceVersion} end`];
    const after = [`BOOKMARK @${Number(metadata.resourceVersion) - 1} end`, before[0]];
    expect([before, after]).toContainEqual(watch.events());
  });

  it('begins with what is there when no version is named', async () => {
    const { client, clock, server } = await setUp();
    const { metadata } = await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    for (const options of [{}, { resourceVersion: '0' }, { resourceVersion: '' }]) {
      const watch = open(server, options);
      await clock.drain();
      expect(watch.events()).toEqual([`ADDED a@${metadata.resourceVersion}`]);
    }
  });

  it('begins after the version it is given', async () => {
    const { client, clock, server } = await setUp();
    const a = await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    const b = await done(clock, client.create(CONFIG_MAPS, configMap('b')));
    const watch = open(server, { resourceVersion: a.metadata.resourceVersion });
    await clock.drain();
    expect(watch.events()).toEqual([`ADDED b@${b.metadata.resourceVersion}`]);
  });

  it('sends nothing old when it is told not to', async () => {
    const { client, clock, server } = await setUp();
    await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    const watch = open(server, { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
    await clock.drain();
    const b = await done(clock, client.create(CONFIG_MAPS, configMap('b')));
    expect(watch.events()).toEqual([`ADDED b@${b.metadata.resourceVersion}`]);
  });

  it('marks the end of the initial state, even an empty one', async () => {
    const made = await setUp();
    const options = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
    const empty = open(made.server, options);
    await made.clock.drain();
    expect(empty.events()).toEqual([`BOOKMARK @${version(made)} end`]);
    const a = await done(made.clock, made.client.create(CONFIG_MAPS, configMap('a')));
    const full = open(made.server, options);
    await made.clock.drain();
    expect(full.events()).toEqual([`ADDED a@${a.metadata.resourceVersion}`, `BOOKMARK @${version(made)} end`]);
  });

  it('misses nothing that is written between the state and the stream', async () => {
    const { client, clock, server } = await setUp();
    await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    const watch = open(server, { allowWatchBookmarks: true });
    const writes = [
      client.create(CONFIG_MAPS, configMap('b')),
      client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' }),
    ];
    await clock.drain();
    await Promise.all(writes);
    expect(watch.events().map((event) => event.replace(/@.*?( |$)/, ' ').trim())).toEqual([
      'ADDED a',
      'BOOKMARK  end',
      'ADDED b',
      'DELETED a',
    ]);
  });

  it('tells in the stream that its history is gone', async () => {
    const { client, clock, server } = await setUp({ events: 3 });
    for (let i = 0; i < 9; i++) await done(clock, client.create(CONFIG_MAPS, configMap(`c${i}`)));
    const watch = open(server, { resourceVersion: '1' });
    await clock.drain();
    expect(watch.batches).toEqual([]);
    expect(watch.ends.map((error) => [error?.code, error?.reason])).toEqual([[410, 'Expired']]);
    expect(watch.ends[0]?.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
  });

  it.each<[WatchRequest['options'], string]>([
    [{ sendInitialEvents: true }, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [{ resourceVersionMatch: 'NotOlderThan' }, 'forbidden for watch unless sendInitialEvents is provided'],
    [{ resourceVersionMatch: 'Exact', sendInitialEvents: true }, 'supported values: "NotOlderThan"'],
  ])('cannot be asked for as %j', async (options, words) => {
    const { server } = await setUp();
    const error = thrown(() => open(server, options));
    expect(error.code).toBe(422);
    expect(error.message).toContain(words);
  });

  it('refuses a version that is no version, or one of the future for its initial state', async () => {
    const { server } = await setUp();
    expect(thrown(() => open(server, { resourceVersion: 'x' })).status).toMatchObject({ code: 422, reason: 'Invalid' });
    const options = { resourceVersion: '999', sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(thrown(() => open(server, options)).code).toBe(504);
  });
});

describe('what a watch sees', () => {
  it('hands all watchers of everything the very same events', async () => {
    const { client, clock, server } = await setUp();
    const [one, two] = [open(server), open(server)];
    await clock.drain();
    await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    expect(one.batches[0]).toBe(two.batches[0]);
  });

  it('sees objects enter and leave a selection as they would be born and die', async () => {
    const { client, clock, server } = await setUp();
    const watch = open(server, { labelSelector: 'on=yes' });
    await clock.drain();
    const write = async (labels: { [key: string]: string }, data = {}) =>
      (await done(clock, client.update(CONFIG_MAPS, configMap('a', { labels }, data)))).metadata.resourceVersion;
    await done(clock, client.create(CONFIG_MAPS, configMap('a', { labels: { on: 'no' } })));
    const entered = await write({ on: 'yes' });
    const changed = await write({ on: 'yes' }, { k: 'v' });
    const left = await write({ on: 'no' }, { k: 'v' });
    await write({ on: 'never' });
    await done(clock, client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' }));
    expect(watch.events()).toEqual([`ADDED a@${entered}`, `MODIFIED a@${changed}`, `DELETED a@${left}`]);
    const last = watch.batches.flat().at(-1);
    // An object that left the selection is shown in its last selected state, not in its new one.
    expect(last?.type === 'DELETED' && last.object.metadata.labels).toEqual({ on: 'yes' });
  });

  it('sees a deletion of what was selected with its own revision', async () => {
    const { client, clock, server, store } = await setUp();
    await done(clock, client.create(CONFIG_MAPS, configMap('a', { labels: { on: 'yes' } })));
    const watch = open(server, { labelSelector: 'on=yes', resourceVersion: String(store.revision) });
    await done(clock, client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' }));
    expect(watch.events()).toEqual([`DELETED a@${store.revision}`]);
  });

  it('keeps to its namespace', async () => {
    const { client, clock, server } = await setUp();
    const watch = open(server, { namespace: 'kube-public' });
    await clock.drain();
    await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    const b = await done(clock, client.create(CONFIG_MAPS, configMap('b', { namespace: 'kube-public' })));
    expect(watch.events()).toEqual([`ADDED b@${b.metadata.resourceVersion}`]);
  });

  it('follows a field from one value to another', async () => {
    const { client, clock, server } = await setUp();
    if (server.registry.byKind('', 'v1', 'Pod')?.selectableFields['spec.nodeName'] === undefined) return;
    const watch = open(server, { fieldSelector: 'spec.nodeName=n1' }, 'pods');
    await clock.drain();
    await done(clock, client.create(PODS, pod('a')));
    await done(clock, client.bind({ namespace: 'default', name: 'a' }, 'n1'));
    expect(watch.events().map((event) => event.split('@')[0])).toEqual(['ADDED a']);
  });
});

describe('how a watch goes on and ends', () => {
  it('says from time to time how far it has come', async () => {
    const { client, clock, server, store } = await setUp();
    const watch = open(server, { allowWatchBookmarks: true, resourceVersion: String(store.revision) });
    await done(clock, client.create(PODS, pod('elsewhere')));
    await clock.advance(130_000);
    expect(watch.events()).toEqual([`BOOKMARK @${store.revision}`]);
    watch.stop();
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  it('says nothing of the kind to those who did not ask', async () => {
    const { client, clock, server, store } = await setUp();
    const watch = open(server, { resourceVersion: String(store.revision) });
    await done(clock, client.create(PODS, pod('elsewhere')));
    await clock.advance(130_000);
    expect(watch.events()).toEqual([]);
  });

  it('ends after the time it was given, without an error', async () => {
    const { clock, server } = await setUp();
    const watch = open(server, { timeoutSeconds: 5 });
    await clock.advance(4_999);
    expect(watch.ends).toEqual([]);
    await clock.advance(2);
    expect(watch.ends).toEqual([undefined]);
  });

  it('is silent once stopped', async () => {
    const { client, clock, server } = await setUp();
    const watch = open(server, { timeoutSeconds: 5, allowWatchBookmarks: true });
    await clock.drain();
    const before = watch.batches.length;
    watch.stop();
    watch.stop();
    await done(clock, client.create(CONFIG_MAPS, configMap('a')));
    await clock.advance(120_000);
    expect(watch.batches).toHaveLength(before);
    expect(watch.ends).toEqual([]);
  });

  it('ends in good order when the store closes', async () => {
    const { clock, server, store } = await setUp();
    const watch = open(server);
    await clock.drain();
    await store.close();
    await clock.drain();
    expect(watch.ends).toHaveLength(1);
  });
});
