/** `eviction`: a delete that disruption budgets may refuse. */
import type { KindDefinition } from '../../../core/api/kind-definition.ts';
import type { Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import type { DeleteOptions as WireDeleteOptions } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { badRequest } from '../../../core/kube/status-error.ts';
import type { ApiResponse, CreateRequest, DeleteRequest } from '../../request.ts';
import type { HandlerContext } from '../context.ts';
import { removeObject } from '../delete.ts';
import { EVICTION, readBody } from './read-body.ts';
import { created } from './status-answers.ts';

interface Eviction extends KubeObject {
  readonly deleteOptions?: WireDeleteOptions;
}

export async function evictPod(
  context: HandlerContext,
  pods: KindDefinition,
  request: CreateRequest,
): Promise<ApiResponse> {
  const { options, target } = request;
  const eviction = readBody(EVICTION, request.object) as Eviction;
  const own = eviction.metadata?.name ?? '';
  if (own !== '' && own !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  const { verb: _, object: __, ...base } = request;
  await removeObject(context, {
    ...base,
    target: { ...target, subresource: '' },
    kind: pods,
    options: deleteOptions(eviction.deleteOptions ?? {}, options.dryRun === true),
    prepare(accepted) {
      const pod = accepted as Stored<Pod>;
      if (needsBudget(pod)) {
        const refusal = context.hooks.eviction(pod, target.tenant);
        if (refusal !== undefined) throw refusal;
      }
      return withDisruption(pod, context.timestamps.now());
    },
  });
  return created();
}

function deleteOptions(wire: WireDeleteOptions, dryRun: boolean): DeleteRequest['options'] {
  const { gracePeriodSeconds, orphanDependents, preconditions, propagationPolicy } = wire;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined
      ? {}
      : { propagationPolicy: propagationPolicy as NonNullable<DeleteRequest['options']['propagationPolicy']> }),
    ...(dryRun || (wire.dryRun?.length ?? 0) > 0 ? { dryRun: true } : {}),
  };
}

/** A pod that has ended, or never began, disturbs nobody. */
function needsBudget(pod: Stored<Pod>): boolean {
  const phase = pod.status?.phase ?? 'Pending';
  const over = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  return !over && pod.metadata.deletionTimestamp === undefined;
}

/** Leaves a note why the pod went, for whoever counts disruptions. */
function withDisruption(pod: Stored<Pod>, now: string): Stored<Pod> {
  if (pod.metadata.deletionTimestamp !== undefined) return pod;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: now,
  };
  const others = (pod.status?.conditions ?? []).filter((other) => other.type !== condition.type);
  return { ...pod, status: { ...pod.status, conditions: [...others, condition] } };
}
