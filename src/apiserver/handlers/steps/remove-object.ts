/** The deletion of one object, on the way of a DELETE, a collection's deletion or an eviction. */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { type Status, notFound } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import type { ApiResponse, DeleteRequest, RequestBase } from '../../contract/request.ts';
import type { Decision } from '../../store/store.ts';
import { type HandlerContext, storeKeyOf } from './context.ts';
import { checkDeleteOptions, checkPreconditions, decideDeletion } from './deletion.ts';
import { atRevision } from './metadata.ts';
import { type Step, stagedDecision, stagedWrite } from './staged-write.ts';

export interface Removal extends RequestBase {
  readonly kind: KindDefinition;
  readonly options: DeleteRequest['options'];
  /** A last look at the object, inside the decision: throws to refuse, or leaves a note on it. */
  readonly prepare?: (old: Stored) => Stored;
  /**
   * Admission was asked about the operation that leads to this deletion, such as an eviction; it is not asked again.
   */
  readonly isAdmitted?: boolean;
}

export async function removeObject(context: HandlerContext, removal: Removal): Promise<ApiResponse> {
  const { kind, options, target } = removal;
  checkDeleteOptions(options);
  warnOfKeptPods(kind, options, removal.warn);
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

/** Jobs leave their pods behind unless told otherwise, which surprises people; kubectl shows the warning. */
export function warnOfKeptPods(
  kind: KindDefinition,
  options: DeleteRequest['options'],
  warn: RequestBase['warn'],
): void {
  if (isJobs(kind) && keepsPods(options)) warn?.(JOBS_KEEP_PODS);
}
