/** The order in which a ReplicaSet deletes surplus pods, as upstream. */
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { readySince } from '../../../../core/daemons/pod-child.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { parseTime } from '../../../../core/kube/time.ts';

export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const COST = /^(?:0|[1-9][0-9]*|-[0-9]+)$/;
const MAX_INT32 = 2_147_483_647;
const PHASES = ['Pending', 'Unknown', 'Running'];

interface Ranked {
  readonly pod: Stored<Pod>;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly readySince: number | undefined;
  readonly cost: number;
  /** Number of related pods on the pod's node. */
  readonly neighbours: number;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly created: number;
}

/** `count` of the pods, those to be deleted. @param related pods of all ReplicaSets with the same owner, active ones. */
export function podsToDelete(
  pods: readonly Stored<Pod>[],
  related: readonly Pod[],
  count: number,
  now: number,
): readonly Stored<Pod>[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const { spec } of related) onNode.set(spec.nodeName ?? '', (onNode.get(spec.nodeName ?? '') ?? 0) + 1);
  return pods
    .map((pod) => ranked(pod, onNode))
    .sort((a, b) => compare(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod);
}

function ranked(pod: Stored<Pod>, onNode: ReadonlyMap<string, number>): Ranked {
  const { nodeName = '' } = pod.spec;
  const [restarts, sidecarRestarts] = mostRestarts(pod);
  return {
    pod,
    isAssigned: nodeName !== '',
    phase: PHASES.indexOf(pod.status?.phase ?? 'Pending'),
    readySince: readySince(pod),
    cost: deletionCost(pod),
    neighbours: onNode.get(nodeName) ?? 0,
    restarts,
    sidecarRestarts,
    created: parseTime(pod.metadata.creationTimestamp) ?? 0,
  };
}

/** Negative: `a` goes first. */
function compare(a: Ranked, b: Ranked, now: number): number {
  if (a.isAssigned !== b.isAssigned) return a.isAssigned ? 1 : -1;
  if (a.phase !== b.phase) return a.phase - b.phase;
  if ((a.readySince === undefined) !== (b.readySince === undefined)) return a.readySince === undefined ? -1 : 1;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.neighbours !== b.neighbours) return b.neighbours - a.neighbours;
  if (a.readySince !== undefined && b.readySince !== undefined && a.readySince !== b.readySince)
    return byAge(a, b, a.readySince, b.readySince, now);
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts;
  if (a.created !== b.created) return byAge(a, b, a.created, b.created, now);
  return byUid(a, b);
}

const byUid = (a: Ranked, b: Ranked): number => (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1);

/** The younger first, where one is at least twice as old as the other; among pods of about the same age, by UID. */
function byAge(a: Ranked, b: Ranked, since: number, other: number, now: number): number {
  if (since === 0 || other === 0) return since === 0 ? -1 : 1;
  return logAge(since, now) - logAge(other, now) || byUid(a, b);
}

/** Upstream takes nanoseconds. */
const logAge = (since: number, now: number): number =>
  now > since ? Math.trunc(Math.log2((now - since) * 1_000_000)) : -1;

function deletionCost(pod: Pod): number {
  const text = labelOf(pod.metadata.annotations, DELETION_COST);
  if (text === undefined || !COST.test(text)) return 0;
  const cost = Number(text);
  return cost >= -MAX_INT32 - 1 && cost <= MAX_INT32 ? cost : 0;
}

function mostRestarts(pod: Pod): readonly [regular: number, sidecars: number] {
  let regular = 0;
  for (const { restartCount } of pod.status?.containerStatuses ?? []) regular = Math.max(regular, restartCount);
  let sidecars = 0;
  const isSidecar = (name: string): boolean =>
    pod.spec.initContainers?.some((each) => each.name === name && each.restartPolicy === 'Always') ?? false;
  for (const { name, restartCount } of pod.status?.initContainerStatuses ?? [])
    if (isSidecar(name)) sidecars = Math.max(sidecars, restartCount);
  return [regular, sidecars];
}
