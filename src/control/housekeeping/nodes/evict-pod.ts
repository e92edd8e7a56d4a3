/** Evicts a pod whose time on a tainted node is over: pod and node are read again, the pod is marked, then deleted. */
import { DISRUPTION_TARGET } from '../../../core/api/kinds/disruption-status.ts';
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import { findCondition, setCondition } from '../../../core/kube/conditions.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { emitEviction, type EvictionState } from './eviction-timers.ts';
import { executingTaints, stayMs } from './toleration-time.ts';

export async function evictPod(
  { clock, recorder }: EvictionState,
  client: Client,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const pod = await client.get(PODS, key, { signal }).catch(ignoreGone);
  const nodeName = pod?.spec?.nodeName ?? '';
  if (pod === undefined || nodeName === '' || pod.metadata.deletionTimestamp !== undefined) return;
  const node = await client.get(NODES, { name: nodeName }, { signal }).catch(ignoreGone);
  const stay = stayMs(executingTaints(node), pod.spec?.tolerations);
  // The node has no such taint any more; should one come back, the informers enqueue the pod again.
  if (node === undefined || stay === Number.POSITIVE_INFINITY) return;
  emitEviction(recorder, key, pod.metadata.uid, `Marking for deletion Pod ${key.namespace}/${key.name}`);
  const marked = await markDisrupted(client, pod, formatTime(clock.now()), signal);
  const preconditions = { uid: marked.metadata.uid };
  await client.delete(PODS, key, { preconditions, signal }).catch(ignoreGone);
}

async function markDisrupted(client: Client, pod: Stored<Pod>, now: string, signal: AbortSignal): Promise<Stored<Pod>> {
  const condition: PodCondition = {
    type: DISRUPTION_TARGET,
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  const before = findCondition(pod.status?.conditions, DISRUPTION_TARGET);
  const conditions = setCondition(pod.status?.conditions, { ...before, ...condition }, now);
  if (conditions === pod.status?.conditions) return pod;
  const marked: Stored<Pod> = { ...pod, status: { ...pod.status, conditions } };
  return client.update(PODS, marked, { subresource: 'status', signal });
}

function ignoreGone(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}
