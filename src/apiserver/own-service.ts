/**
 * The API server's own address as cluster objects: the `kubernetes` Service, the endpoints behind it, and the range
 * that addresses of Services come from.
 */
import { ENDPOINT_SLICES, ENDPOINTS, SERVICE_CIDRS, SERVICES } from '../core/api/registry/resources.ts';
import type { Endpoints, Service } from '../core/api/types/core-v1.ts';
import type { EndpointSlice } from '../core/api/types/discovery-v1.ts';
import { deepEqual } from '../core/kube/immutable.ts';
import type { KubeObject, Resource } from '../core/kube/objects.ts';
import { isStatus } from '../core/kube/status-error.ts';
import { formatTime } from '../core/kube/time.ts';
import type { Client } from '../machinery/client/client.ts';
import { createIfMissing } from './create-if-missing.ts';

export interface OwnService {
  readonly clusterIP: string;
  readonly port: number;
  readonly targetPort: number;
  /** Address under which other machines reach the server; none: nothing stands behind the Service. */
  readonly address?: string | undefined;
  /** The range that addresses of Services come from, with the present time; none: no ServiceCIDR is created. */
  readonly range?: { readonly cidr: string; readonly now: number };
}

const NAME = 'kubernetes';
const NAMESPACE = 'default';
const PORT = 'https';

export async function publishOwnService(client: Client, own: OwnService): Promise<void> {
  try {
    await createIfMissing(client, SERVICES, serviceOf(own));
  } catch (error) {
    // Another Service has the address: a pity, but no reason not to start.
    if (!isStatus(error, 'Invalid')) throw error;
  }
  await Promise.all([publishEndpoints(client, own), publishRange(client, own.range)]);
}

const serviceOf = ({ clusterIP, port, targetPort }: OwnService): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP,
    clusterIPs: [clusterIP],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ name: PORT, protocol: 'TCP', port, targetPort }],
  },
});

async function publishEndpoints(client: Client, { address, targetPort }: OwnService): Promise<void> {
  if (address === undefined) return;
  const ports = [{ name: PORT, port: targetPort, protocol: 'TCP' }];
  const endpoints: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    // The slice is made here; the mirroring controller must not make another.
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports }],
  };
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports,
  };
  await Promise.all([
    ensureSame(client, ENDPOINTS, endpoints, ({ subsets }) => subsets),
    ensureSame(client, ENDPOINT_SLICES, slice, ({ addressType, endpoints: all, ports: of }) => [addressType, all, of]),
  ]);
}

/** A server that starts again may have another address: an existing object with other content is replaced. */
async function ensureSame<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  wanted: T,
  told: (object: T) => unknown,
): Promise<void> {
  const key = { namespace: NAMESPACE, name: NAME };
  const present = await createIfMissing(client, resource, wanted);
  if (deepEqual(told(present), told(wanted))) return;
  await client.delete(resource, key);
  await client.create(resource, wanted);
}

async function publishRange(client: Client, range: OwnService['range']): Promise<void> {
  if (range === undefined) return;
  const present = await createIfMissing(client, SERVICE_CIDRS, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: NAME },
    spec: { cidrs: [range.cidr] },
  });
  const isReady = present.status?.conditions?.some(({ type }) => type === 'Ready') === true;
  if (isReady || !deepEqual(present.spec?.cidrs, [range.cidr])) return;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(range.now),
  };
  await client.patch(
    SERVICE_CIDRS,
    { name: NAME },
    { type: 'merge', body: { status: { conditions: [ready] } } },
    { subresource: 'status' },
  );
}
