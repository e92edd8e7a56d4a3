/** Server-side apply as a request: what must be right about it before anything is merged. */
import { shapeOfKind } from '../../../core/api/apply/kind-shape.ts';
import { joinErrors, validateConfiguration } from '../../../core/api/apply/validate.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { required } from '../../../core/kube/field-errors.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { ManagedFields } from '../../../core/api/apply/managed.ts';
import { type KubeObject, type Stored, apiVersionOf } from '../../../core/kube/objects.ts';
import { StatusError, badRequest, conflict, invalidObject } from '../../../core/kube/status-error.ts';
import type { ApiPatch, PatchRequest } from '../../contract/request.ts';
import type { HandlerContext } from './context.ts';

export interface AppliedObject {
  /** Merged, in the form the request speaks; not decoded yet. */
  readonly object: KubeObject;
  readonly managed: ManagedFields;
}

type ApplyPatch = Extract<ApiPatch, { readonly type: 'apply' }>;

/** A function from the live object to what applying makes of it; the last answer is kept for the same object. */
export function applier(
  context: HandlerContext,
  kind: KindDefinition,
  request: PatchRequest,
  patch: ApplyPatch,
): (live: Stored | undefined) => AppliedObject {
  const form = request.form ?? kind;
  checkApplyOptions(request);
  checkConfiguration(form, patch.body);
  let last: { readonly live: Stored | undefined; readonly applied: AppliedObject } | undefined;
  return (live) => {
    if (last === undefined || last.live !== live) {
      const applied = context.owners.onApply(kind, { ...request, force: patch.force }, live, patch.body);
      last = { live, applied };
      if (live === undefined) refuseUid(form, request, applied.object);
    }
    return last.applied;
  };
}

export function checkApplyOptions({ options }: PatchRequest): void {
  if (options.fieldManager) return;
  const errors = [required('fieldManager', 'is required for apply patch')];
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
}

/** Go prints the type of an object so. */
const typeText = (group: string, version: string, kind: string): string => `${group}/${version}, Kind=${kind}`;

export function checkConfiguration(
  form: Pick<KindDefinition, 'group' | 'version' | 'kind' | 'schema' | 'custom'>,
  configuration: KubeObject,
): void {
  const unchecked: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly metadata?: unknown } =
    configuration;
  const apiVersion = textOf(unchecked.apiVersion);
  const kind = textOf(unchecked.kind);
  const { metadata } = unchecked;
  if (apiVersion !== apiVersionOf(form) || kind !== form.kind) {
    const [group, version] = splitVersion(apiVersion);
    throw badRequest(`invalid object type: ${typeText(group, version, kind)}`);
  }
  const meta = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as {
    readonly managedFields?: unknown;
    readonly name?: unknown;
    readonly namespace?: unknown;
  };
  if (meta.managedFields !== undefined && meta.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const errors = validateConfiguration(shapeOfKind(form), configuration as unknown as Json);
  if (errors.length === 0) return;
  const what = `${textOf(meta.namespace)}/${textOf(meta.name)}; ${typeText(form.group, form.version, form.kind)}`;
  throw new StatusError(500, '', `failed to create typed patch object (${what}): ${joinErrors(errors)}`);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function splitVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
}

function refuseUid(form: KindDefinition, { target }: PatchRequest, object: KubeObject): void {
  const uid: unknown = object.metadata?.uid;
  if (typeof uid !== 'string' || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(form, target.name, why);
}
