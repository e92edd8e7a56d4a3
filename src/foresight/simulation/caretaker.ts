/**
 * Stands in for those house-keepers of a cluster that are not there themselves yet, and never errs: pods on nodes that
 * are gone, and pods that a NoExecute taint drives off.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
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

  const remove = (pod: Stored<Pod>, force: boolean): void => {
    const { uid } = pod.metadata;
    const options = { preconditions: { uid }, ...(force ? { gracePeriodSeconds: 0 } : {}) };
    client.delete(PODS, keyOf(pod), options).catch(() => undefined);
  };

  function lookAtPod(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const nodeName = pod.spec.nodeName ?? '';
    if (nodeName === '') return;
    const node = view.nodes.get(nodeName);
    if (node === undefined) {
      const rounds = (missing.get(uid) ?? 0) + 1;
      missing.set(uid, rounds);
      if (rounds > QUARANTINE_ROUNDS) remove(pod, true);
      return;
    }
    missing.delete(uid);
    const seconds = compileTolerations(pod.spec.tolerations).secondsUntilEviction(node.spec.taints);
    if (seconds === Infinity) tainted.delete(uid);
    else if (!tainted.has(uid)) tainted.set(uid, clock.monotonic());
    const since = tainted.get(uid);
    if (since !== undefined && clock.monotonic() >= since + seconds * 1000 && !isGoing(pod)) remove(pod, false);
  }

  function round(): void {
    for (const pod of view.pods.values()) lookAtPod(pod);
    clock.after(ROUND_MS, round);
  }
  clock.after(ROUND_MS, round);
}
