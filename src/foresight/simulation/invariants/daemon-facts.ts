/** Facts about a daemon that follow from a committed state, computed plainly: the oracle that invariants share. */
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type {
  Affinity,
  Node,
  NodeSelectorRequirement,
  Pod,
  Taint,
  Toleration,
} from '../../../core/api/types/core-v1.ts';
import { daemonTolerations, UNRESERVED_TOLERATION } from '../../../core/daemons/daemon-tolerations.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isGoing, isReadyPod, type ClusterView } from '../cluster-view.ts';

export interface Eligibility {
  readonly shouldRun: boolean;
  readonly shouldContinue: boolean;
}

export function eligibility({ spec: { template } }: DaemonSet, node: Node): Eligibility {
  const spec = template.spec;
  if (spec === undefined) return { shouldRun: false, shouldContinue: false };
  const isElsewhere = (spec.nodeName ?? '') !== '' && spec.nodeName !== node.metadata.name;
  if (isElsewhere || !selects(spec, node)) return { shouldRun: false, shouldContinue: false };
  // The list is a fact of Kubernetes, with a test beside it; how a toleration meets a taint is worked out here once more.
  const tolerations = [...daemonTolerations(spec), UNRESERVED_TOLERATION];
  const untolerated = (node.spec.taints ?? []).filter(
    (taint) => !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  return {
    shouldRun: !untolerated.some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute'),
    shouldContinue: !untolerated.some(({ effect }) => effect === 'NoExecute'),
  };
}

export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '');
}

interface Selection {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly affinity?: Affinity;
}

export function selects(spec: Selection, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((each) => meets(each, labels[each.key])) &&
      matchFields.every((each) => meets(each, node.metadata.name))
    );
  });
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** A number or a percentage of `of`, rounded up. */
function resolve(amount: number | string | undefined, of: number, fallback: number): number {
  if (amount === undefined) return fallback;
  if (typeof amount === 'number') return amount;
  return amount.endsWith('%') ? Math.ceil((Number(amount.slice(0, -1)) * of) / 100) : Number(amount);
}

export interface Budget {
  readonly maxUnavailable: number;
  readonly maxSurge: number;
}

export function budgetOf({ spec: { updateStrategy } }: DaemonSet, desired: number): Budget {
  const { maxUnavailable, maxSurge } = updateStrategy?.rollingUpdate ?? {};
  const surge = resolve(maxSurge, desired, 0);
  const unavailable = resolve(maxUnavailable, desired, surge > 0 ? 0 : 1);
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Ready for as long as asked, at this time (epoch ms). */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReadyPod(pod) || isGoing(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return since !== undefined && (parseTime(since) ?? Infinity) + minReadySeconds * 1000 <= now;
}

export const REVISION_LABEL = 'controller-revision-hash';

/**
 * A rollout may rest unfinished: as many nodes as it may touch at a time lack an available pod, for reasons that are not
 * its own (a node that is down, no room). Upstream counts every node with a pod, eligible or not.
 */
export function isHeldUp(view: ClusterView, daemon: Stored<DaemonSet>): boolean {
  const now = view.wall();
  const minReady = daemon.spec.minReadySeconds ?? 0;
  const pods = view.daemonPods(daemon.metadata.uid);
  let desired = 0;
  let lacking = 0;
  for (const node of view.nodes.values()) {
    const here = [...(pods.get(node.metadata.name)?.values() ?? [])];
    const { shouldRun } = eligibility(daemon, node);
    if (shouldRun) desired += 1;
    else if (here.length === 0) continue;
    const isWhole = here.length === 1 && here.some((pod) => isAvailable(pod, minReady, now));
    if (!isWhole) lacking += 1;
  }
  const { maxSurge, maxUnavailable } = budgetOf(daemon, desired);
  return lacking >= Math.max(maxSurge, maxUnavailable);
}
