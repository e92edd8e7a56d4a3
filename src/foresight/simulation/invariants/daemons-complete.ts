/**
 * When all is quiet: every eligible node has exactly one pod of each daemon, of the newest revision and ready where the
 * node has room; nodes that may not run it have none; and the status says so.
 */
import type { ControllerRevision, DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isEnded, isGoing, isReadyPod, type ClusterView } from '../cluster-view.ts';
import { eligibility, isAvailable, isHeldUp, REVISION_LABEL } from './daemon-facts.ts';
import type { InvariantFactory } from './invariant.ts';

const isKept = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** The label value of the newest revision of this daemon. */
function newestRevision(view: ClusterView, daemon: Stored<DaemonSet>): Stored<ControllerRevision> | undefined {
  let newest: Stored<ControllerRevision> | undefined;
  for (const object of view.all('controllerrevisions.apps').values()) {
    const revision = object as Stored<ControllerRevision>;
    if (controllerOf(revision)?.uid !== daemon.metadata.uid) continue;
    if (newest === undefined || revision.revision > newest.revision) newest = revision;
  }
  return newest;
}

export const daemonsComplete: InvariantFactory = () => ({
  name: 'daemons-complete',
  *settled(view) {
    for (const daemon of view.daemonSets.values()) {
      if (isGoing(daemon)) continue;
      for (const node of view.nodes.values()) yield* judgeNode(view, daemon, node);
      yield* judgeStatus(view, daemon);
      for (const [node, pods] of view.daemonPods(daemon.metadata.uid)) {
        if (!view.nodes.has(node) && pods.size > 0)
          yield `${daemon.metadata.name} still has ${[...pods.keys()].join(', ')} for ${node}, which is gone`;
      }
    }
  },
});

function* judgeNode(view: ClusterView, daemon: Stored<DaemonSet>, node: Stored<Node>): Generator<string> {
  const { name } = node.metadata;
  const who = `${daemon.metadata.name} on ${name}`;
  const { shouldRun, shouldContinue } = eligibility(daemon, node);
  const pods = [...(view.daemonPods(daemon.metadata.uid).get(name)?.values() ?? [])];
  const live = pods.filter((pod) => !isGoing(pod) && !isEnded(pod));
  if (!shouldContinue) {
    // Live pods only: on a node whose kubelet is away, a pod that is being deleted cannot go.
    if (live.length > 0) yield `${who}: ${live.length} pods where none may run`;
    return;
  }
  // Existing pods may stay, even those of a surge that was interrupted.
  if (!shouldRun) return;
  if (live.length > 1) yield `${who}: ${live.length} live pods`;
  const [pod] = live;
  if (pod === undefined) {
    const isStuck = pods.some(isGoing) && !isKept(node);
    if (!isStuck) yield `${who}: no pod (${pods.map(({ status }) => status?.phase).join(', ') || 'none at all'})`;
    return;
  }
  const newest = newestRevision(view, daemon)?.metadata.labels?.[REVISION_LABEL];
  const isRolling = daemon.spec.updateStrategy?.type !== 'OnDelete';
  const revision = pod.metadata.labels?.[REVISION_LABEL];
  if (isRolling && revision !== newest && !isHeldUp(view, daemon))
    yield `${who}: revision ${revision}, newest is ${newest}`;
}

function* judgeStatus(view: ClusterView, daemon: Stored<DaemonSet>): Generator<string> {
  const { status } = daemon;
  const { name, generation } = daemon.metadata;
  const expected = expectedStatus(view, daemon);
  if (status?.observedGeneration !== generation)
    yield `${name}: status is of generation ${status?.observedGeneration ?? 'none'}, spec of ${generation}`;
  for (const [field, value] of Object.entries(expected)) {
    const said = status?.[field as keyof typeof expected] ?? 0;
    if (said !== value) yield `${name}: status.${field} is ${said}, counted ${value}`;
  }
}

function expectedStatus(view: ClusterView, daemon: Stored<DaemonSet>) {
  const counts = {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    numberAvailable: 0,
    numberUnavailable: 0,
    updatedNumberScheduled: 0,
  };
  const newest = newestRevision(view, daemon)?.metadata.labels?.[REVISION_LABEL];
  const now = view.wall();
  for (const node of view.nodes.values()) {
    const { shouldRun } = eligibility(daemon, node);
    const [pod] = view.daemonPods(daemon.metadata.uid).get(node.metadata.name)?.values() ?? [];
    if (!shouldRun) {
      if (pod !== undefined) counts.numberMisscheduled += 1;
      continue;
    }
    counts.desiredNumberScheduled += 1;
    if (pod === undefined) continue;
    counts.currentNumberScheduled += 1;
    if (isReadyPod(pod)) counts.numberReady += 1;
    if (
      isReadyPod(pod) &&
      isAvailable({ ...pod, metadata: { ...pod.metadata } }, daemon.spec.minReadySeconds ?? 0, now)
    )
      counts.numberAvailable += 1;
    if (pod.metadata.labels?.[REVISION_LABEL] === newest) counts.updatedNumberScheduled += 1;
  }
  counts.numberUnavailable = counts.desiredNumberScheduled - counts.numberAvailable;
  return counts;
}
