/**
 * Hand-written Endpoints as slices: one for every set of ports and address family, with the labels and annotations of
 * their origin. Pure.
 */
import { familyOf, formatIP, parseIP } from '../../../../core/kube/ip.ts';
import type { EndpointAddress, EndpointPort, Endpoints } from '../../../../core/api/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../../../core/api/types/discovery-v1.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';
import { podPrefix } from '../common/pod-template.ts';
import { MANAGED_BY, SERVICE_NAME, type SlicePlan, type Group } from './slices.ts';

export const MIRROR = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
/** Annotations about the Endpoints object itself, which are not mirrored. */
const OWN_ANNOTATIONS = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];
/** Limit of addresses for each set of ports, so that each is one slice. */
export const MOST_MIRRORED = 1000;

/** False for Endpoints with the skip label, and for those that are a leader election lock. */
export const isMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[SKIP] !== 'true' && annotations?.[LEADER] === undefined;

export interface Mirrored {
  readonly groups: readonly Group[];
  /** Number of texts that are no IP address. */
  readonly invalid: number;
  /** Number of addresses beyond the limit of one set of ports. */
  readonly tooMany: number;
}

interface Known {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

/** Addresses with one set of ports, from whichever subsets. */
export function mirroredGroups({ subsets = [] }: Endpoints): Mirrored {
  let invalid = 0;
  let tooMany = 0;
  const groups = packed(subsets).flatMap(({ ports, addresses }): readonly Group[] => {
    const byFamily = new Map<string, Map<string, Endpoint>>();
    let count = 0;
    for (const { address, ready } of addresses.toSorted((a, b) => Number(b.ready) - Number(a.ready))) {
      const ip = parseIP(address.ip);
      if (count === MOST_MIRRORED) tooMany += 1;
      else if (ip === undefined) invalid += 1;
      else {
        count += 1;
        const family = familyOf(ip);
        let endpoints = byFamily.get(family);
        if (endpoints === undefined) byFamily.set(family, (endpoints = new Map()));
        const endpoint = endpointOf(address, formatIP(ip), ready);
        endpoints.set(JSON.stringify([endpoint.addresses, address.targetRef?.uid, address.hostname]), endpoint);
      }
    }
    return Array.from(byFamily, ([family, endpoints]) => ({
      family: family === 'IPv6' ? 'IPv6' : 'IPv4',
      ports,
      endpoints: [...endpoints.values()],
    }));
  });
  return { groups, invalid, tooMany };
}

/**
 * Merges ports with the same addresses, then addresses with the same ports. An address listed as both ready and not
 * ready is not ready.
 */
function packed(
  subsets: NonNullable<Endpoints['subsets']>,
): readonly { readonly ports: Group['ports']; readonly addresses: readonly Known[] }[] {
  const all = new Map<string, EndpointAddress>();
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly ready: Map<string, boolean> }>();
  for (const { ports, addresses = [], notReadyAddresses = [] } of subsets)
    for (const port of ports === undefined || ports.length === 0 ? [undefined] : ports) {
      const text = port === undefined ? '' : JSON.stringify(portOf(port));
      let known = byPort.get(text);
      if (known === undefined) byPort.set(text, (known = { port, ready: new Map() }));
      for (const [isReady, list] of [[true, addresses] as const, [false, notReadyAddresses] as const])
        for (const address of list) {
          const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
          if (!all.has(key)) all.set(key, address);
          known.ready.set(key, isReady && known.ready.get(key) !== false);
        }
    }
  const packs = new Map<string, { readonly ports: EndpointPort[]; readonly addresses: readonly Known[] }>();
  for (const { port, ready } of byPort.values()) {
    const sorted = [...ready].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify([port === undefined, sorted]);
    let pack = packs.get(text);
    if (pack === undefined) {
      const addresses = sorted.flatMap(([key, isReady]) => {
        const address = all.get(key);
        return address === undefined ? [] : [{ address, ready: isReady }];
      });
      packs.set(text, (pack = { ports: [], addresses }));
    }
    if (port !== undefined) pack.ports.push(port);
  }
  return Array.from(packs.values(), ({ ports, addresses }) => ({
    ports: ports.map(portOf).toSorted(byText),
    addresses,
  }));
}

const portOf = ({ name = '', port, protocol = 'TCP', appProtocol }: EndpointPort): Group['ports'][number] => ({
  name,
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const endpointOf = ({ hostname, nodeName, targetRef }: EndpointAddress, ip: string, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname === undefined ? {} : { hostname }),
  ...(targetRef === undefined ? {} : { targetRef }),
  ...(nodeName === undefined ? {} : { nodeName }),
});

/** @param nameOf gives a new slice its name. */
export function planMirror(
  endpoints: Stored<Endpoints>,
  groups: readonly Group[],
  present: readonly Stored<EndpointSlice>[],
  nameOf: () => string,
): SlicePlan {
  const left = new Set(present);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const missing: Group[] = [];
  for (const group of groups) {
    const own = [...left].find(
      (slice) => slice.addressType === group.family && deepEqual((slice.ports ?? []).toSorted(byText), group.ports),
    );
    if (own === undefined) {
      missing.push(group);
      continue;
    }
    left.delete(own);
    const wanted = sliceOf(endpoints, group, own.metadata.name);
    if (!isSame(own, wanted)) update.push(over(own, wanted));
  }
  for (const group of missing) {
    // A slice that has lost its ports is reused rather than deleted; its address family is immutable.
    const spare = [...left].find(({ addressType }) => addressType === group.family);
    if (spare === undefined) create.push(sliceOf(endpoints, group, nameOf()));
    else {
      left.delete(spare);
      update.push(over(spare, sliceOf(endpoints, group, spare.metadata.name)));
    }
  }
  return { create, update, remove: [...left] };
}

const over = ({ metadata: { resourceVersion } }: Stored<EndpointSlice>, wanted: EndpointSlice): EndpointSlice => ({
  ...wanted,
  metadata: { ...wanted.metadata, resourceVersion },
});

const isSame = (present: EndpointSlice, wanted: EndpointSlice): boolean =>
  deepEqual((present.endpoints ?? []).toSorted(byText), (wanted.endpoints ?? []).toSorted(byText)) &&
  deepEqual(present.metadata.labels, wanted.metadata.labels) &&
  deepEqual(present.metadata.annotations ?? {}, wanted.metadata.annotations ?? {}) &&
  deepEqual(present.metadata.ownerReferences, wanted.metadata.ownerReferences);

function sliceOf(origin: Stored<Endpoints>, { family, ports, endpoints }: Group, name: string): EndpointSlice {
  const { namespace, labels, annotations = {} } = origin.metadata;
  const own: Labels = { ...labels, [SERVICE_NAME]: origin.metadata.name, [MANAGED_BY]: MIRROR };
  const told = Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.includes(key));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name,
      generateName: podPrefix(origin.metadata.name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: own,
      ...(told.length === 0 ? {} : { annotations: Object.fromEntries(told) }),
      ownerReferences: [controllerReference({ ...origin, apiVersion: 'v1', kind: 'Endpoints' })],
    },
    addressType: family,
    endpoints,
    ports,
  };
}
