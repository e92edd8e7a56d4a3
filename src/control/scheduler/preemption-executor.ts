/**
 * Carries a preemption out, beside the scheduling of other pods: nominations of pods of lower priority to that node are
 * withdrawn, every victim is marked and deleted. The preemptor is not tried again until that is done. A preemption that
 * an error or a crash interrupts is completed by the next attempt of the pod: it finds some victims leaving and waits, or
 * chooses again.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../core/api/types/core-v1.ts';
import type { JsonObject } from '../../core/kube/json.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { PodRecord } from '../../core/placement/pod-record.ts';
import type { Victims } from '../../core/placement/victims.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';

export interface PreemptionExecutorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly cluster: ClusterState;
  readonly pods: Lister<Pod>;
  /** Withdraws the nomination of a pod. */
  readonly withdraw: (pod: Stored<Pod>) => void;
}

export interface PreemptionExecutor {
  /** Resolves when every victim was deleted or gone; rejects when one could not be, and then the preemptor retries. */
  run(preemptor: Stored<Pod>, victims: Victims, signal: AbortSignal): Promise<void>;
}

/** Victims of one node evicted at a time, as kube-scheduler's parallelism. */
const PARALLEL = 16;

const REASON_PREEMPTED = 'PreemptionByScheduler';

export function createPreemptionExecutor(options: PreemptionExecutorOptions): PreemptionExecutor {
  const { client, clock, logger, events, cluster } = options;

  function withdrawLowerPriority(preemptor: Stored<Pod>, nodeName: string): void {
    const priority = preemptor.spec.priority ?? 0;
    for (const record of cluster.nominatedTo(nodeName)) {
      if (record.priority < priority) options.withdraw(record.pod as Stored<Pod>);
    }
  }

  /** The newest version in the cache, or undefined when the pod is gone or terminating. */
  function present(record: PodRecord): Stored<Pod> | undefined {
    const { namespace, name } = record.pod.metadata;
    const pod = options.pods.get(name, namespace);
    if (pod === undefined || pod.metadata.uid !== record.key) return undefined;
    return pod.metadata.deletionTimestamp === undefined ? pod : undefined;
  }

  async function evict(
    preemptor: Stored<Pod>,
    record: PodRecord,
    nodeName: string,
    signal: AbortSignal,
  ): Promise<void> {
    const victim = present(record);
    if (victim === undefined) return;
    const { uid } = victim.metadata;
    try {
      const condition = disruption(victim, preemptor, clock.now());
      if (condition !== undefined) {
        const body = { metadata: { uid }, status: { conditions: [condition as unknown as JsonObject] } };
        await client.patch(PODS, keyOf(victim), { type: 'strategic', body }, { subresource: 'status', signal });
      }
      await client.delete(PODS, keyOf(victim), { preconditions: { uid }, signal });
    } catch (error) {
      // The victim is gone, or another pod has its name: either way its room is free.
      if (isStatus(error, 'NotFound') || isStatus(error, 'Conflict')) return;
      throw error;
    }
    events.event(victim, {
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`,
      related: preemptor,
    });
  }

  return {
    async run(preemptor, { nodeName, pods }, signal) {
      const victims = pods.filter((record) => present(record) !== undefined);
      // All victims are terminating: the nomination of the pod they were evicted for stays, as with kube-scheduler.
      if (victims.length === 0) return;
      withdrawLowerPriority(preemptor, nodeName);
      let next = 0;
      const failures: unknown[] = [];
      const worker = async (): Promise<void> => {
        while (next < victims.length && failures.length === 0) {
          try {
            await evict(preemptor, victims[next++] as PodRecord, nodeName, signal);
          } catch (error) {
            failures.push(error);
          }
        }
      };
      await Promise.all(Array.from({ length: Math.min(PARALLEL, victims.length) }, worker));
      if (failures.length === 0) return;
      logger.warn('Could not preempt', { ...keyOf(preemptor), node: nodeName, error: failures[0] });
      throw failures[0];
    },
  };
}

/** The DisruptionTarget condition, for the victim's controller: a Job does not count such an end as a failure. */
function disruption(victim: Stored<Pod>, preemptor: Stored<Pod>, now: number): PodCondition | undefined {
  const { generation } = victim.metadata;
  const old = victim.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: REASON_PREEMPTED,
    message: `${preemptor.spec.schedulerName ?? 'default-scheduler'}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: old?.status === 'True' && old.lastTransitionTime ? old.lastTransitionTime : formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const isSaid = old?.status === 'True' && old.reason === condition.reason && old.message === condition.message;
  return isSaid ? undefined : condition;
}
