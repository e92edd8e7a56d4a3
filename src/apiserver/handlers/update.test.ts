import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, LEASES, NAMESPACES } from '../../core/api/registry/resources.ts';
import type { ConfigMap, Namespace } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import { configMap, failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const withData = (object: Stored<ConfigMap>, data: NonNullable<ConfigMap['data']>): Stored<ConfigMap> => ({
  ...object,
  data,
});

describe('update', () => {
  it('refuses to write over what it has not seen', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a'));
    await client.update(CONFIG_MAPS, withData(first, { k: '1' }));
    const error = await failure(client.update(CONFIG_MAPS, withData(first, { k: '2' })));
    expect(error.status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  it('writes no revision when nothing changes, whatever the client left out', async () => {
    const { client, store } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a', { labels: { x: 'y' } }, { k: 'v' }));
    const before = store.revision;
    const bare = configMap('a', { labels: { x: 'y' } }, { k: 'v' });
    const same = await client.update(CONFIG_MAPS, bare);
    expect(same).toBe(first);
    expect(store.revision).toBe(before);
  });

  it('keeps what belongs to the server', async () => {
    const { client } = await createTestServer();
    const { metadata } = await client.create(CONFIG_MAPS, configMap('a'));
    const claims = { creationTimestamp: '1999-01-01T00:00:00Z', generation: 40 };
    const updated = await client.update(CONFIG_MAPS, configMap('a', claims, { k: 'v' }));
    expect(updated.metadata.uid).toBe(metadata.uid);
    expect(updated.metadata.creationTimestamp).toBe(metadata.creationTimestamp);
    expect(updated.metadata.generation).toBeUndefined();
  });

  it('shares what it did not change', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a', { labels: { x: 'y' } }, { k: 'v' }));
    const copy = structuredClone(configMap('a', { labels: { x: 'y' }, annotations: { n: '1' } }, { k: 'v' }));
    const second = await client.update(CONFIG_MAPS, copy);
    expect(second.data).toBe(first.data);
    expect(second.metadata.labels).toBe(first.metadata.labels);
  });

  it('does not find, or does not create, what is not there', async () => {
    const { client } = await createTestServer();
    expect((await failure(client.update(CONFIG_MAPS, configMap('a')))).status).toMatchObject({
      code: 404,
      message: 'configmaps "a" not found',
    });
  });

  it('wants the object to be the one named', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a'));
    const other = { ...first, metadata: { ...first.metadata, uid: 'other' } };
    const error = await failure(client.update(CONFIG_MAPS, other));
    expect(error.reason).toBe('Conflict');
    expect(error.message).toContain(`UID in precondition: other, UID in object meta: ${first.metadata.uid}`);
  });

  it('refuses a version that is no version', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const error = await failure(client.update(CONFIG_MAPS, configMap('a', { resourceVersion: 'new' })));
    expect(error.status).toMatchObject({ code: 500, message: 'strconv.ParseUint: parsing "new": invalid syntax' });
  });

  it('cannot begin a deletion, nor add a finalizer to one', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    const claimed = { ...first, metadata: { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect((await failure(client.update(CONFIG_MAPS, claimed))).code).toBe(422);
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' });
    const more = configMap('a', { finalizers: ['example.test/hold', 'example.test/more'] });
    expect((await failure(client.update(CONFIG_MAPS, more))).code).toBe(422);
  });

  it('ends a deletion by taking off the last finalizer, with one event', async () => {
    const { client, store } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' });
    const before = store.revision;
    const last = await client.update(CONFIG_MAPS, configMap('a', { finalizers: [] }));
    expect(last.metadata.deletionTimestamp).toBeDefined();
    expect(Number(last.metadata.resourceVersion)).toBe(before + 1);
    expect((await failure(client.get(CONFIG_MAPS, { namespace: 'default', name: 'a' }))).code).toBe(404);
  });

  it('lets admission change and refuse, also when it answers later', async () => {
    const plugin: AdmissionPlugin = {
      name: 'Stamp',
      handles: ({ operation, resource }) => operation === 'UPDATE' && resource.resource === 'configmaps',
      mutate: async ({ object }) => {
        if (object === undefined) return { allowed: true };
        const { metadata } = object;
        return { allowed: true, object: { ...object, metadata: { ...metadata, labels: { stamped: 'yes' } } } };
      },
      validate: async ({ object, oldObject, resource, name }) =>
        (object as ConfigMap).data?.['k'] === (oldObject as ConfigMap).data?.['k']
          ? { allowed: true }
          : { allowed: false, error: forbiddenRequest(resource, name, 'k is fixed') },
    };
    const { client } = await createTestServer({ plugins: [plugin] });
    await client.create(CONFIG_MAPS, configMap('a', {}, { k: 'v' }));
    const updated = await client.update(CONFIG_MAPS, configMap('a', {}, { k: 'v', more: 'm' }));
    expect(updated.metadata.labels).toEqual({ stamped: 'yes' });
    const error = await failure(client.update(CONFIG_MAPS, configMap('a', {}, { k: 'other' })));
    expect(error.message).toBe('configmaps "a" is forbidden: k is fixed');
  });

  it('may create where a kind says so', async () => {
    const { client } = await createTestServer();
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'kube-node-lease' },
      spec: { holderIdentity: 'me' },
    };
    const outcome = await client.update(LEASES, lease).then(
      (made) => made.metadata.name,
      (error: { code: number }) => error.code,
    );
    // Kubernetes lets a PUT create a Lease; a registry that does not say so answers 404.
    expect(['l', 404]).toContain(outcome);
  });

  it('creates no other object in place of one that is gone, but minds no version of it', async () => {
    const { client } = await createTestServer();
    const lease = (metadata: object) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'kube-node-lease', ...metadata },
      spec: { holderIdentity: 'me' },
    });
    const gone = await failure(client.update(LEASES, lease({ uid: 'of-the-one-before' })));
    expect([gone.code, gone.reason]).toEqual([409, 'Conflict']);
    expect((await client.update(LEASES, lease({ resourceVersion: '77' }))).metadata.name).toBe('l');
  });

  it('finalizes a namespace through its own subresource', async () => {
    const { client } = await createTestServer();
    const made = await client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'gone' },
      spec: { finalizers: ['kubernetes'] },
    });
    await client.delete(NAMESPACES, { name: 'gone' });
    const finalized: Namespace = { ...made, metadata: { name: 'gone' }, spec: { finalizers: [] } };
    await client.update(NAMESPACES, finalized, { subresource: 'finalize' });
    expect((await failure(client.get(NAMESPACES, { name: 'gone' }))).code).toBe(404);
  });
});
