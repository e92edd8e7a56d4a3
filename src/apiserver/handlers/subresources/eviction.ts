/**
 * `eviction`: a delete that disruption budgets may refuse. Budget and pod are two objects and two writes: the budget
 * pays first, so that two evictions can never spend the same disruption; what it paid for a pod that then stays comes
 * back with the controller's next count.
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { DISRUPTION_TARGET } from '../../../core/api/kinds/disruption-status.ts';
import { POD_DISRUPTION_BUDGETS } from '../../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../../core/api/types/policy-v1.ts';
import { setCondition } from '../../../core/kube/conditions.ts';
import { invalid } from '../../../core/kube/field-errors.ts';
import type { DeleteOptions as WireDeleteOptions } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import {
  StatusError,
  badRequest,
  conflict,
  invalidObject,
  isStatus,
  notFound,
} from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import { LOOPBACK } from '../../contract/users.ts';
import type { ApiResponse, CreateRequest, DeleteRequest } from '../../contract/request.ts';
import { changeObject } from '../steps/change.ts';
import { decodeOptions } from '../steps/decode.ts';
import { type HandlerContext, storeKeyOf } from '../steps/context.ts';
import { removeObject } from '../steps/remove-object.ts';
import { budgetsOf, needsNoBudget, passesUncounted, severalBudgets, spend, stillProcessed } from './eviction-budget.ts';
import { EVICTION, readBody } from './read-body.ts';
import { created } from './status-answers.ts';

interface Eviction extends KubeObject {
  readonly deleteOptions?: WireDeleteOptions & { readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean };
}

type Options = DeleteRequest['options'];

/** Upper bound on new attempts: a pod may become ready, or be replaced by another, between check and delete. */
const MOST_LOOKS = 20;

export async function evictPod(
  context: HandlerContext,
  pods: KindDefinition,
  request: CreateRequest,
): Promise<ApiResponse> {
  const { target } = request;
  const { name } = target;
  const body = readBody(EVICTION, request.object, decodeOptions(request)) as Eviction;
  const own = body.metadata?.name ?? '';
  if (own !== '' && own !== name) throw badRequest('name in URL does not match name in Eviction object');
  if (body.deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const path = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential';
    const error = invalid(path, true, 'can not be set for pod eviction, try after removing the option');
    throw invalidObject({ group: 'policy', kind: 'Eviction' }, name, [error]);
  }
  const eviction = await admitted(context, pods, request, body);
  const options = deleteOptions(eviction.deleteOptions ?? {}, request.options.dryRun === true);
  const key = storeKeyOf(pods, target, name);
  for (let look = 1; ; look++) {
    const pod = context.store.accepted(key) as Stored<Pod> | undefined;
    if (pod === undefined) throw notFound(pods, name);
    const refusal = needsNoBudget(pod) ? undefined : context.hooks.eviction(pod, target.tenant);
    if (refusal !== undefined) throw refusal;
    const budget = needsNoBudget(pod) ? undefined : onlyBudget(context, target.tenant, pod);
    const isUncounted = budget !== undefined && passesUncounted(pod, budget);
    if (budget !== undefined && !isUncounted) await pay(context, request, budget, name, options.dryRun === true);
    try {
      // Without a disruption paid by a budget, the pod must still be the one that needed none.
      await remove(context, pods, request, options, budget === undefined || isUncounted ? pod : undefined);
      return created();
    } catch (error) {
      if (!(error instanceof OtherPod)) throw error;
      if (isUncounted && options.preconditions?.resourceVersion === undefined) {
        throw stillProcessed(budget.metadata.name);
      }
      if (look === MOST_LOOKS) throw error.answer;
    }
  }
}

/** The pod has changed since it was judged. */
class OtherPod extends Error {
  readonly answer: StatusError;
  constructor(answer: StatusError) {
    super(answer.message);
    this.answer = answer;
  }
}

