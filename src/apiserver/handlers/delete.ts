/** DELETE of one object, and of everything a selection names. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { type Status, isStatus, notFound } from '../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../machinery/ports/admission.ts';
import type { ApiResponse, DeleteCollectionRequest, DeleteRequest, RequestBase } from '../contract/request.ts';
import type { Decision } from '../store/store.ts';
import { type HandlerContext, kindOf, requireVerb, storeKeyOf } from './steps/context.ts';
import { checkDeleteOptions, checkPreconditions, decideDeletion } from './steps/deletion.ts';
import { listObjects } from './list.ts';
import { checkListOptions } from './steps/list-options.ts';
import { atRevision } from './steps/metadata.ts';
import { type Step, stagedDecision, stagedWrite } from './steps/staged-write.ts';

export interface Removal extends RequestBase {
  readonly kind: KindDefinition;
  readonly options: DeleteRequest['options'];
  /** A last look at the object, inside the decision: throws to refuse, or leaves a note on it. */
  readonly prepare?: (old: Stored) => Stored;
  /** Admission has been asked about what leads to this, such as an eviction; about the deletion itself it is not. */
  readonly isAdmitted?: boolean;
}

export function remove(context: HandlerContext, request: DeleteRequest): Promise<ApiResponse> {
  const kind = kindOf(context, request.target);
  requireVerb(kind, request.target.subresource, 'delete');
  return removeObject(context, { ...request, kind });
}

export async function removeObject(context: HandlerContext, removal: Removal): Promise<ApiResponse> {
  const { kind, options, target } = removal;
  checkDeleteOptions(options);
  if (isJobs(kind) && keepsPods(options)) removal.warn?.(JOBS_KEEP_PODS);
  const key = storeKeyOf(kind, target, target.name);
  let removed = false;

  const decide = (accepted: Stored | undefined, step: Step) => {
    if (accepted === undefined) throw notFound(kind, target.name);
    checkPreconditions(kind, accepted, options);
    if (removal.isAdmitted !== true) askAdmission(context, removal, accepted, step);
    const begins = accepted.metadata.deletionTimestamp === undefined;
    const noted = begins ? kind.strategy.beginDeletion?.(accepted, context.timestamps.now()) : undefined;
    const prepared = removal.prepare?.(accepted) ?? (noted as Stored | undefined) ?? accepted;
    const deletion = decideDeletion(kind, prepared, options, context.timestamps);
    removed = deletion.outcome === 'remove';
    return deletion;
  };

  const object =
    options.dryRun === true
      ? await stagedDecision(context.store, key, (accepted, step) => decide(accepted, step).object)
      : await stagedWrite(context.store, key, (accepted, revision, step): Decision => {
          const deletion = decide(accepted, step);
          if (deletion.outcome === 'pending') return { keep: deletion.object };
          const stamped = atRevision(deletion.object, revision);
          return deletion.outcome === 'remove' ? { remove: stamped } : { put: stamped };
        });
  if (!removed || ANSWERS_WITH_OBJECT.has(resourceName(kind))) return { type: 'object', object, created: false };
  return { type: 'status', status: deletedStatus(kind, object) };
}

/** Kinds that Kubernetes answers with the last state of the object; the others get a Status. */
const ANSWERS_WITH_OBJECT: ReadonlySet<string> = new Set([
  'namespaces',
  'persistentvolumes',
  'persistentvolumeclaims',
  'pods',
  'podtemplates',
  'resourcequotas',
  'services',
  'serviceaccounts',
  'deviceclasses.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
]);

const keepsPods = ({ orphanDependents, propagationPolicy }: DeleteRequest['options']): boolean =>
  propagationPolicy === undefined && orphanDependents === undefined;
const isJobs = (kind: KindDefinition): boolean => kind.group === 'batch' && kind.resource === 'jobs';
const JOBS_KEEP_PODS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const resourceName = (kind: KindDefinition): string =>
  kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;

const deletedStatus = (kind: KindDefinition, object: Stored): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: object.metadata.name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.resource,
    uid: object.metadata.uid,
  },
});

function askAdmission(context: HandlerContext, removal: Removal, old: Stored, step: Step): void {
  const { kind, options, target, user, warn } = removal;
  const admission: AdmissionRequest = {
    operation: 'DELETE',
    resource: kind,
    kind: kind.kind,
    subresource: '',
    tenant: target.tenant,
    namespace: kind.namespaced ? target.namespace : kind.resource === 'namespaces' ? target.name : '',
    name: target.name,
    oldObject: old,
    options,
    dryRun: options.dryRun === true,
    user,
  };
  step('mutate', () => context.admission.mutate(kind, admission, warn));
  step('validate', () => context.admission.validate(kind, admission, warn));
}

/** How many deletions of a collection are under way at once. */
const AT_ONCE = 256;

export async function removeCollection(
  context: HandlerContext,
  request: DeleteCollectionRequest,
): Promise<ApiResponse> {
  const { options, target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'deletecollection');
  checkListOptions(options);
  checkDeleteOptions(options);
  if (isJobs(kind) && keepsPods(options)) request.warn?.(JOBS_KEEP_PODS);
  const list = listObjects(context, kind, { target, options });
  for (let at = 0; at < list.items.length; at += AT_ONCE) {
    request.signal?.throwIfAborted();
    await Promise.all(list.items.slice(at, at + AT_ONCE).map((item) => removeListed(context, request, kind, item)));
  }
  return { type: 'list', list };
}

async function removeListed(
  context: HandlerContext,
  request: DeleteCollectionRequest,
  kind: KindDefinition,
  item: Stored,
): Promise<void> {
  const { name, namespace = '' } = item.metadata;
  const { verb: _, ...base } = request;
  try {
    await removeObject(context, { ...base, kind, target: { ...request.target, namespace, name } });
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
  }
}
