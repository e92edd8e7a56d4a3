import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, DAEMON_SETS, NAMESPACES, SECRETS } from '../../core/api/registry/resources.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import { configMap, failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const A = { namespace: 'default', name: 'a' };

describe('delete', () => {
  it('answers with a Status that tells what went', async () => {
    const { client } = await createTestServer();
    const { metadata } = await client.create(CONFIG_MAPS, configMap('a'));
    expect(await client.delete(CONFIG_MAPS, A)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    });
    expect((await failure(client.delete(CONFIG_MAPS, A))).code).toBe(404);
  });

  it('answers with the object while it lingers', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    const lingering = await client.delete(CONFIG_MAPS, A);
    expect(lingering).toMatchObject({ kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } });
    expect(await client.delete(CONFIG_MAPS, A)).toBe(lingering);
  });

  it('changes nothing on a dry run, and shows what would have happened', async () => {
    const { client, store } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    await client.create(CONFIG_MAPS, configMap('b'));
    const before = store.revision;
    const marked = await client.delete(CONFIG_MAPS, A, { dryRun: true });
    expect(marked).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
    await client.delete(CONFIG_MAPS, { ...A, name: 'b' }, { dryRun: true });
    expect(store.revision).toBe(before);
  });

  it('holds an object whose dependents go first', async () => {
    const { client } = await createTestServer();
    await client.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'a', namespace: 'default' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { name: '', labels: { app: 'a' } }, spec: { containers: [{ name: 'm', image: 'i' }] } },
      },
    });
    const waiting = await client.delete(DAEMON_SETS, A, { propagationPolicy: 'Foreground' });
    expect(waiting).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'], generation: 2 } });
  });

  it('can be refused by admission, also later', async () => {
    const plugin: AdmissionPlugin = {
      name: 'Keep',
      handles: ({ operation }) => operation === 'DELETE',
      validate: async ({ name, oldObject, resource }) =>
        oldObject?.metadata.labels?.['keep'] === 'yes'
          ? { allowed: false, error: forbiddenRequest(resource, name, 'it is kept') }
          : { allowed: true },
    };
    const { client } = await createTestServer({ plugins: [plugin] });
    await client.create(CONFIG_MAPS, configMap('a', { labels: { keep: 'yes' } }));
    await client.create(CONFIG_MAPS, configMap('b'));
    expect((await failure(client.delete(CONFIG_MAPS, A))).message).toBe('configmaps "a" is forbidden: it is kept');
    expect(await client.delete(CONFIG_MAPS, { ...A, name: 'b' })).toMatchObject({ status: 'Success' });
  });

  it('never deletes the namespaces a cluster cannot be without', async () => {
    const { client } = await createTestServer();
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const error = await failure(client.delete(NAMESPACES, { name }));
      expect(error.status).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
    }
  });
});

describe('delete a collection', () => {
  it('deletes what it selects, where it selects, and nothing else', async () => {
    const { client } = await createTestServer();
    for (const name of ['a', 'b', 'c']) {
      await client.create(CONFIG_MAPS, configMap(name, { labels: { go: name === 'b' ? 'no' : 'yes' } }));
    }
    await client.create(CONFIG_MAPS, configMap('a', { namespace: 'kube-public', labels: { go: 'yes' } }));
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } });
    await client.deleteCollection(CONFIG_MAPS, { namespace: 'default', labelSelector: 'go=yes' });
    const left = await client.list(CONFIG_MAPS);
    expect(left.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'default/b',
      'kube-public/a',
    ]);
    expect((await client.list(SECRETS, { namespace: 'default' })).items).toHaveLength(1);
  });

  it('honours finalizers and dry runs', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a', { finalizers: ['example.test/hold'] }));
    await client.create(CONFIG_MAPS, configMap('b'));
    await client.deleteCollection(CONFIG_MAPS, { namespace: 'default', dryRun: true });
    expect((await client.list(CONFIG_MAPS, { namespace: 'default' })).items).toHaveLength(2);
    await client.deleteCollection(CONFIG_MAPS, { namespace: 'default' });
    const { items } = await client.list(CONFIG_MAPS, { namespace: 'default' });
    expect(items.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined])).toEqual([
      ['a', true],
    ]);
  });

  it('copes with thousands', async () => {
    const { client } = await createTestServer();
    await Promise.all(Array.from({ length: 2000 }, (_, i) => client.create(CONFIG_MAPS, configMap(`c${i}`))));
    await client.deleteCollection(CONFIG_MAPS, { namespace: 'default' });
    expect((await client.list(CONFIG_MAPS, { namespace: 'default' })).items).toEqual([]);
  });
});
