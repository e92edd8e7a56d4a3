/**
 * A pod gets labels with the zone and region of its node when it is bound, so that its containers can read them through
 * the downward API. Pods of one zone get the very same labels, so that those of one template go on sharing theirs.
 */
import type { Binding, Pod } from '../../core/api/types/core-v1.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';
import { mergedLabels } from './merged-labels.ts';

const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';
const ALLOWED: AdmissionResponse = { allowed: true };
/** More different regions, or zones of one, than this are not remembered: the memory starts anew. */
const MOST_PLACES = 1000;

export function createPodTopologyLabels(store: Store): AdmissionPlugin {
  /** By region and zone, as many nodes have the same. */
  const places = new Map<string | undefined, Map<string | undefined, Labels>>();

  function placeOf({ tenant }: AdmissionRequest, node: string): Labels | undefined {
    const labels = store.accepted({ tenant, group: '', resource: 'nodes', namespace: '', name: node })?.metadata.labels;
    if (labels === undefined) return undefined;
    const region = labels[REGION];
    const zone = labels[ZONE];
    if (region === undefined && zone === undefined) return undefined;
    const known = places.get(region)?.get(zone);
    if (known !== undefined) return known;
    const place: Labels = Object.freeze({
      ...(region === undefined ? {} : { [REGION]: region }),
      ...(zone === undefined ? {} : { [ZONE]: zone }),
    });
    remember(region, zone, place);
    return place;
  }

  function remember(region: string | undefined, zone: string | undefined, place: Labels): void {
    const zones = places.get(region);
    if (zones !== undefined && zones.size < MOST_PLACES) {
      zones.set(zone, place);
      return;
    }
    if (places.size >= MOST_PLACES) places.clear();
    places.set(region, new Map([[zone, place]]));
  }

  return {
    name: 'PodTopologyLabels',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' &&
      (subresource === '' || subresource === 'binding') &&
      resource.group === '' &&
      resource.resource === 'pods',
    mutate(request) {
      const object = request.object as Pod | Binding;
      const place = placeOf(request, nodeOf(object, request.subresource));
      if (place === undefined) return ALLOWED;
      const labels = mergedLabels(object.metadata?.labels, place);
      return { allowed: true, object: { ...object, metadata: { ...object.metadata, labels } } };
    },
  };
}

function nodeOf(object: Pod | Binding, subresource: string): string {
  if (subresource === '') return (object as Pod).spec?.nodeName ?? '';
  const { kind, name } = (object as Binding).target;
  return kind === 'Node' ? (name ?? '') : '';
}
