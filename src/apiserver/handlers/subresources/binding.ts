/** `binding`: the scheduler's one write. A pod is given its node once and for all. */
import type { Binding, Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { aggregateMessage, type FieldError, notSupported, required } from '../../../core/kube/field-errors.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { StatusError, badRequest, conflict, notFound } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import type { ApiResponse, CreateRequest } from '../../contract/request.ts';
import type { Decision } from '../../store/store.ts';
import { mergedLabels } from '../../admission/merged-labels.ts';
import { type HandlerContext, storeKeyOf } from '../steps/context.ts';
import { decodeOptions } from '../steps/decode.ts';
import { atRevision } from '../steps/metadata.ts';
import { type Step, stagedDecision, stagedWrite } from '../steps/staged-write.ts';
import { preconditionText, versionPreconditionText } from '../steps/deletion.ts';
import { BINDING, readBody } from './read-body.ts';
import { created } from './status-answers.ts';

export async function bindPod(
  context: HandlerContext,
  pods: KindDefinition,
  request: CreateRequest,
): Promise<ApiResponse> {
  const { options, target } = request;
  const binding = readBody(BINDING, request.object, decodeOptions(request)) as Binding;
  const { name } = target;
  checkBinding(binding, name, target.namespace);
  const key = storeKeyOf(pods, target, name);
  const bind = (accepted: Stored | undefined, step: Step): Stored<Pod> => {
    if (accepted === undefined) throw notFound(pods, name);
    const admission = admissionRequest(pods, request, binding);
    const admitted = step('mutate', () => context.admission.mutate(pods, admission, request.warn));
    const changed = admitted === undefined ? admission : { ...admission, object: admitted };
    step('validate', () => context.admission.validate(pods, changed, request.warn));
    return bound(accepted as Stored<Pod>, changed.object as Binding, context.timestamps.now());
  };
  if (options.dryRun === true) await stagedDecision(context.store, key, bind);
  else {
    await stagedWrite(context.store, key, (accepted, revision, step): Decision => ({
      put: atRevision(bind(accepted, step), revision),
    }));
  }
  return created();
}

function checkBinding(binding: Binding, name: string, namespace: string): void {
  const own = binding.metadata?.name ?? '';
  if (own !== '' && own !== name) throw badRequest('name in URL does not match name in Binding object');
  const ownNamespace = binding.metadata?.namespace ?? '';
  if (ownNamespace !== '' && ownNamespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const errors: FieldError[] = [];
  const kind: unknown = binding.target?.kind ?? '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  const node: unknown = binding.target?.name ?? '';
  if (typeof node !== 'string' || node === '') errors.push(required('target.name', ''));
  // Kubernetes answers these errors with 500 and no reason.
  if (errors.length > 0) throw new StatusError(500, '', aggregateMessage(errors));
}

/** Conflicts speak of `pods/binding`, so that a scheduler's log tells them from others. */
const refused = (name: string, why: string): StatusError =>
  conflict({ group: '', resource: 'pods/binding' }, name, why);

function bound(pod: Stored<Pod>, binding: Binding, now: string): Stored<Pod> {
  const { name, resourceVersion, uid } = pod.metadata;
  const wanted = binding.metadata ?? {};
  if (wanted.uid && wanted.uid !== uid) throw refused(name, preconditionText(wanted.uid, uid));
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    throw refused(name, versionPreconditionText(wanted.resourceVersion, resourceVersion));
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refused(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const node = pod.spec?.nodeName ?? '';
  if (node !== '') throw refused(name, `pod ${name} is already assigned to node ${JSON.stringify(node)}`);
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0) {
    throw refused(name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const { annotations, labels } = wanted;
  return {
    ...pod,
    metadata:
      annotations === undefined && labels === undefined
        ? pod.metadata
        : {
            ...pod.metadata,
            ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
            ...(labels === undefined ? {} : { labels: mergedLabels(pod.metadata.labels, labels) }),
          },
    spec: { ...pod.spec, nodeName: binding.target.name ?? '' },
    status: { ...withoutPromise(pod.status), conditions: scheduled(pod.status?.conditions ?? NONE, now) },
  };
}

/** The pod has a node: what a scheduler promised it is void, whichever node it was. */
function withoutPromise(status: Pod['status']): Pod['status'] {
  if (status?.nominatedNodeName === undefined) return status;
  const { nominatedNodeName: _void, ...rest } = status;
  return rest;
}

type Conditions = readonly PodCondition[];
const NONE: Conditions = Object.freeze([]);

/** Thousands of new pods are bound within a second: they share the list, and with it what is known about it. */
let last: { readonly before: Conditions; readonly now: string; readonly after: Conditions } | undefined;

function scheduled(conditions: Conditions, now: string): Conditions {
  if (last?.before === conditions && last.now === now) return last.after;
  const done: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: now };
  const after = [...conditions.filter((condition) => condition.type !== 'PodScheduled'), done];
  last = { before: conditions, now, after };
  return after;
}

function admissionRequest(pods: KindDefinition, request: CreateRequest, binding: Binding): AdmissionRequest {
  const { options, target, user } = request;
  return {
    operation: 'CREATE',
    resource: pods,
    kind: 'Binding',
    subresource: 'binding',
    tenant: target.tenant,
    namespace: target.namespace,
    name: target.name,
    object: binding,
    options,
    dryRun: options.dryRun === true,
    user,
  };
}
