/**
 * Subresources that are not simply the object with other rules (those, such as `status`, go the ordinary way and
 * are told apart by the kind's strategy).
 */
import type { ManagedFields } from '../../../core/api/apply/managed.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { methodNotAllowed } from '../../../core/kube/status-error.ts';
import type { ApiPatch, ApiResponse, CreateRequest, PatchRequest, UpdateRequest } from '../../contract/request.ts';
import { type HandlerContext, unknownPath } from '../steps/context.ts';
import { changeObject, checkName } from '../steps/change.ts';
import { decodeOptions } from '../steps/decode.ts';
import { checkApplyOptions, checkConfiguration } from '../steps/managed-fields-apply.ts';
import { applyScaleConfiguration, ownersAfterScale } from '../steps/managed-fields-scale.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';
import { unusablePatch } from '../steps/unusable-patch.ts';
import { BINDING, readBody, SCALE } from './read-body.ts';
import { applyScale, readScale } from './scale.ts';

const isPods = (kind: KindDefinition): boolean => kind.group === '' && kind.resource === 'pods';
const isNamespaces = (kind: KindDefinition): boolean => kind.group === '' && kind.resource === 'namespaces';

export function createSubresource(
  context: HandlerContext,
  kind: KindDefinition,
  request: CreateRequest,
): ApiResponse | Promise<ApiResponse> {
  const { subresource } = request.target;
  if (isPods(kind) && subresource === 'binding') return bindPod(context, kind, request);
  if (isPods(kind) && subresource === 'eviction') return evictPod(context, kind, request);
  const special = context.hooks.subresources.get(`${kind.resource}/${subresource}`);
  if (special !== undefined) return special(request);
  throw methodNotAllowed(kind, 'create');
}

/** The old POST to `bindings`: the pod is named in the body alone. */
export function createBinding(context: HandlerContext, request: CreateRequest): Promise<ApiResponse> {
  const pods = context.registry.byResource('', 'v1', 'pods');
  if (pods === undefined) throw unknownPath();
  const target = {
    ...request.target,
    resource: 'pods',
    subresource: 'binding',
    name: readBody(BINDING, request.object).metadata.name ?? '',
  };
  return bindPod(context, pods, { ...request, target });
}

export function updateSubresource(
  context: HandlerContext,
  kind: KindDefinition,
  request: UpdateRequest,
): Promise<ApiResponse> | undefined {
  const { subresource } = request.target;
  if (subresource === 'scale') {
    // Whether the body can be read, and is about the object of the path, is asked before whether there is one.
    const scale = readBody(SCALE, request.object, decodeOptions(request));
    checkName(scale, request.target.name);
    return changeScale(context, kind, request, () => scale);
  }
  if (subresource === 'finalize' && isNamespaces(kind)) return finalize(context, kind, request);
  return undefined;
}

export function patchSubresource(
  context: HandlerContext,
  kind: KindDefinition,
  request: PatchRequest,
  apply: (current: KubeObject | undefined) => KubeObject,
): Promise<ApiResponse> | undefined {
  return request.target.subresource === 'scale' ? changeScale(context, kind, request, apply) : undefined;
}

async function changeScale(
  context: HandlerContext,
  kind: KindDefinition,
  request: UpdateRequest | PatchRequest,
  next: (scale: KubeObject, current: Stored) => KubeObject,
  owners?: (current: Stored) => ManagedFields | undefined,
): Promise<ApiResponse> {
  const response = await changeObject(context, {
    ...request,
    kind,
    // The change itself is an ordinary one to the spec; only admission sees the small form.
    target: { ...request.target, subresource: '' },
    next(current) {
      if (current === undefined) throw unknownPath();
      const wanted = next(readScale(kind, current, true), current);
      checkName(wanted, request.target.name);
      return applyScale(kind, current, request.verb === 'patch' ? readPatched(request, wanted) : wanted);
    },
    owners(current, changed) {
      if (current === undefined) return undefined;
      const scaled = readScale(kind, changed as Stored);
      return owners === undefined
        ? ownersAfterScale(kind, request, current, readScale(kind, current, true), scaled)
        : owners(current);
    },
    mayCreate: false,
    view: {
      subresource: 'scale',
      kind: 'Scale',
      show: (object) => readScale(kind, object as Stored, true),
      putBack: (object, scale) => applyScale(kind, object as Stored, readBody(SCALE, scale, IGNORE)),
    },
  });
  return response.type === 'object' ? { ...response, object: readScale(kind, response.object) } : response;
}

/** An invalid Scale that a patch made is the fault of the patch. */
function readPatched(request: PatchRequest, scale: KubeObject): KubeObject {
  try {
    return readBody(SCALE, scale, decodeOptions(request));
  } catch (error) {
    throw request.patch.type === 'apply' ? error : unusablePatch(error, scale);
  }
}

/** A configuration applied to the scale of an object; only replicas can be claimed so. */
export function applyToScale(
  context: HandlerContext,
  kind: KindDefinition,
  request: PatchRequest,
  patch: Extract<ApiPatch, { readonly type: 'apply' }>,
): Promise<ApiResponse> {
  checkApplyOptions(request);
  checkConfiguration(SCALE_KIND, patch.body);
  const apply = (current: Stored) =>
    applyScaleConfiguration(
      context,
      kind,
      { ...request, force: patch.force },
      current,
      readScale(kind, current, true),
      patch.body,
    );
  return changeScale(
    context,
    kind,
    request,
    (_, current) => apply(current).scale,
    (current) => apply(current).managed,
  );
}

const IGNORE = { fieldValidation: 'Ignore' } as const;
const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: 'autoscaling/v1.Scale' };

interface NamespaceLike extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

/** Only `spec.finalizers` may change here, and only here may it change. */
function finalize(context: HandlerContext, kind: KindDefinition, request: UpdateRequest): Promise<ApiResponse> {
  const wanted: NamespaceLike = context.decoder.decode(kind, request.object, decodeOptions(request));
  checkName(wanted, request.target.name);
  const { resourceVersion, uid } = wanted.metadata;
  return changeObject(context, {
    ...request,
    kind,
    next(current) {
      const namespace = current as Stored<NamespaceLike>;
      const finalizers = wanted.spec?.finalizers ?? [];
      const next: Stored<NamespaceLike> = {
        ...namespace,
        metadata: { ...namespace.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
        spec: { ...namespace.spec, finalizers },
      };
      return next;
    },
    mayCreate: false,
    ...(uid ? { uid } : {}),
  });
}
