/** One webhook and one request: is it concerned, what does it say, and what follows when it says nothing. */
import type { Authorize } from '../../../core/api/cel/library/authorizer.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Registry } from '../../../core/api/registry/registry.ts';
import type { NamedRuleWithOperations } from '../../../core/api/types/admissionregistration-v1.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { badRequest, forbiddenRequest, internalError, StatusError } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import type { WebhookCaller } from '../../../machinery/client/http/webhook-caller.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { Random } from '../../../machinery/random/random.ts';
import { SelectorError } from '../../../core/kube/selector.ts';
import type { Store } from '../../store/store.ts';
import { matchesNamespace, matchesObject, matchesRule } from '../match-rules.ts';
import { judgeConditions } from './conditions.ts';
import type { Hook } from './hooks.ts';
import { readAnswer, rejection, reviewOf, reviewVersion, type ReviewAnswer } from './review.ts';
import { targetOf } from './target.ts';

export interface WebhookParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly caller: WebhookCaller;
  readonly random: Pick<Random, 'uuid'>;
  readonly logger: Logger;
  /** Asked by expressions; evaluated for the tenant of the request. */
  readonly authorize: (tenant: string) => Authorize;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** The form of the kind in which the webhook wants to see the object; absent when it is not concerned. */
export function formWanted(
  { webhook }: Hook,
  request: AdmissionRequest,
  parts: WebhookParts,
): KindDefinition | undefined {
  const form = formMatched(webhook.rules ?? [], webhook.matchPolicy, request, parts.registry);
  if (form === undefined) return undefined;
  try {
    if (!matchesObject(webhook.objectSelector, request)) return undefined;
    if (!matchesNamespace(webhook.namespaceSelector, request, parts.store)) return undefined;
  } catch (error) {
    throw error instanceof SelectorError ? internalError(error) : error;
  }
  return meetsConditions(webhook, request, form, parts) ? form : undefined;
}

export function formMatched(
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: string | undefined,
  request: AdmissionRequest,
  registry: Registry,
): KindDefinition | undefined {
  const { group, version, resource } = request.resource;
  const own = registry.byResource(group, version, resource);
  if (own === undefined) return undefined;
  if (rules.some((rule) => matchesRule(rule, request))) return own;
  if (matchPolicy === 'Exact') return undefined;
  const others = registry.formsOf(own.storage).filter((form) => form !== own);
  // Earlier rules go first, as they stand.
  for (const rule of rules) {
    for (const form of others) if (matchesRule(rule, { ...request, resource: form })) return form;
  }
  return undefined;
}

function meetsConditions(
  { matchConditions = [], failurePolicy }: Hook['webhook'],
  request: AdmissionRequest,
  form: KindDefinition,
  { store, authorize }: WebhookParts,
): boolean {
  if (matchConditions.length === 0) return true;
  const { tenant, namespace, name, resource } = request;
  const namespaceObject = store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
  const result = judgeConditions(matchConditions, { request, form, namespaceObject, authorize: authorize(tenant) });
  if ('matches' in result) return result.matches;
  if (failurePolicy === 'Ignore') return false;
  throw forbiddenRequest(resource, name, result.error);
}

/** A call that came to nothing; the failure policy decides what follows. */
class CallFailed extends Error {}

/**
 * Asks. Throws the `StatusError` of a "no" or of a failure that closes the door; `undefined` is a failure that leaves
 * it open.
 */
export async function ask(
  { webhook }: Hook,
  request: AdmissionRequest,
  form: KindDefinition,
  isMutating: boolean,
  parts: WebhookParts,
  warnings: string[],
): Promise<ReviewAnswer | undefined> {
  const { name, sideEffects, failurePolicy } = webhook;
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
  }
  try {
    const answer = await call(webhook, request, form, isMutating, parts);
    // Warnings are returned to the client even when the webhook refuses.
    warnings.push(...answer.warnings);
    if (!answer.allowed) throw rejection(name, answer.status);
    return answer;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (failurePolicy === 'Ignore') {
      parts.logger.warn('Failed calling webhook, failing open', { webhook: name, error: error.message });
      return undefined;
    }
    throw internalError(new Error(`failed calling webhook ${goQuote(name)}: ${error.message}`));
  }
}

/** The refusal an error stands for, with the warnings of webhooks called before. */
export function refusal(error: unknown, warnings: readonly string[]): AdmissionResponse {
  if (!(error instanceof StatusError)) throw error;
  return { allowed: false, error, warnings };
}

async function call(
  webhook: Hook['webhook'],
  request: AdmissionRequest,
  form: KindDefinition,
  isMutating: boolean,
  parts: WebhookParts,
): Promise<ReviewAnswer> {
  const version = reviewVersion(webhook.admissionReviewVersions);
  if (version === undefined) {
    throw new CallFailed(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  }
  const uid = parts.random.uuid();
  const timeoutMs = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  let json: Json;
  try {
    const review = reviewOf(uid, version, inForm(request, form), form);
    json = await parts.caller.call(targetOf(webhook.clientConfig, parts.store), review, timeoutMs);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new CallFailed(`failed to call webhook: ${(error as Error).message}`, { cause: error });
  }
  const answer = readAnswer(json, uid, version, isMutating);
  if ('unreadable' in answer) throw new CallFailed(`failed to call webhook: ${answer.unreadable}`);
  if ('problem' in answer) throw new CallFailed(`received invalid webhook response: ${answer.problem}`);
  return answer;
}

export function inForm(request: AdmissionRequest, form: KindDefinition): AdmissionRequest {
  const convert = (object: KubeObject | undefined): KubeObject | undefined =>
    object === undefined ? undefined : toForm(object, form);
  const object = convert(request.object);
  const oldObject = convert(request.oldObject);
  if (object === request.object && oldObject === request.oldObject) return request;
  return { ...request, ...(object ? { object } : {}), ...(oldObject ? { oldObject } : {}) };
}

/** Objects in admission are in the stored form. */
export function toForm(object: KubeObject, form: KindDefinition): KubeObject {
  return form.conversion === undefined || object.kind !== form.kind ? object : form.conversion.fromStorage(object);
}
