/** Pods of nodes that are no longer heard of are not ready: no kubelet vouches for them. */
import { PODS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { isConditionTrue, setCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import { AT_ONCE, type LifecycleState, nowText } from './lifecycle-state.ts';

/** Walks all pods once, however many nodes fell. */
export async function markPodsNotReady(
  lifecycle: LifecycleState,
  on: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const affected: Stored<Pod>[] = [];
  for (const pod of lifecycle.pods.list()) {
    if (on.has(pod.spec?.nodeName ?? '') && isConditionTrue(pod.status?.conditions, 'Ready')) affected.push(pod);
  }
  for (const name of on) lifecycle.unmarked.delete(name);
  await forEachBounded(affected, AT_ONCE, (pod) => markNotReady(lifecycle, pod, signal));
}

async function markNotReady(lifecycle: LifecycleState, pod: Stored<Pod>, signal: AbortSignal): Promise<void> {
  const now = nowText(lifecycle);
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const conditions = setCondition(
    pod.status?.conditions,
    { ...ready, type: 'Ready', status: 'False', lastTransitionTime: now },
    now,
  );
  try {
    const marked: Stored<Pod> = { ...pod, status: { ...pod.status, conditions } };
    await lifecycle.client.update(PODS, marked, { subresource: 'status', signal });
    lifecycle.recorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' });
  } catch (error) {
    if (isStatus(error, 'NotFound')) return;
    lifecycle.unmarked.add(pod.spec?.nodeName ?? '');
    if (!isStatus(error, 'Conflict')) throw error;
  }
}
