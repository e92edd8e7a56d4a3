/** Services, their endpoints, and what stands in front of or between them. */
import type { Endpoints, Service } from '../types/core-v1.ts';
import type { EndpointSlice } from '../types/discovery-v1.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../types/networking-v1.ts';
import { AGE, NAME, printer, SELECTOR, text } from './columns.ts';
import { age, compareText, labelsText, NONE, selectorCell, shortList, UNSET } from './text.ts';

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

export const servicePrinter = printer<Service>(
  [
    NAME,
    text('Type', 'How the service is exposed'),
    text('Cluster-IP', 'Address within the cluster'),
    text('External-IP', 'Addresses outside the cluster'),
    text('Port(s)', 'Ports of the service'),
    AGE,
    SELECTOR,
  ],
  (object, now) => [
    object.metadata.name,
    object.spec?.type ?? '',
    object.spec?.clusterIPs?.[0] ?? NONE,
    externalIP(object),
    servicePorts(object),
    age(object, now),
    labelsText(object.spec?.selector),
  ],
);

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

export const endpointsPrinter = printer<Endpoints>(
  [NAME, text('Endpoints', 'Addresses and ports that are ready'), AGE],
  (object, now) => [object.metadata.name, endpointAddresses(object), age(object, now)],
);

export const endpointSlicePrinter = printer<EndpointSlice>(
  [
    NAME,
    text('AddressType', 'Kind of address the slice holds'),
    text('Ports', 'Ports of the endpoints'),
    text('Endpoints', 'Addresses of the endpoints'),
    AGE,
  ],
  (object, now) => [
    object.metadata.name,
    object.addressType ?? '',
    shortList(
      (object.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port))),
      UNSET,
    ),
    shortList(
      (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []),
      UNSET,
    ),
    age(object, now),
  ],
);

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

export const ingressPrinter = printer<Ingress>(
  [
    NAME,
    text('Class', 'Ingress class that serves it'),
    text('Hosts', 'Hosts it answers for'),
    text('Address', 'Addresses of its load balancer'),
    text('Ports', 'Ports that are open'),
    AGE,
  ],
  (object, now) => [
    object.metadata.name,
    object.spec?.ingressClassName ?? NONE,
    ingressHosts(object),
    loadBalancerPoints(object.status?.loadBalancer?.ingress).join(','),
    object.spec?.tls?.length ? '80, 443' : '80',
    age(object, now),
  ],
);

export const ingressClassPrinter = printer<IngressClass>(
  [
    NAME,
    text('Controller', 'Controller that serves this class'),
    text('Parameters', 'Object with further settings'),
    AGE,
  ],
  (object, now) => {
    const parameters = object.spec?.parameters;
    const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
    const group = parameters?.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
    return [
      isDefault ? `${object.metadata.name} (default)` : object.metadata.name,
      object.spec?.controller ?? '',
      parameters ? `${parameters.kind}${group}/${parameters.name}` : NONE,
      age(object, now),
    ];
  },
);

export const networkPolicyPrinter = printer<NetworkPolicy>(
  [NAME, text('Pod-Selector', 'Pods the policy applies to'), AGE],
  (object, now) => [object.metadata.name, selectorCell(object.spec?.podSelector ?? {}), age(object, now)],
);

export const serviceCIDRPrinter = printer<ServiceCIDR>(
  [NAME, text('CIDRs', 'Ranges service addresses are taken from'), AGE],
  (object, now) => [object.metadata.name, (object.spec?.cidrs ?? []).join(','), age(object, now)],
);

/** Kubernetes sends the age without a column for it; clients that know one version of the other get both alike. */
export const ipAddressPrinter = printer<IPAddress>(
  [NAME, text('ParentRef', 'Object the address belongs to')],
  (object, now) => {
    const parent = object.spec?.parentRef;
    const resource = parent?.group ? `${parent.resource}.${parent.group}` : (parent?.resource ?? '');
    const namespace = parent?.namespace ? `/${parent.namespace}` : '';
    return [
      object.metadata.name,
      parent ? `${resource.toLowerCase()}${namespace}/${parent.name}` : NONE,
      age(object, now),
    ];
  },
);
