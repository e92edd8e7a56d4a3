/**
 * Mirrors hand-written Endpoints of a Service without a selector as slices: kube-proxy and other clients read only
 * slices.
 */
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../../../core/api/registry/resources.ts';
import type { Endpoints, Service } from '../../../../core/api/types/core-v1.ts';
import type { EndpointSlice } from '../../../../core/api/types/discovery-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import type { ObjectKey, Stored } from '../../../../core/kube/objects.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller/controller.ts';
import { keyOf, keyText } from '../../../../machinery/cache/object-keys.ts';
import { together } from '../../keeper.ts';
import { isNamespaceTerminating, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createNames } from '../../../../machinery/children/child-names.ts';
import { podPrefix } from '../common/pod-template.ts';
import { createTeller, loopOptions, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { isMirrored, MIRROR, type Mirrored, mirroredGroups, MOST_MIRRORED, planMirror } from './mirror.ts';
import { MANAGED_BY, SERVICE_NAME } from './slices.ts';

const INDEX = 'endpoints.mirrored';

export function createEndpointSliceMirroringController(options: WorkloadOptions): Actor {
  const { client, informers } = options;
  const services = informers.for(SERVICES);
  const endpoints = informers.for(ENDPOINTS);
  const slices = informers.for(ENDPOINT_SLICES);
  slices.addIndex(INDEX, (slice) => originOf(slice).map(keyText));
  const overlays = new Map<string, Overlay<EndpointSlice>>();
  const { actors, tell } = createTeller(options, 'endpoint-slice-mirroring-controller');

  const overlayOf = (key: ObjectKey): Overlay<EndpointSlice> => {
    const text = keyText(key);
    let overlay = overlays.get(text);
    if (overlay === undefined) overlays.set(text, (overlay = new Overlay<EndpointSlice>(slices)));
    return overlay;
  };

  const controller = createController<ObjectKey>({
    ...loopOptions(options, 'endpointslicemirroring'),
    async reconcile(key) {
      const origin = endpoints.lister.get(key.name, key.namespace);
      const isWanted = origin !== undefined && isMirrored(origin) && isWithoutSelector(key);
      const found = slices.lister.byIndex(INDEX, keyText(key));
      // Most Endpoints belong to a Service with a selector, and have no mirrored slices to delete.
      if (!isWanted && found.size === 0 && !overlays.has(keyText(key))) return;
      const overlay = overlayOf(key);
      const present = overlay.over(found).filter((slice) => !isBeingDeleted(slice));
      if (isWanted) await bring(origin, overlay, present);
      else {
        await remove(overlay, present);
        if (overlay.over(slices.lister.byIndex(INDEX, keyText(key))).length === 0) overlays.delete(keyText(key));
      }
    },
  });
  controller.watch(endpoints, (object, { object: now }) => (object === now ? [keyOf(object)] : []));
  controller.watch(services, (service, { type, object, old }) =>
    service === object && (type !== 'update' || hasSelector(object) !== hasSelector(old)) ? [keyOf(service)] : [],
  );
  controller.watch(slices, originOf);

  function isWithoutSelector(key: ObjectKey): boolean {
    const service = services.lister.get(key.name, key.namespace);
    return service !== undefined && !hasSelector(service);
  }

  async function bring(
    origin: Stored<Endpoints>,
    overlay: Overlay<EndpointSlice>,
    present: readonly Stored<EndpointSlice>[],
  ): Promise<void> {
    const { uid, name, namespace = '' } = origin.metadata;
    const mirrored = mirroredGroups(origin);
    complain(origin, mirrored);
    const isTaken = (each: string): boolean => slices.lister.get(each, namespace) !== undefined;
    const names = createNames(podPrefix(name), [uid], present, isTaken);
    const plan = planMirror(origin, mirrored.groups, present, () => names.next());
    for (const slice of isBeingDeleted(origin) ? [] : plan.create) {
      try {
        overlay.wrote(await client.create(ENDPOINT_SLICES, slice));
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        throw error;
      }
    }
    for (const slice of plan.update) overlay.wrote(await client.update(ENDPOINT_SLICES, slice));
    await remove(overlay, plan.remove);
  }

  async function remove(overlay: Overlay<EndpointSlice>, unwanted: readonly Stored<EndpointSlice>[]): Promise<void> {
    for (const slice of unwanted) {
      await unlessGone(client.delete(ENDPOINT_SLICES, keyOf(slice), { preconditions: { uid: slice.metadata.uid } }));
      overlay.gone(slice);
    }
  }

  /** The last warning by UID, so that no reconcile repeats it. */
  const said = new Map<string, string>();

  function complain(origin: Stored<Endpoints>, { invalid, tooMany }: Mirrored): void {
    const { uid } = origin.metadata;
    const text = `${invalid}/${tooMany}`;
    if (said.get(uid) === text) return;
    if (invalid + tooMany === 0) {
      said.delete(uid);
      return;
    }
    said.set(uid, text);
    const subject = withType(ENDPOINTS, origin);
    if (invalid > 0) {
      const note = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
      tell(subject, 'Warning', 'InvalidIPAddress', note);
    }
    if (tooMany > 0) {
      const limit = `A max of ${MOST_MIRRORED} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
      tell(subject, 'Warning', 'TooManyAddressesToMirror', `${limit} ${invalid + tooMany} addresses were skipped`);
    }
  }
  controller.watch(endpoints, (object, { type }) => {
    if (type === 'delete') said.delete(object.metadata.uid);
    return [];
  });
  return together('endpointslice-mirroring-controller', [controller, ...actors]);
}

const hasSelector = ({ spec }: Service): boolean => spec?.selector !== undefined;

/** The Endpoints a slice of ours mirrors. */
function originOf({ metadata: { namespace = '', labels } }: Stored<EndpointSlice>): readonly ObjectKey[] {
  const name = labelOf(labels, SERVICE_NAME);
  return name === undefined || labelOf(labels, MANAGED_BY) !== MIRROR ? [] : [{ namespace, name }];
}
