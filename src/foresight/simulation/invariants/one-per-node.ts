/**
 * At most one live daemon pod per daemon, node and revision; never two running outside a surge. Judged when a pod
 * appears, for pods the controller itself created: the controller does not answer for a user's pods.
 */
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isEnded, isGoing, targetOf } from '../cluster-view.ts';
import { resourceName } from '../commit.ts';
import { budgetOf, REVISION_LABEL } from './daemon-facts.ts';
import type { InvariantFactory } from './invariant.ts';

export const onePerNode: InvariantFactory = () => {
  /** Daemons that were ever allowed a second pod on a node; a stale controller may still believe so. */
  const surging = new Set<string>();
  return {
    name: 'one-per-node',
    committed({ key, object, type }, view) {
      if (resourceName(key) === 'daemonsets.apps') {
        if (budgetOf(object as Stored<DaemonSet>, 1).maxSurge > 0) surging.add(object.metadata.uid);
        return undefined;
      }
      if (key.resource !== 'pods' || type === 'DELETED') return undefined;
      const pod = object as Stored<Pod>;
      const owner = controllerOf(pod);
      const node = targetOf(pod);
      if (owner?.kind !== 'DaemonSet' || node === undefined) return undefined;
      const pods = [...(view.daemonPods(owner.uid).get(node)?.values() ?? [])].filter(
        (each) => !isEnded(each) && view.creatorOf(each.metadata.uid) !== 'user',
      );
      if (pods.length < 2) return undefined;
      const names = (some: readonly Stored<Pod>[]): string => some.map(({ metadata }) => metadata.name).join(', ');
      const live = pods.filter((each) => !isGoing(each));
      const revision = pod.metadata.labels?.[REVISION_LABEL];
      const twins = live.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === revision);
      if (twins.length > 1)
        return `${owner.name} has ${twins.length} live pods of one revision for ${node}: ${names(twins)}`;
      if (live.length > 2) return `${owner.name} has ${live.length} live pods for ${node}: ${names(live)}`;
      if (surging.has(owner.uid)) return undefined;
      const running = pods.filter(({ status }) => status?.phase === 'Running');
      if (running.length > 1)
        return `${owner.name} runs ${running.length} pods on ${node} outside a surge: ${names(running)}`;
      if (live.length > 1)
        return `${owner.name} has ${live.length} live pods for ${node} outside a surge: ${names(live)}`;
      return undefined;
    },
  };
};
