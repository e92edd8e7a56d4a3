import { describe, expect, it } from 'vitest';
import { createRegistry } from '../core/api/registry/registry.ts';
import {
  API_SERVICES,
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  PRIORITY_CLASSES,
  SERVICE_CIDRS,
  SERVICES,
  SERVICE_ACCOUNTS,
} from '../core/api/registry/resources.ts';
import { bootstrap } from './bootstrap.ts';
import { createTestServer } from './testing/test-server.ts';

describe('a new cluster', () => {
  it('has what every cluster has', async () => {
    const { client } = await createTestServer();
    const names = ({ items }: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
      items.map(({ metadata }) => metadata.name);
    expect(names(await client.list(NAMESPACES))).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    const classes = await client.list(PRIORITY_CLASSES);
    expect(classes.items.map(({ metadata, value }) => [metadata.name, value])).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]);
    expect(names(await client.list(SERVICE_ACCOUNTS))).toEqual(['default', 'default', 'default', 'default']);
  });

  it('tells other servers whose client certificates are believed, and of a new authority', async () => {
    const { client } = await createTestServer();
    const key = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
    for (const clientAuthority of ['one', 'one', 'two']) {
      await bootstrap(client, { clientAuthority });
      expect((await client.get(CONFIG_MAPS, key)).data).toEqual({ 'client-ca-file': clientAuthority });
    }
  });

  it('lists every group that it serves, once it is served', async () => {
    const { client } = await createTestServer();
    expect((await client.list(API_SERVICES)).items).toEqual([]);
    const apiService = { clusterIP: '10.96.0.1', port: 443, targetPort: 6443 };
    await bootstrap(client, { apiService, served: createRegistry().all() });
    const { items } = await client.list(API_SERVICES);
    const served = new Set(
      createRegistry()
        .all()
        .map(({ group, version }) => `${version}.${group}`),
    );
    served.delete('v1.apiregistration.k8s.io');
    expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(served);
    expect(items.find(({ metadata }) => metadata.name === 'v2.autoscaling')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17_500, versionPriority: 30 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
  });

  it('is left alone when it starts again', async () => {
    const { client, store } = await createTestServer();
    const options = { apiService: { clusterIP: '10.96.0.1', port: 443, targetPort: 6443 } };
    await bootstrap(client, options);
    const before = store.revision;
    await bootstrap(client, options);
    expect(store.revision).toBe(before);
  });

  it('starts again even where its address was given away', async () => {
    const { client } = await createTestServer();
    const spec = { clusterIP: '10.96.0.1', ports: [{ port: 80 }] };
    await client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'mine', namespace: 'default' },
      spec,
    });
    await bootstrap(client, { apiService: { clusterIP: '10.96.0.1', port: 443, targetPort: 6443 } });
    expect((await client.list(SERVICES)).items.map(({ metadata }) => metadata.name)).toEqual(['mine']);
  });

  it('offers its API as a Service where it has an address', async () => {
    const { client } = await createTestServer();
    await bootstrap(client, { apiService: { clusterIP: '10.96.0.1', port: 443, targetPort: 6443 } });
    const service = await client.get(SERVICES, { namespace: 'default', name: 'kubernetes' });
    expect(service.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ port: 443, targetPort: 6443 }] });
  });

  it('tells where it is, and where it is now after it was moved', async () => {
    const { client, store } = await createTestServer();
    const key = { namespace: 'default', name: 'kubernetes' };
    const own = { clusterIP: '10.96.0.1', port: 443, targetPort: 6443, address: '192.0.2.1' };
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      await bootstrap(client, { apiService: { ...own, address } });
      const ports = [{ name: 'https', port: 6443, protocol: 'TCP' }];
      expect((await client.get(ENDPOINTS, key)).subsets).toEqual([{ addresses: [{ ip: address }], ports }]);
      const slice = await client.get(ENDPOINT_SLICES, key);
      expect(slice).toMatchObject({ addressType: 'IPv4', endpoints: [{ addresses: [address] }], ports });
      expect(slice.metadata.labels).toMatchObject({ 'kubernetes.io/service-name': 'kubernetes' });
    }
    const before = store.revision;
    await bootstrap(client, { apiService: { ...own, address: '192.0.2.2' } });
    expect(store.revision).toBe(before);
  });

  it('has the range of service addresses as an object, ready once', async () => {
    const { client, store } = await createTestServer();
    const apiService = {
      clusterIP: '10.96.0.1',
      port: 443,
      targetPort: 6443,
      range: { cidr: '10.96.0.0/12', now: 0 },
    };
    await bootstrap(client, { apiService });
    const range = await client.get(SERVICE_CIDRS, { name: 'kubernetes' });
    expect(range.spec).toEqual({ cidrs: ['10.96.0.0/12'] });
    expect(range.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    const before = store.revision;
    await bootstrap(client, { apiService: { ...apiService, range: { cidr: '10.0.0.0/12', now: 1 } } });
    expect(store.revision).toBe(before);
  });
});
