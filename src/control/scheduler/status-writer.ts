/**
 * Why a pod has no node, and which it was promised, written into its status. Only what differs is written, the newest
 * wish replaces older ones that wait, and what cannot be written is tried again until it is void.
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

interface Wish {
  /** PodScheduled=False with this; absent: the condition stays as it is. */
  readonly unscheduled?: { readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string };
  /** Empty clears it; absent: it stays as it is. */
  readonly nominatedNodeName?: string;
}

export interface StatusWriter {
  write(pod: Stored<Pod>, wish: Wish): void;
  /** The pod has a node or is gone: nothing of the kind is to be said any more. */
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

interface Wanted {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly wish: Wish;
}

export function createStatusWriter({ client, clock, logger, pods, signal }: StatusWriterOptions): StatusWriter {
  const wanted = new Map<string, Wanted>();
  const work = createSlicedWork({
    clock,
    look(uid) {
      const target = wanted.get(uid);
      if (target === undefined) return undefined;
      const pod = pods.get(target.name, target.namespace);
      const body = pod === undefined || pod.metadata.uid !== uid ? undefined : patchFor(pod, target.wish, clock.now());
      if (pod === undefined || body === undefined) {
        wanted.delete(uid);
        return undefined;
      }
      return write(pod, body, target);
    },
    onError(uid, error) {
      // A conflict here means another pod of that name.
      if (signal.aborted || isStatus(error, 'NotFound') || isStatus(error, 'Conflict') || isStatus(error, 'Invalid')) {
        wanted.delete(uid);
        return false;
      }
      const target = wanted.get(uid);
      logger.warn('Could not write why a pod waits', { ...(target === undefined ? {} : { name: target.name }), error });
      return true;
    },
  });

  async function write(pod: Stored<Pod>, body: JsonObject, target: Wanted): Promise<void> {
    await client.patch(PODS, keyOf(pod), { type: 'strategic', body }, { subresource: 'status', signal });
    // Unless something else is wished by now.
    if (wanted.get(pod.metadata.uid) === target) wanted.delete(pod.metadata.uid);
  }

  return {
    write(pod, wish) {
      const { uid, namespace, name } = pod.metadata;
      wanted.set(uid, { namespace, name, wish: { ...wanted.get(uid)?.wish, ...wish } });
      work.add(uid);
    },
    forget(uid) {
      if (wanted.delete(uid)) work.forget(uid);
    },
    stop: () => work.stop(),
  };
}

/** `undefined` when the status says it all already. */
function patchFor(pod: Stored<Pod>, { unscheduled, nominatedNodeName }: Wish, now: number): JsonObject | undefined {
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

function conditionFor(pod: Stored<Pod>, said: NonNullable<Wish['unscheduled']>, now: number): PodCondition | undefined {
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (old?.status === 'False' && old.reason === said.reason && old.message === said.message) return undefined;
  const { generation } = pod.metadata;
  const since = old?.status === 'False' ? old.lastTransitionTime : undefined;
  return {
    type: 'PodScheduled',
    status: 'False',
    reason: said.reason,
    message: said.message,
    lastTransitionTime: since ?? formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