function onlyBudget(context: HandlerContext, tenant: string, pod: Stored<Pod>) {
  const collection = { tenant, group: POD_DISRUPTION_BUDGETS.group, resource: POD_DISRUPTION_BUDGETS.resource };
  const namespace = pod.metadata.namespace ?? '';
  if (context.store.count(collection, namespace) === 0) return undefined;
  const budgets = context.store.list(collection, { namespace }) as Iterable<Stored<PodDisruptionBudget>>;
  const found = budgetsOf(pod, budgets);
  if (found.length > 1) throw severalBudgets();
  return found[0];
}

/** One disruption less, decided against the newest state of the budget. */
async function pay(
  context: HandlerContext,
  request: CreateRequest,
  budget: Stored<PodDisruptionBudget>,
  podName: string,
  dryRun: boolean,
): Promise<void> {
  const { group, version, resource } = POD_DISRUPTION_BUDGETS;
  const kind = context.registry.byResource(group, version, resource);
  if (kind === undefined) return;
  const { name, namespace = '' } = budget.metadata;
  const target = { tenant: request.target.tenant, group, version, resource, namespace, name, subresource: 'status' };
  try {
    await changeObject(context, {
      kind,
      target,
      user: LOOPBACK,
      options: dryRun ? { dryRun } : {},
      mayCreate: false,
      next(current) {
        const spent = spend(current as Stored<PodDisruptionBudget>, podName, context.timestamps.now());
        if (spent instanceof StatusError) throw spent;
        return spent;
      },
    });
  } catch (error) {
    // The budget was deleted in this moment: it protects nothing any more.
    if (!isStatus(error, 'NotFound')) throw error;
  }
}

async function remove(
  context: HandlerContext,
  pods: KindDefinition,
  request: CreateRequest,
  options: Options,
  judged: Stored<Pod> | undefined,
): Promise<void> {
  const { verb: _, object: __, ...base } = request;
  await removeObject(context, {
    ...base,
    target: { ...request.target, subresource: '' },
    kind: pods,
    options,
    isAdmitted: true,
    prepare(accepted) {
      const pod = accepted as Stored<Pod>;
      if (judged !== undefined && pod !== judged && !needsNoBudget(pod)) {
        const why = `the ResourceVersion in the precondition (${judged.metadata.resourceVersion}) does not match the ResourceVersion in record (${pod.metadata.resourceVersion}). The object might have been modified`;
        throw new OtherPod(conflict({ group: '', resource: 'Pod' }, request.target.name, why));
      }
      return withDisruption(pod, context.timestamps.now());
    },
  });
}

/** Evictions are admitted as such: a webhook may look at `pods/eviction`. */
async function admitted(
  context: HandlerContext,
  pods: KindDefinition,
  request: CreateRequest,
  eviction: Eviction,
): Promise<Eviction> {
  const { options, target, user, warn } = request;
  const admission: AdmissionRequest = {
    operation: 'CREATE',
    resource: pods,
    kind: 'Eviction',
    subresource: 'eviction',
    tenant: target.tenant,
    namespace: target.namespace,
    name: target.name,
    object: eviction,
    options,
    dryRun: options.dryRun === true,
    user,
  };
  const object = ((await context.admission.mutate(pods, admission, warn)) ?? eviction) as Eviction;
  await context.admission.validate(pods, { ...admission, object }, warn);
  return object;
}

function deleteOptions(wire: WireDeleteOptions, dryRun: boolean): Options {
  const { gracePeriodSeconds, orphanDependents, preconditions, propagationPolicy } = wire;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined
      ? {}
      : { propagationPolicy: propagationPolicy as NonNullable<Options['propagationPolicy']> }),
    ...(dryRun || (wire.dryRun?.length ?? 0) > 0 ? { dryRun: true } : {}),
  };
}

/** Adds the condition `DisruptionTarget`, for clients that count disruptions. */
function withDisruption(pod: Stored<Pod>, now: string): Stored<Pod> {
  if (pod.metadata.deletionTimestamp !== undefined) return pod;
  const condition: PodCondition = {
    type: DISRUPTION_TARGET,
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: now,
  };
  return { ...pod, status: { ...pod.status, conditions: setCondition(pod.status?.conditions, condition, now) } };
}
