/**
 * endpoints/ — the addresses behind Services with selectors: EndpointSlices, and the Endpoints that older clients read.
 * `service-pods.ts` says what stands behind a Service, `slices.ts` how it is spread over slices.
 */
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../../core/api/registry/resources.ts';
import type { Node, Pod, Service } from '../../../../core/api/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../../../core/api/types/discovery-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import type { ObjectKey, Stored } from '../../../../core/kube/objects.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller/controller.ts';
import { keyOf, keyText } from '../../../../machinery/cache/object-keys.ts';
import type { Lister } from '../../../../machinery/cache/object-store.ts';
import { indexChildren } from '../../../../machinery/children/child-index.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createNames } from '../../../../machinery/children/child-names.ts';
import { podPrefix } from '../common/pod-template.ts';
import { loopOptions, type WorkloadOptions } from '../common/surroundings.ts';
import { feedServices, selectedPods } from './service-feed.ts';
import {
  conditionsOf,
  familiesOf,
  type Family,
  familyOf,
  hasEndpoint,
  hostnameOf,
  portsOf,
  referenceTo,
  selectsOf,
} from './service-pods.ts';
import { CONTROLLER, type Group, MANAGED_BY, planSlices, SERVICE_NAME } from './slices.ts';

const ZONE = 'topology.kubernetes.io/zone';

export function createEndpointSliceController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const services = informers.for(SERVICES);
  const pods = informers.for(PODS);
  const nodes = informers.for(NODES);
  const slices = informers.for(ENDPOINT_SLICES);
  const children = indexChildren(slices);
  const overlays = new Map<string, Overlay<EndpointSlice>>();

  function overlayOf(uid: string): Overlay<EndpointSlice> {
    let overlay = overlays.get(uid);
    if (overlay === undefined) overlays.set(uid, (overlay = new Overlay<EndpointSlice>(slices)));
    return overlay;
  }

  const controller = createController<ObjectKey>({
    ...loopOptions(options, 'endpointslice'),
    async reconcile(key) {
      const service = services.lister.get(key.name, key.namespace);
      const selects = service === undefined || isBeingDeleted(service) ? undefined : selectsOf(service);
      // Slices of a deleted Service are garbage collected; those of one without a selector are managed by others.
      if (service === undefined || selects === undefined) return feed.forget(key);
      const found = selectedPods(pods.lister.list(key.namespace), selects).filter(hasEndpoint);
      feed.looked(key, found.length);
      await bring(service, found);
      feed.looked(key, found.length);
    },
  });
  const feed = feedServices(controller, informers, clock);
  controller.watch(slices, (slice, { type, object }) => {
    const name = labelOf(slice.metadata.labels, SERVICE_NAME);
    const isOurs = labelOf(slice.metadata.labels, MANAGED_BY) === CONTROLLER;
    // Own writes need no reconcile; a deleted slice may have been deleted by another client.
    if (!isOurs || name === undefined || slice !== object || type === 'add') return [];
    if (type === 'delete') ourVersions.delete(keyText(keyOf(slice)));
    const namespace = slice.metadata.namespace ?? '';
    const uid = services.lister.get(name, namespace)?.metadata.uid ?? '';
    if (type === 'update' && ourVersions.get(keyText(keyOf(slice))) === slice.metadata.resourceVersion) return [];
    return overlays.has(uid) ? [{ namespace, name }] : [];
  });
  controller.watch(services, (service, { type, object }) => {
    if (type === 'delete' && service === object) overlays.delete(service.metadata.uid);
    return [];
  });
  controller.watch(nodes, () => []);
  /** The resourceVersion of our last write, by slice. */
  const ourVersions = new Map<string, string>();

  async function bring(service: Stored<Service>, found: readonly Stored<Pod>[]): Promise<void> {
    const { uid, name, namespace = '' } = service.metadata;
    const overlay = overlayOf(uid);
    const isOurs = (slice: Stored<EndpointSlice>): boolean => labelOf(slice.metadata.labels, MANAGED_BY) === CONTROLLER;
    const present = overlay.over(children.of(uid)).filter((slice) => isOurs(slice) && !isBeingDeleted(slice));
    const groups = groupsOf(service, found, nodes.lister);
    const names = createNames(
      podPrefix(name),
      [uid],
      present,
      (each) => slices.lister.get(each, namespace) !== undefined,
    );
    const plan = planSlices(service, groups, present, () => names.next());
    const wrote = (slice: Stored<EndpointSlice>): void => {
      overlay.wrote(slice);
      ourVersions.set(keyText(keyOf(slice)), slice.metadata.resourceVersion);
    };
    for (const slice of plan.create) wrote(await client.create(ENDPOINT_SLICES, slice));
    for (const slice of plan.update) wrote(await client.update(ENDPOINT_SLICES, slice));
    for (const slice of plan.remove) {
      await unlessGone(client.delete(ENDPOINT_SLICES, keyOf(slice), { preconditions: { uid: slice.metadata.uid } }));
      overlay.gone(slice);
      ourVersions.delete(keyText(keyOf(slice)));
    }
  }
  return controller;
}

/** Endpoints grouped by address family and ports, of which a slice has one each. Without any, one empty group. */
function groupsOf(service: Stored<Service>, pods: readonly Stored<Pod>[], nodes: Lister<Node>): readonly Group[] {
  const groups = new Map<
    string,
    { readonly family: Family; readonly ports: Group['ports']; readonly endpoints: Endpoint[] }
  >();
  for (const family of familiesOf(service)) {
    for (const pod of pods) {
      const addresses = pod.status?.podIPs?.map(({ ip }) => ip).filter((ip) => familyOf(ip) === family) ?? [];
      if (addresses.length === 0) continue;
      const ports = portsOf(service, pod);
      const key = JSON.stringify([family, ports]);
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = { family, ports, endpoints: [] }));
      group.endpoints.push(endpointOf(service, pod, addresses, nodes));
    }
  }
  if (groups.size > 0) return [...groups.values()];
  return [{ family: familiesOf(service)[0] ?? 'IPv4', ports: [], endpoints: [] }];
}

function endpointOf(service: Service, pod: Stored<Pod>, addresses: readonly string[], nodes: Lister<Node>): Endpoint {
  const { nodeName } = pod.spec;
  const zone = nodeName === undefined ? undefined : labelOf(nodes.get(nodeName)?.metadata.labels, ZONE);
  const hostname = hostnameOf(service, pod);
  return {
    addresses,
    conditions: conditionsOf(service, pod),
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: referenceTo(pod),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
  };
}
