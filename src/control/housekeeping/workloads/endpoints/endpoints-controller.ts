/** The Endpoints of a Service: one object with all addresses, for clients that know no slices. */
import { ENDPOINTS, PODS, SERVICES } from '../../../../core/api/registry/resources.ts';
import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from '../../../../core/api/types/core-v1.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import type { ObjectKey, Stored } from '../../../../core/kube/objects.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller/controller.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { newer } from '../../../../core/kube/resource-version.ts';
import { loopOptions, type WorkloadOptions } from '../common/surroundings.ts';
import { feedServices, selectedPods } from './service-feed.ts';
import {
  conditionsOf,
  familiesOf,
  familyOf,
  hasEndpoint,
  hostnameOf,
  isHeadless,
  portsOf,
  referenceTo,
  selectsOf,
} from './service-pods.ts';

const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** More addresses than this are cut off: the object would become too large for all its readers. */
const MOST_ADDRESSES = 1000;

export function createEndpointsController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const services = informers.for(SERVICES);
  const pods = informers.for(PODS);
  const endpoints = informers.for(ENDPOINTS);
  const written = new Map<string, Stored<Endpoints>>();

  const controller = createController<ObjectKey>({
    ...loopOptions(options, 'endpoint'),
    async reconcile(key) {
      const service = services.lister.get(key.name, key.namespace);
      if (service === undefined) return removeFor(key);
      const selects = selectsOf(service);
      if (selects === undefined) return feed.forget(key);
      const found = selectedPods(pods.lister.list(key.namespace), selects).filter(hasEndpoint);
      feed.looked(key, found.length);
      await write(key, endpointsOf(service, found));
      feed.looked(key, found.length);
    },
  });
  const feed = feedServices(controller, informers, clock);
  controller.watch(endpoints, ({ metadata }, { type }) =>
    type === 'delete' ? [{ namespace: metadata.namespace ?? '', name: metadata.name }] : [],
  );

  async function removeFor(key: ObjectKey): Promise<void> {
    feed.forget(key);
    const present = endpoints.lister.get(key.name, key.namespace);
    if (present === undefined || (!written.delete(textOf(key)) && present.metadata.labels?.[MANAGED_BY] !== CONTROLLER))
      return;
    await unlessGone(client.delete(ENDPOINTS, key, { preconditions: { uid: present.metadata.uid } }));
  }

  async function write(key: ObjectKey, wanted: Endpoints): Promise<void> {
    const cached = endpoints.lister.get(key.name, key.namespace);
    const present = cached === undefined ? undefined : newer(cached, written.get(textOf(key)));
    if (present !== undefined && isSame(present, wanted)) return;
    try {
      const answer =
        present === undefined
          ? await client.create(ENDPOINTS, wanted)
          : await client.update(ENDPOINTS, {
              ...wanted,
              metadata: { ...wanted.metadata, resourceVersion: present.metadata.resourceVersion },
            });
      written.set(textOf(key), answer);
    } catch (error) {
      // The Endpoints exist, but the cache does not show them yet.
      if (!isStatus(error, 'AlreadyExists')) throw error;
      written.set(textOf(key), await client.update(ENDPOINTS, wanted));
    }
  }
  return controller;
}

const textOf = ({ namespace = '', name }: ObjectKey): string => `${namespace}/${name}`;

const isSame = (a: Endpoints, b: Endpoints): boolean =>
  deepEqual(a.subsets ?? [], b.subsets ?? []) &&
  deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
  deepEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {});

function endpointsOf(service: Stored<Service>, pods: readonly Stored<Pod>[]): Endpoints {
  const [family = 'IPv4'] = familiesOf(service);
  const groups = new Map<
    string,
    {
      readonly ports: ReturnType<typeof portsOf>;
      readonly ready: EndpointAddress[];
      readonly others: EndpointAddress[];
    }
  >();
  let count = 0;
  for (const pod of pods) {
    const ip = pod.status?.podIPs?.find((each) => familyOf(each.ip) === family)?.ip;
    const { ready, terminating } = conditionsOf(service, pod);
    if (ip === undefined || (terminating && !ready)) continue;
    const ports = portsOf(service, pod);
    if (ports.length === 0 && !isHeadless(service)) continue;
    count += 1;
    if (count > MOST_ADDRESSES) break;
    const key = JSON.stringify(ports);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { ports, ready: [], others: [] }));
    (ready ? group.ready : group.others).push(addressOf(service, pod, ip));
  }
  const subsets = Array.from(groups.values(), ({ ports, ready, others }): EndpointSubset => ({
    ...(ready.length === 0 ? {} : { addresses: ready.toSorted(byAddress) }),
    ...(others.length === 0 ? {} : { notReadyAddresses: others.toSorted(byAddress) }),
    ...(ports.length === 0
      ? {}
      : { ports: ports.map(({ name, ...port }) => ({ ...(name === '' ? {} : { name }), ...port })) }),
  }));
  const { name, namespace, labels } = service.metadata;
  const own: Labels = { ...labels, [MANAGED_BY]: CONTROLLER, ...(isHeadless(service) ? { [HEADLESS]: '' } : {}) };
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: own,
      ...(count > MOST_ADDRESSES ? { annotations: { [OVER_CAPACITY]: 'truncated' } } : {}),
    },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

function addressOf(service: Service, pod: Stored<Pod>, ip: string): EndpointAddress {
  const hostname = hostnameOf(service, pod);
  const { nodeName } = pod.spec;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: referenceTo(pod),
  };
}

const byAddress = (a: EndpointAddress, b: EndpointAddress): number =>
  a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : (a.targetRef?.name ?? '') < (b.targetRef?.name ?? '') ? -1 : 1;
