/**
 * The EndpointSlices of a Service, as they are and as they should be. An endpoint stays in the slice it is in, so a pod that
 * comes, goes or becomes ready changes one slice. Pure.
 */
import type { Service } from '../../../../core/api/types/core-v1.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../../core/api/types/discovery-v1.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';
import { podPrefix } from '../common/pod-template.ts';
import { type Family, isHeadless } from './service-pods.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const CONTROLLER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';
const MOST_IN_ONE = 100;

/** Endpoints that can share a slice. */
export interface Group {
  readonly family: Family;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly Stored<EndpointSlice>[];
}

function sliceLabels(service: Service): Labels {
  const { [SERVICE_NAME]: _, [MANAGED_BY]: __, [HEADLESS]: ___, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: CONTROLLER,
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
  };
}

const keyOf = (endpoint: Endpoint): string => `${endpoint.targetRef?.uid ?? ''} ${endpoint.addresses[0] ?? ''}`;

/** @param nameOf gives a new slice its name. */
export function planSlices(
  service: Stored<Service>,
  groups: readonly Group[],
  present: readonly Stored<EndpointSlice>[],
  nameOf: () => string,
): SlicePlan {
  const left = new Set(present);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const labels = sliceLabels(service);
  for (const group of groups) {
    const own = [...left].filter(
      (slice) => slice.addressType === group.family && deepEqual(slice.ports ?? [], group.ports),
    );
    for (const slice of own) left.delete(slice);
    const wanted = new Map(group.endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
    const kept = own.map((slice) => {
      const endpoints: Endpoint[] = [];
      for (const endpoint of slice.endpoints ?? []) {
        const key = keyOf(endpoint);
        const now = wanted.get(key);
        if (now !== undefined) endpoints.push(deepEqual(now, endpoint) ? endpoint : now);
        wanted.delete(key);
      }
      return { slice, endpoints };
    });
    const fresh = [...wanted.values()];
    // The fullest slices first, so that the others may run empty.
    for (const { endpoints } of kept.toSorted((a, b) => b.endpoints.length - a.endpoints.length))
      endpoints.push(...fresh.splice(0, Math.max(0, MOST_IN_ONE - endpoints.length)));
    const isEmpty = kept.every(({ endpoints }) => endpoints.length === 0) && fresh.length === 0;
    for (const [index, { slice, endpoints }] of kept.entries()) {
      // One empty slice remains for a Service without endpoints.
      if (endpoints.length === 0 && !(isEmpty && index === 0)) left.add(slice);
      else if (!isSame(slice, endpoints, labels))
        update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints });
    }
    while (fresh.length > 0 || (isEmpty && kept.length === 0 && create.length === 0 && groups.length === 1)) {
      create.push(newSlice(service, group, fresh.splice(0, MOST_IN_ONE), labels, nameOf()));
      if (fresh.length === 0) break;
    }
  }
  return { create, update, remove: [...left] };
}

const isSame = (slice: EndpointSlice, endpoints: readonly Endpoint[], labels: Labels): boolean =>
  (slice.endpoints ?? []).length === endpoints.length &&
  endpoints.every((endpoint, index) => endpoint === slice.endpoints?.[index]) &&
  deepEqual(slice.metadata.labels, labels);

function newSlice(
  service: Stored<Service>,
  { family, ports }: Group,
  endpoints: readonly Endpoint[],
  labels: Labels,
  name: string,
): EndpointSlice {
  const { namespace } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name,
      generateName: podPrefix(service.metadata.name),
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      ownerReferences: [controllerReference({ ...service, apiVersion: 'v1', kind: 'Service' })],
    },
    addressType: family,
    endpoints,
    ports,
  };
}
