import { afterEach, describe, expect, it } from 'vitest';
import { DEPLOYMENTS, ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES } from '../../src/core/api/registry/resources.ts';
import type { Endpoints, EndpointSubset, Service, ServiceSpec } from '../../src/core/api/types/core-v1.ts';
import type { EndpointSlice } from '../../src/core/api/types/discovery-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import {
  createWorkloadWorld,
  deployment,
  key,
  rolledOut,
  template,
  type WorkloadWorld,
  type WorkloadWorldOptions,
} from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());
const begin = async (options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> =>
  (house = await createWorkloadWorld(options));

const service = (spec: Partial<ServiceSpec> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', labels: { team: 'a' } },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
});
const withPort = () => ({
  ...template(),
  spec: { containers: [{ name: 'main', image: 'example.test/web:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const slices = async (): Promise<readonly Stored<EndpointSlice>[]> =>
  (await house.client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' }))
    .items;
const addresses = async (): Promise<number> =>
  (await slices()).reduce(
    (sum, { endpoints = [] }) => sum + endpoints.filter(({ conditions }) => conditions?.ready === true).length,
    0,
  );

describe('the endpoints of a Service', () => {
  it('are the ready pods it selects, with the ports they have', async () => {
    await begin();
    await house.client.create(SERVICES, service());
    await house.settle(500);
    expect((await slices()).map(({ endpoints = [] }) => endpoints.length)).toEqual([0]);
    await house.client.create(DEPLOYMENTS, deployment({ replicas: 3, template: withPort() }));
    await house.eventually(rolledOut(house, 3));
    await house.eventually(async () => (await addresses()) === 3);
    const [slice] = await slices();
    expect(slice).toMatchObject({ addressType: 'IPv4', ports: [{ name: '', port: 8080, protocol: 'TCP' }] });
    expect(slice?.metadata.labels).toMatchObject({
      team: 'a',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    });
    expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    const pods = await house.pods();
    expect(new Set(slice?.endpoints?.map(({ addresses: [ip] }) => ip))).toEqual(
      new Set(pods.map(({ status }) => status?.podIP)),
    );
    const legacy = await house.client.get(ENDPOINTS, key());
    expect(legacy.subsets).toHaveLength(1);
    expect(legacy.subsets?.[0]?.addresses).toHaveLength(3);
    expect(legacy.subsets?.[0]?.ports).toEqual([{ port: 8080, protocol: 'TCP' }]);
  });

  it('follow pods that go, stop being selected, or are not ready', async () => {
    await begin();
    await house.client.create(SERVICES, service());
    await house.client.create(DEPLOYMENTS, deployment({ replicas: 3, template: withPort() }));
    await house.eventually(async () => (await addresses()) === 3);
    const [first, second] = await house.pods();
    await house.client.patch(PODS, key(first?.metadata.name ?? ''), {
      type: 'merge',
      body: { metadata: { labels: { app: 'other' } } },
    });
    await house.eventually(async () =>
      (await slices()).every(({ endpoints = [] }) =>
        endpoints.every(({ targetRef }) => targetRef?.uid !== first?.metadata.uid),
      ),
    );
    const conditions = second?.status?.conditions?.map((each) =>
      each.type === 'Ready' ? { ...each, status: 'False' } : each,
    );
    await house.client.patch(
      PODS,
      key(second?.metadata.name ?? ''),
      { type: 'merge', body: { status: { conditions } } as never },
      { subresource: 'status' },
    );
    await house.settle(300);
    const legacy = await house.client.get(ENDPOINTS, key());
    expect((legacy.subsets?.[0]?.addresses?.length ?? 0) + (legacy.subsets?.[0]?.notReadyAddresses?.length ?? 0)).toBe(
      3,
    );
  });

  it('fill slices of a hundred, and a pod that goes changes one of them', async () => {
    await begin({ nodes: 5 });
    await house.client.create(SERVICES, service());
    await house.client.create(DEPLOYMENTS, deployment({ replicas: 250, template: withPort() }));
    await house.eventually(async () => (await addresses()) === 250);
    await house.settle(500);
    const before = await slices();
    expect(before.map(({ endpoints = [] }) => endpoints.length).toSorted((a, b) => a - b)).toEqual([50, 100, 100]);
    await house.client.patch(DEPLOYMENTS, key(), { type: 'merge', body: { spec: { replicas: 249 } } });
    await house.eventually(async () => (await addresses()) === 249);
    await house.settle(500);
    const versions = new Map(before.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    expect(
      (await slices()).filter(({ metadata }) => versions.get(metadata.name) !== metadata.resourceVersion),
    ).toHaveLength(1);
  });

  it('go with the Service, and stay away from one without a selector', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(SERVICES, service());
    await house.settle(500);
    await house.client.delete(SERVICES, key());
    await house.settle(1000);
    expect(await slices()).toEqual([]);
    await expect(house.client.get(ENDPOINTS, key())).rejects.toThrow('not found');
    const { selector: _, ...spec } = service().spec ?? {};
    await house.client.create(SERVICES, { ...service(), spec });
    await house.settle(500);
    expect(await slices()).toEqual([]);
  });
});

describe('Endpoints written by hand', () => {
  const unselected = (): Service => {
    const { selector: _, ...spec } = service().spec ?? {};
    return { ...service(), spec };
  };
  const endpoints = (subsets: readonly EndpointSubset[], metadata: Partial<Endpoints['metadata']> = {}): Endpoints => ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web', namespace: 'default', ...metadata },
    subsets,
  });
  const at = (ip: string, ports: EndpointSubset['ports'] = [{ port: 80 }]): EndpointSubset => ({
    addresses: [{ ip }],
    ports,
  });
  const told = async (): Promise<readonly unknown[]> =>
    (await slices()).map(({ addressType, ports = [], endpoints: all = [] }) => [
      addressType,
      ports.map(({ port }) => port),
      all.map(({ addresses: [ip], conditions }) => `${ip} ${conditions?.ready === true ? 'ready' : 'not ready'}`),
    ]);

  it('are mirrored while they are there, with labels and annotations, as one slice that follows them', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(SERVICES, unselected());
    const annotations = { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    await house.client.create(ENDPOINTS, endpoints([at('10.1.2.3')], { labels: { team: 'b' }, annotations }));
    await house.eventually(async () => (await slices()).length === 1);
    const [first] = await slices();
    expect(first).toMatchObject({
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
      ports: [{ name: '', port: 80, protocol: 'TCP' }],
    });
    expect(first?.metadata.labels).toEqual({
      team: 'b',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    });
    expect(first?.metadata.annotations).toEqual({ note: 'x' });
    expect(first?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Endpoints', name: 'web', controller: true });
    expect(first?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    await house.client.update(ENDPOINTS, endpoints([at('10.2.3.4', [{ port: 81 }])]));
    await house.settle(500);
    const [second, ...others] = await slices();
    expect([second?.metadata.name, others]).toEqual([first?.metadata.name, []]);
    expect(second?.metadata.annotations).toBeUndefined();
    expect(await told()).toEqual([['IPv4', [81], ['10.2.3.4 ready']]]);
    await house.client.delete(ENDPOINTS, key());
    await house.settle(500);
    expect(await slices()).toEqual([]);
  });

  it('are one slice for a family and a set of ports; an address that is both is not ready', async () => {
    await begin();
    await house.client.create(SERVICES, unselected());
    const ports = [{ name: 'a', port: 80 }];
    const subsets = [
      { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports },
      { addresses: [{ ip: '10.0.0.2' }], ports },
      at('10.0.0.9', [{ name: 'a', port: 80 }]),
      at('10.0.0.9', [{ name: 'b', port: 81 }]),
    ];
    await house.client.create(ENDPOINTS, endpoints(subsets));
    await house.settle(500);
    expect((await told()).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      ['IPv4', [80], ['10.0.0.1 ready', '10.0.0.9 ready', '10.0.0.2 not ready']],
      ['IPv4', [81], ['10.0.0.9 ready']],
      ['IPv6', [80], ['fd00::1 ready']],
    ]);
  });

  it('are left alone where their author, a lock or a selector says so, and a slice taken away comes again', async () => {
    await begin();
    const skip = 'endpointslice.kubernetes.io/skip-mirror';
    await house.client.create(SERVICES, unselected());
    await house.client.create(ENDPOINTS, endpoints([at('10.0.0.1')], { labels: { [skip]: 'true' } }));
    await house.settle(500);
    expect(await slices()).toEqual([]);
    await house.client.update(ENDPOINTS, endpoints([at('10.0.0.1')]));
    await house.settle(500);
    const [slice] = await slices();
    expect(slice).toBeDefined();
    await house.client.delete(ENDPOINT_SLICES, key(slice?.metadata.name ?? ''));
    await house.settle(500);
    expect(await told()).toEqual([['IPv4', [80], ['10.0.0.1 ready']]]);
    const leader = { 'control-plane.alpha.kubernetes.io/leader': '{}' };
    await house.client.update(ENDPOINTS, endpoints([at('10.0.0.1')], { annotations: leader }));
    await house.settle(500);
    expect(await slices()).toEqual([]);
    await house.client.update(ENDPOINTS, endpoints([at('10.0.0.1')]));
    await house.settle(500);
    expect(await slices()).toHaveLength(1);
    await house.client.patch(SERVICES, key(), { type: 'merge', body: { spec: { selector: { app: 'web' } } } });
    await house.settle(500);
    const managers = (await slices()).map(
      ({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'],
    );
    expect(managers).toEqual(['endpointslice-controller.k8s.io']);
  });
});
