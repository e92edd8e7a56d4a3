/**
 * A pod is told the zone and region of its node when it is bound to it, so that what runs in it can ask its own labels.
 * Pods of one zone get the very same labels, so that those of one template go on sharing theirs.
 */
import type { Binding, Pod } from '../../core/api/types/core-v1.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/admission.ts';
import type { Store } from '../store/store.ts';
import { mergedLabels } from './merged-labels.ts';

const COPIED = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'] as const;
const ALLOWED: AdmissionResponse = { allowed: true };
/** More different places than this are not remembered: the memory starts anew. */
const MOST_PLACES = 1000;

export function createPodTopologyLabels(store: Store): AdmissionPlugin {
  /** By their values, as several nodes have the same. */
  const places = new Map<string, Labels>();

  function placeOf({ tenant }: AdmissionRequest, node: string): Labels | undefined {
    const labels = store.accepted({ tenant, group: '', resource: 'nodes', namespace: '', name: node })?.metadata.labels;
    if (labels === undefined) return undefined;
    const own = COPIED.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const]));
    if (own.length === 0) return undefined;
    const text = JSON.stringify(own);
    let place = places.get(text);
    if (place === undefined) {
      if (places.size >= MOST_PLACES) places.clear();
      places.set(text, (place = Object.freeze(Object.fromEntries(own))));
    }
    return place;
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
