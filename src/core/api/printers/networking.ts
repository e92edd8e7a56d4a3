/** Services, their endpoints, and what stands in front of or between them. */
import type { Endpoints, Service } from '../types/core-v1.ts';
import type { EndpointSlice } from '../types/discovery-v1.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../types/networking-v1.ts';
import { AGE, headless, labelSelector, NAME, named, printer, text } from './columns.ts';
import { age, compareText, NONE, selectorCell, shortList, UNSET } from './text.ts';

interface LoadBalancerPoint {
  readonly ip?: string;
  readonly hostname?: string;
}

const loadBalancerPoints = (points: readonly LoadBalancerPoint[] | undefined): string[] =>
  [...new Set((points ?? []).map((point) => point.ip || point.hostname || '').filter((text) => text !== ''))].toSorted(
    compareText,
  );

function externalIP(service: Service): string {
  const { type, externalIPs = [], externalName = '' } = service.spec ?? {};
  if (type === 'ExternalName') return externalName;
  if (type === 'ClusterIP' || type === 'NodePort') return externalIPs.join(',') || NONE;
  if (type !== 'LoadBalancer') return '<unknown>';
  return [...loadBalancerPoints(service.status?.loadBalancer?.ingress), ...externalIPs].join(',') || '<pending>';
}

function servicePorts(service: Service): string {
  const ports = service.spec?.ports ?? [];
  return (
    ports
      .map(({ port, nodePort = 0, protocol = '' }) =>
        nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
      )
      .join(',') || NONE
  );
}

export const servicePrinter = printer<Service>([
  NAME,
  text('Type', 'How the service is exposed', ({ spec }) => spec?.type ?? ''),
  text('Cluster-IP', 'Address within the cluster', ({ spec }) => spec?.clusterIPs?.[0] ?? NONE),
  text('External-IP', 'Addresses outside the cluster', externalIP),
  text('Port(s)', 'Ports of the service', servicePorts),
  AGE,
  labelSelector(({ spec }) => spec?.selector),
]);

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function endpointAddresses(endpoints: Endpoints): string {
  const subsets = endpoints.subsets ?? [];
  if (subsets.length === 0) return NONE;
  const all: string[] = [];
  for (const { addresses = [], ports = [] } of subsets) {
    if (ports.length === 0) for (const { ip } of addresses) all.push(ip);
    for (const { port } of ports) for (const { ip } of addresses) all.push(hostPort(ip, port));
  }
  return shortList(all, '');
}

export const endpointsPrinter = printer<Endpoints>([
  NAME,
  text('Endpoints', 'Addresses and ports that are ready', endpointAddresses),
  AGE,
]);

const slicePorts = ({ ports }: EndpointSlice): string =>
  shortList(
    (ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port))),
    UNSET,
  );

const sliceAddresses = ({ endpoints }: EndpointSlice): string =>
  shortList(
    (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
    UNSET,
  );

export const endpointSlicePrinter = printer<EndpointSlice>([
  NAME,
  text('AddressType', 'Kind of address the slice holds', ({ addressType }) => addressType ?? ''),
  text('Ports', 'Ports of the endpoints', slicePorts),
  text('Endpoints', 'Addresses of the endpoints', sliceAddresses),
  AGE,
]);

function ingressHosts(ingress: Ingress): string {
  const rules = ingress.spec?.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

export const ingressPrinter = printer<Ingress>([
  NAME,
  text('Class', 'Ingress class that serves it', ({ spec }) => spec?.ingressClassName ?? NONE),
  text('Hosts', 'Hosts it answers for', ingressHosts),
  text('Address', 'Addresses of its load balancer', ({ status }) =>
    loadBalancerPoints(status?.loadBalancer?.ingress).join(','),
  ),
  text('Ports', 'Ports that are open', ({ spec }) => (spec?.tls?.length ? '80, 443' : '80')),
  AGE,
]);

function classParameters({ spec }: IngressClass): string {
  const parameters = spec?.parameters;
  if (!parameters) return NONE;
  const group = parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
  return `${parameters.kind}${group}/${parameters.name}`;
}

const isDefaultClass = ({ metadata }: IngressClass): boolean =>
  metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';

export const ingressClassPrinter = printer<IngressClass>([
  named((object) => (isDefaultClass(object) ? `${object.metadata.name} (default)` : object.metadata.name)),
  text('Controller', 'Controller that serves this class', ({ spec }) => spec?.controller ?? ''),
  text('Parameters', 'Object with further settings', classParameters),
  AGE,
]);

export const networkPolicyPrinter = printer<NetworkPolicy>([
  NAME,
  text('Pod-Selector', 'Pods the policy applies to', ({ spec }) => selectorCell(spec?.podSelector ?? {})),
  AGE,
]);

export const serviceCIDRPrinter = printer<ServiceCIDR>([
  NAME,
  text('CIDRs', 'Ranges service addresses are taken from', ({ spec }) => (spec?.cidrs ?? []).join(',')),
  AGE,
]);

function parentOf({ spec }: IPAddress): string {
  const parent = spec?.parentRef;
  if (!parent) return NONE;
  const resource = parent.group ? `${parent.resource}.${parent.group}` : (parent.resource ?? '');
  const namespace = parent.namespace ? `/${parent.namespace}` : '';
  return `${resource.toLowerCase()}${namespace}/${parent.name}`;
}

/** Kubernetes sends the age without a column for it; rows of both servers are alike for a client that knows either. */
export const ipAddressPrinter = printer<IPAddress>([
  NAME,
  text('ParentRef', 'Object the address belongs to', parentOf),
  headless(age),
]);
