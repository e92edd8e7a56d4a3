/** A waiting pod itself was changed: does that undo what kept it from its nodes? */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { requestsOfPod } from '../../../core/placement/requests.ts';
import { compileTolerations } from '../../../core/placement/taints.ts';
import { compileSpread } from '../../../core/placement/topology-spread.ts';
import { isSmaller } from './cluster-change.ts';
import { REJECTOR } from './rejectors.ts';

export function ownChangeHelps(rejectors: number, old: Pod, pod: Pod): boolean {
  if (old.spec === pod.spec && old.metadata.labels === pod.metadata.labels && old.status === pod.status) return false;
  if ((rejectors & REJECTOR.NodeResourcesFit) !== 0 && isSmaller(requestsOfPod(pod), requestsOfPod(old))) return true;
  if (!deepEqual(old.metadata.labels, pod.metadata.labels) && labelsHelp(rejectors, old, pod)) return true;
  // Tolerations can only be added.
  const { tolerations } = pod.spec;
  if (tolerations === old.spec.tolerations || deepEqual(tolerations, old.spec.tolerations))
    return otherwise(rejectors, old, pod);
  if ((rejectors & REJECTOR.TaintToleration) !== 0) return true;
  if ((rejectors & REJECTOR.NodeUnschedulable) !== 0 && compileTolerations(tolerations).toleratesUnschedulable)
    return true;
  if ((rejectors & REJECTOR.PodTopologySpread) !== 0 && spreadOf(pod).some((constraint) => constraint.honorTaints))
    return true;
  return otherwise(rejectors, old, pod);
}

const spreadOf = (pod: Pod) => compileSpread(pod.spec, pod.metadata.labels).hard;

function labelsHelp(rejectors: number, old: Pod, pod: Pod): boolean {
  if ((rejectors & REJECTOR.InterPodAffinity) !== 0) return true;
  if ((rejectors & REJECTOR.PodTopologySpread) === 0) return false;
  return spreadOf(pod).some(
    ({ selector }) => selector.matches(old.metadata.labels) !== selector.matches(pod.metadata.labels),
  );
}

/** Plugins of other rooms may look at anything; and a gated pod may have had its node affinity changed. */
function otherwise(rejectors: number, old: Pod, pod: Pod): boolean {
  if ((rejectors & REJECTOR.Plugin) !== 0 && !deepEqual({ ...old, status: null }, { ...pod, status: null }))
    return true;
  return !deepEqual(old.spec.affinity, pod.spec.affinity) || !deepEqual(old.spec.nodeSelector, pod.spec.nodeSelector);
}
