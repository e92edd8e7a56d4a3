/**
 * When all is quiet, no pod waits for room that is there, and none waits for room that less important pods hold. The
 * scheduler's long-lived state is compared with one made fresh from the API.
 */
import type { Namespace, Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createClusterState, type ClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePod, feasible } from '../../../core/placement/filters.ts';
import { preparePod } from '../../../core/placement/prepared-pod.ts';
import { isEnded, isGoing, type ClusterView } from '../cluster-view.ts';
import { shouldKnow, type InvariantFactory } from './invariant.ts';

const isWaiting = (pod: Pod): boolean =>
  (pod.spec.nodeName ?? '') === '' &&
  !isEnded(pod) &&
  !isGoing(pod) &&
  (pod.spec.schedulingGates ?? []).length === 0 &&
  (pod.spec.schedulerName ?? 'default-scheduler') === 'default-scheduler';

function clusterWith(view: ClusterView, counts: (pod: Stored<Pod>) => boolean): ClusterState {
  const cluster = createClusterState();
  for (const object of view.all('namespaces').values()) {
    const { metadata } = object as Stored<Namespace>;
    cluster.setNamespace(metadata.name, metadata.labels ?? {});
  }
  for (const node of view.nodes.values()) cluster.setNode(node);
  for (const pod of view.pods.values()) if ((pod.spec.nodeName ?? '') !== '' && counts(pod)) cluster.setPod(pod);
  return cluster;
}

function placeFor(pod: Stored<Pod>, cluster: ClusterState): string | undefined {
  const prepared = preparePod(compilePod(pod), cluster);
  for (const state of cluster.nodes.values()) if (feasible(prepared, state)) return state.name;
  return undefined;
}

export const nobodyWaits: InvariantFactory = () => ({
  name: 'nobody-waits-for-nothing',
  *settled(view) {
    const waiting = [...view.pods.values()].filter(isWaiting);
    if (waiting.length === 0) return;
    const cluster = clusterWith(view, () => true);
    for (const pod of waiting) {
      const node = placeFor(pod, cluster);
      if (node !== undefined) yield `${pod.metadata.name} waits although ${node} takes it`;
      else if (!pod.status?.conditions?.some(({ type, message }) => type === 'PodScheduled' && message !== undefined))
        yield `${pod.metadata.name} waits and nobody says why`;
    }
  },
});

/** For schedulers that preempt. */
export const noPriorityInversion: InvariantFactory = () => ({
  name: 'no-priority-inversion',
  *settled(view) {
    for (const pod of view.pods.values()) {
      if (!isWaiting(pod) || pod.spec.preemptionPolicy === 'Never') continue;
      const priority = pod.spec.priority ?? 0;
      const node = placeFor(
        pod,
        clusterWith(view, (other) => (other.spec.priority ?? 0) >= priority),
      );
      if (node !== undefined) yield `${pod.metadata.name} waits although ${node} takes it without less important pods`;
    }
  },
});

/** A scheduler preempts a pod only for one of higher priority that, as far as it could know, still waits. */
export const victimsMatterLess: InvariantFactory = () => {
  /** Waits that are over: the priority of the pod, and the revision that ended its wait. */
  let over: { readonly priority: number; readonly revision: number }[] = [];
  const hasNode = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '';
  return {
    name: 'victims-matter-less',
    committed({ key, object, previous, by, type, revision }, view) {
      if (key.resource !== 'pods' || previous === undefined) return undefined;
      const pod = object as Stored<Pod>;
      const before = previous as Stored<Pod>;
      const priority = pod.spec.priority ?? 0;
      if (!hasNode(before) && (hasNode(pod) || type === 'DELETED')) over.push({ priority, revision });
      if (by !== 'scheduler' || isGoing(before) || (type !== 'DELETED' && !isGoing(pod))) return undefined;
      for (const other of view.pods.values())
        if (!hasNode(other) && (other.spec.priority ?? 0) > priority) return undefined;
      over = over.filter((wait) => !shouldKnow(view, 'scheduler', 'pods', wait.revision));
      if (over.some((wait) => wait.priority > priority)) return undefined;
      return `${key.name} (priority ${priority}) was taken away, and nobody more important waits`;
    },
  };
};
