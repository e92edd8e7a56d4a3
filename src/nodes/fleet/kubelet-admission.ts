/**
 * The kubelet's own last look at a pod before it starts it. The scheduler's decision may have been wrong or raced; a
 * node never takes more than it has. Pods counted are the active ones, terminating ones among them.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Amount } from '../../core/placement/amounts.ts';
import { REASONS } from '../../core/placement/answer.ts';
import { firstConflict, hostPortsOf } from '../../core/placement/host-ports.ts';
import { compileRequiredNodeAffinity } from '../../core/placement/node-affinity.ts';
import { fits } from '../../core/placement/fit.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import { requestsOfSpec } from '../../core/placement/requests.ts';
import { compileTolerations } from '../../core/placement/taints.ts';

/** A refusal as the event tells it; the pod's status says the same after "Pod was rejected: ". */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

export function admit(pod: Pod, state: NodeState): Rejection | undefined {
  return (
    rejectBySystem(pod, state) ??
    rejectByResources(pod, state) ??
    rejectByAffinity(pod, state) ??
    rejectByPorts(pod, state) ??
    rejectByTaints(pod, state)
  );
}

const OS_LABEL = 'kubernetes.io/os';

function rejectBySystem(pod: Pod, { node }: NodeState): Rejection | undefined {
  const system = node.metadata.labels?.[OS_LABEL] ?? 'linux';
  const labelled = pod.metadata.labels?.[OS_LABEL];
  if (labelled !== undefined && labelled !== system) {
    const message = `Failed to admit pod as the \`${OS_LABEL}\` label doesn't match node label`;
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  if (pod.spec.os === undefined || pod.spec.os.name === system) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

/**
 * Extended resources that a node does not list belong to the cluster, not to the node: the kubelet does not check them.
 */
const isUnknownExtended = (name: string, { allocatable }: NodeState): boolean =>
  name.includes('/') && !name.includes('kubernetes.io/') && !allocatable.scalars.has(name);

function rejectByResources(pod: Pod, state: NodeState): Rejection | undefined {
  const requests = requestsOfSpec(pod.spec);
  if (fits(requests, state)) return undefined;
  const { allocatable } = state;
  const rows: readonly (readonly [name: string, wanted: Amount, used: Amount, capacity: Amount])[] = [
    ['pods', 1, state.pods.size, allocatable.pods],
    ['cpu', requests.cpu, state.requestedCpu, allocatable.cpu],
    ['memory', requests.memory, state.requestedMemory, allocatable.memory],
    ['ephemeral-storage', requests.ephemeralStorage, state.requestedEphemeralStorage, allocatable.ephemeralStorage],
    ...[...requests.scalars]
      .filter(([name]) => !isUnknownExtended(name, state))
      .map(
        ([name, wanted]) =>
          [name, wanted, state.requestedScalars.get(name) ?? 0, allocatable.scalars.get(name) ?? 0] as const,
      ),
  ];
  const short = rows.find(
    ([, wanted, used, capacity]) => wanted > 0 && BigInt(wanted) + BigInt(used) > BigInt(capacity),
  );
  if (short === undefined) return undefined;
  const [name, wanted, used, capacity] = short;
  return {
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${wanted}, used: ${used}, capacity: ${capacity}`,
  };
}

function rejectByAffinity(pod: Pod, state: NodeState): Rejection | undefined {
  const { spec } = pod;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec.nodeSelector === undefined && required === undefined) return undefined;
  return compileRequiredNodeAffinity(spec).matches(state.node)
    ? undefined
    : predicate('NodeAffinity', REASONS.NodeAffinityMismatch.message);
}

function rejectByPorts(pod: Pod, state: NodeState): Rejection | undefined {
  const conflict = state.ports.size === 0 ? undefined : firstConflict(state.ports, hostPortsOf(pod.spec));
  return conflict === undefined ? undefined : predicate('NodePorts', REASONS.HostPortConflict.message);
}

/** Only NoExecute: a pod that was bound past a NoSchedule taint is left where it is. */
function rejectByTaints(pod: Pod, state: NodeState): Rejection | undefined {
  const taints = state.node.spec.taints;
  if (taints === undefined || taints.length === 0) return undefined;
  const tolerations = compileTolerations(pod.spec.tolerations);
  const untolerated = taints.some((taint) => taint.effect === 'NoExecute' && !tolerations.tolerates(taint));
  return untolerated ? predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate") : undefined;
}

const predicate = (reason: string, description: string): Rejection => ({
  reason,
  message: `Predicate ${reason} failed: ${description}`,
});
