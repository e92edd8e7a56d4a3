/** Which pods are the DaemonSet's: adopts orphans that its selector matches, releases pods that it no longer matches. */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { formatLabelSelector } from '../../core/kube/label-selector.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { type Claims, isAdoptable } from '../../machinery/children/claims.ts';
import { hasSeen } from '../../machinery/children/overlay.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import type { KnownDaemon } from './known-daemon.ts';

/**
 * A new DaemonSet may find pods that a former one left behind. A cache that is older than the DaemonSet may show them as the
 * former one's still, and pods created beside them would be one too many a node: then the server is asked.
 */
export async function learnOrphans(
  client: Client,
  pods: Informer<Pod>,
  { object, claims }: KnownDaemon,
  signal: AbortSignal,
): Promise<void> {
  if (claims.knowsOrphans) return;
  if (!hasSeen(pods, object)) {
    const { namespace = '' } = object.metadata;
    const labelSelector = formatLabelSelector(object.spec.selector);
    const { items } = await client.list(PODS, { namespace, labelSelector, signal });
    for (const pod of items) if (isFree(pod)) claims.adoptable.set(pod.metadata.uid, pod);
  }
  claims.knowsOrphans = true;
}

/** Works off the pods that are to be released or adopted. */
export async function claimPods({ claims: record, children }: KnownDaemon, claims: Claims): Promise<void> {
  for (const pod of [...record.releasable.values()]) {
    const released = await claims.release(PODS, pod);
    record.releasable.delete(pod.metadata.uid);
    if (released === 'gone' || released === 'free') continue;
    children.wrote(released);
    if (released.spec.nodeName) record.vacated.add(released.spec.nodeName);
  }
  for (const pod of [...record.adoptable.values()]) {
    const adopted = isFree(pod) ? await claims.adopt(PODS, pod) : 'gone';
    record.adoptable.delete(pod.metadata.uid);
    if (adopted !== 'gone') children.wrote(adopted);
  }
}

/** The selector has been asked already, when the pod was listed or put among the adoptable. */
const isFree = (pod: Stored<Pod>): boolean => isAdoptable(pod, () => true);

/**
 * How long to wait before a node whose pod was released gets another; 0 for not at all. A webhook that changes the labels of
 * every new pod must not lead to pods without end.
 */
export function waitAfterRelease({ claims, uid }: KnownDaemon, node: string, backoff: FailedPodBackoff): number {
  if (claims.vacated.size === 0 || !claims.vacated.has(node)) return 0;
  const waitMs = backoff.attempt(`let go ${uid}/${node}`);
  if (waitMs === 0) claims.vacated.delete(node);
  return waitMs;
}
