/**
 * Writes into a pod's status why it has no node (PodScheduled=False) and its nominated node. Only differences are written,
 * newer changes replace those not written yet, and a failed write is retried until the pod has a node or is gone.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../core/api/types/core-v1.ts';
import type { JsonObject } from '../../core/kube/json.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';
import { createSlicedWork } from '../../machinery/time/sliced-work.ts';

interface StatusChange {
  /** PodScheduled=False with this reason and message; absent: the condition stays as it is. */
  readonly unscheduled?: { readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string };
  /** Empty clears the nominated node; absent: it stays as it is. */
  readonly nominatedNodeName?: string;
}

export interface StatusWriter {
  write(pod: Stored<Pod>, change: StatusChange): void;
  /** The pod has a node or is gone: drops the changes not written yet. */
  forget(uid: string): void;
  stop(): Promise<void>;
}

export interface StatusWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pods: Lister<Pod>;
  readonly signal: AbortSignal;
}

interface PendingChange {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly change: StatusChange;
}

export function createStatusWriter({ client, clock, logger, pods, signal }: StatusWriterOptions): StatusWriter {
  /** Changes not written yet, by UID of the pod. */
  const pending = new Map<string, PendingChange>();
  const work = createSlicedWork({
    clock,
    sync(uid) {
      const target = pending.get(uid);
      if (target === undefined) return undefined;
      const pod = pods.get(target.name, target.namespace);
      const body =
        pod === undefined || pod.metadata.uid !== uid ? undefined : patchFor(pod, target.change, clock.now());
      if (pod === undefined || body === undefined) {
        pending.delete(uid);
        return undefined;
      }
      return write(pod, body, target);
    },
    onError(uid, error) {
      // A conflict means that another pod has this name: the patch carries the UID.
      if (signal.aborted || isStatus(error, 'NotFound') || isStatus(error, 'Conflict') || isStatus(error, 'Invalid')) {
        pending.delete(uid);
        return false;
      }
      const target = pending.get(uid);
      logger.warn('Could not write the status of a pod', {
        ...(target === undefined ? {} : { name: target.name }),
        error,
      });
      return true;
    },
  });

  async function write(pod: Stored<Pod>, body: JsonObject, target: PendingChange): Promise<void> {
    await client.patch(PODS, keyOf(pod), { type: 'strategic', body }, { subresource: 'status', signal });
    // A newer change stays pending.
    if (pending.get(pod.metadata.uid) === target) pending.delete(pod.metadata.uid);
  }

  return {
    write(pod, change) {
      const { uid, namespace, name } = pod.metadata;
      pending.set(uid, { namespace, name, change: { ...pending.get(uid)?.change, ...change } });
      work.add(uid);
    },
    forget(uid) {
      if (pending.delete(uid)) work.forget(uid);
    },
    stop: () => work.stop(),
  };
}

/** `undefined` when the status has all of the change already. */
function patchFor(
  pod: Stored<Pod>,
  { unscheduled, nominatedNodeName }: StatusChange,
  now: number,
): JsonObject | undefined {
  if ((pod.spec.nodeName ?? '') !== '') return undefined;
  const status: { conditions?: PodCondition[]; nominatedNodeName?: string | null } = {};
  if (nominatedNodeName !== undefined && nominatedNodeName !== (pod.status?.nominatedNodeName ?? '')) {
    status.nominatedNodeName = nominatedNodeName === '' ? null : nominatedNodeName;
  }
  const condition = unscheduled === undefined ? undefined : conditionFor(pod, unscheduled, now);
  if (condition !== undefined) status.conditions = [condition];
  if (status.conditions === undefined && status.nominatedNodeName === undefined) return undefined;
  return { metadata: { uid: pod.metadata.uid }, status } as unknown as JsonObject;
}

function conditionFor(
  pod: Stored<Pod>,
  unscheduled: NonNullable<StatusChange['unscheduled']>,
  now: number,
): PodCondition | undefined {
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (old?.status === 'False' && old.reason === unscheduled.reason && old.message === unscheduled.message)
    return undefined;
  const { generation } = pod.metadata;
  const since = old?.status === 'False' ? old.lastTransitionTime : undefined;
  return {
    type: 'PodScheduled',
    status: 'False',
    reason: unscheduled.reason,
    message: unscheduled.message,
    lastTransitionTime: since ?? formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
