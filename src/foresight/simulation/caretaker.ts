/**
 * Stands in for the house-keepers of a cluster until they are there themselves, and never errs: pods on nodes that are
 * gone, pods that a NoExecute taint drives off, dependents whose owner is gone, and disruption budgets.
 */
import { CONTROLLER_REVISIONS, PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { compileTolerations } from '../../core/placement/taints.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';
import { keyOf } from '../../machinery/object-keys.ts';
import { isGoing, type ClusterView } from './cluster-view.ts';

const ROUND_MS = 10_000;
/** A node must have been missing for two rounds before its pods are believed lost. */
const QUARANTINE_ROUNDS = 3;

export function startCaretaker(client: Client, clock: Clock, view: ClusterView): void {
  /** Rounds in which the pod's node was missing, by UID. */
  const missing = new Map<string, number>();
  /** When a NoExecute taint was first seen over a pod, by UID. */
  const tainted = new Map<string, number>();

  const remove = (resource: Resource, object: Stored, force: boolean): void => {
    const { uid } = object.metadata;
    const options = { preconditions: { uid }, ...(force ? { gracePeriodSeconds: 0 } : {}) };
    client.delete(resource, keyOf(object), options).catch(() => undefined);
  };

  function lookAtPod(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const nodeName = pod.spec.nodeName ?? '';
    if (nodeName === '') return;
    const node = view.nodes.get(nodeName);
    if (node === undefined) {
      const rounds = (missing.get(uid) ?? 0) + 1;
      missing.set(uid, rounds);
      if (rounds > QUARANTINE_ROUNDS) remove(PODS, pod, true);
      return;
    }
    missing.delete(uid);
    const seconds = compileTolerations(pod.spec.tolerations).secondsUntilEviction(node.spec.taints);
    if (seconds === Infinity) tainted.delete(uid);
    else if (!tainted.has(uid)) tainted.set(uid, clock.monotonic());
    const since = tainted.get(uid);
    if (since !== undefined && clock.monotonic() >= since + seconds * 1000 && !isGoing(pod)) remove(PODS, pod, false);
  }

  const isOrphan = (object: KubeObject): boolean => {
    const owner = controllerOf(object);
    if (owner?.kind !== 'DaemonSet') return false;
    const held = view.daemonSets.get(`${object.metadata.namespace}/${owner.name}`);
    return held?.metadata.uid !== owner.uid;
  };

  function round(): void {
    for (const pod of view.pods.values()) {
      if (isOrphan(pod) && !isGoing(pod)) remove(PODS, pod, false);
      else lookAtPod(pod);
    }
    for (const revision of view.all('controllerrevisions.apps').values())
      if (isOrphan(revision)) remove(CONTROLLER_REVISIONS, revision, false);
    clock.after(ROUND_MS, round);
  }
  clock.after(ROUND_MS, round);
}
