import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EVENTS } from '../core/api/registry/resources.ts';
import type { Event } from '../core/api/types/core-v1.ts';
import type { KubeObject, Resource } from '../core/kube/objects.ts';
import { LOOPBACK } from './contract/users.ts';
import type { ApiWatchEvent } from './contract/request.ts';
import { configMap, failure } from './testing/samples.ts';
import { createTestServer } from './testing/test-server.ts';

const NEW_EVENTS: Resource<
  KubeObject & { readonly note?: string; readonly series?: object; readonly regarding?: { readonly name?: string } }
> = {
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
};
const event: Event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  reason: 'Started',
  message: 'it began',
  type: 'Normal',
};

describe('a kind with two forms', () => {
  it('is one object, read in either', async () => {
    const { client } = await createTestServer();
    const made = await client.create(EVENTS, event);
    const read = await client.get(NEW_EVENTS, { namespace: 'default', name: 'e' });
    expect(read).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'it began', regarding: { name: 'p' } });
    expect(read.metadata.uid).toBe(made.metadata.uid);
    const { items } = await client.list(NEW_EVENTS, { fieldSelector: 'metadata.name=e' });
    expect(items.map(({ apiVersion }) => apiVersion)).toEqual(['events.k8s.io/v1']);
  });

  it('is written in either', async () => {
    const { client } = await createTestServer();
    const key = { namespace: 'default', name: 'e' };
    const series = (count: number) => ({ count, lastObservedTime: '2026-01-01T00:00:00.000000Z' });
    await client.create(EVENTS, event);
    await client.patch(NEW_EVENTS, key, { type: 'merge', body: { series: series(2) } });
    expect((await client.get(EVENTS, key)).series?.count).toBe(2);
    const read = await client.get(NEW_EVENTS, key);
    await client.update(NEW_EVENTS, { ...read, series: series(3) });
    expect((await client.get(EVENTS, key)).series?.count).toBe(3);
    // The newer form is a record: its note cannot be changed.
    const changed = await failure(
      client.update(NEW_EVENTS, { ...(await client.get(NEW_EVENTS, key)), note: 'it ended' }),
    );
    expect(changed.status.details?.causes?.map(({ field }) => field)).toEqual(['message']);
    await client.delete(NEW_EVENTS, key);
    expect((await failure(client.get(EVENTS, key))).code).toBe(404);
  });

  it('is watched in either', async () => {
    const { client, server } = await createTestServer();
    const seen: ApiWatchEvent[] = [];
    const target = { tenant: 'system', ...NEW_EVENTS, namespace: '', name: '', subresource: '' };
    const sink = { events: (batch: readonly ApiWatchEvent[]) => void seen.push(...batch), ended: () => undefined };
    const handle = server.watch({ verb: 'watch', target, user: LOOPBACK, options: {} }, sink);
    await client.create(EVENTS, event);
    await new Promise((resolve) => setTimeout(resolve, 10));
    handle.stop();
    expect(seen).toMatchObject([{ type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'it began' } }]);
  });
});

describe('requests nobody serves', () => {
  const target = {
    tenant: 'system',
    group: '',
    version: 'v1',
    resource: 'unicorns',
    namespace: '',
    name: '',
    subresource: '',
  };

  it('are answered as a path that does not exist', async () => {
    const { server } = await createTestServer();
    const error = await failure(server.handle({ verb: 'list', target, user: LOOPBACK, options: {} }));
    expect(error.status).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    });
  });

  it('are answered as a method that is not allowed, where the resource exists', async () => {
    const { server } = await createTestServer();
    const bindings = { ...target, resource: 'bindings', namespace: 'default' };
    const error = await failure(server.handle({ verb: 'list', target: bindings, user: LOOPBACK, options: {} }));
    expect(error.status).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'list is not supported on resources of kind "bindings"',
    });
  });
});

describe('failures nobody foresaw', () => {
  it('become an internal error, and the server goes on', async () => {
    const broken = {
      name: 'Broken',
      handles: ({ operation }: { operation: string }) => operation === 'UPDATE',
      mutate: () => {
        throw new TypeError('oops');
      },
    };
    const { client } = await createTestServer({ plugins: [broken] });
    await client.create(CONFIG_MAPS, configMap('a'));
    const error = await failure(client.update(CONFIG_MAPS, configMap('a', {}, { k: 'v' })));
    expect(error.status).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: oops',
    });
    expect((await client.get(CONFIG_MAPS, { namespace: 'default', name: 'a' })).data ?? {}).toEqual({});
  });
});
