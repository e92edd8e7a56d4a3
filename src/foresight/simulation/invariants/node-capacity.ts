/** The admitted pods of a node never exceed its allocatable. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isEnded, type ClusterView } from '../cluster-view.ts';
import type { InvariantFactory } from './invariant.ts';
import { allocatableOf, requestOf, RESOURCES } from './simple-requests.ts';

/** The node's kubelet has admitted the pod: from then on it holds its share until it has ended. */
const isAdmitted = (pod: Pod): boolean => pod.status?.startTime !== undefined && !isEnded(pod);

export const nodeCapacity: InvariantFactory = () => ({
  name: 'node-capacity',
  committed({ key, object, previous }, view) {
    if (key.resource !== 'pods') return undefined;
    const pod = object as Stored<Pod>;
    if (!isAdmitted(pod) || (previous !== undefined && isAdmitted(previous as Stored<Pod>))) return undefined;
    return overcommitted(view, pod.spec.nodeName ?? '', isAdmitted);
  },
});

/** The first resource of which the node's pods hold more than is allocatable, in words. */
export function overcommitted(view: ClusterView, nodeName: string, counts: (pod: Pod) => boolean): string | undefined {
  const node = view.nodes.get(nodeName);
  if (node === undefined) return undefined;
  const held = [...view.podsOn(nodeName)].filter(counts);
  for (const resource of RESOURCES) {
    const total = held.reduce((sum, pod) => sum + requestOf(pod, resource), 0);
    const allocatable = allocatableOf(node, resource);
    if (total > allocatable)
      return `${nodeName} has ${allocatable} ${resource} and ${held.length} pods that hold ${total}: ${held.map(({ metadata }) => metadata.name).join(', ')}`;
  }
  return undefined;
}
