/** PATCH: the patch is applied to whatever the object is at the moment of the write, so it rarely conflicts. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { type Json, type JsonObject, encodeJson } from '../../core/kube/json.ts';
import { badRequest, isStatus, notFound, StatusError } from '../../core/kube/status-error.ts';
import type { ApiPatch, ApiResponse, PatchRequest } from '../contract/request.ts';
import { changeObject, createsOnUpdate } from './steps/change.ts';
import { type HandlerContext, kindOf, requireVerb, storeKeyOf } from './steps/context.ts';
import { complainOfRepeatedKeys, decodeOptions } from './steps/decode.ts';
import { ownersAfter, sentManagedFields } from './steps/managed-fields.ts';
import { applier, checkApplyOptions } from './steps/managed-fields-apply.ts';
import { unusablePatch } from './steps/unusable-patch.ts';
import { applyToScale, patchSubresource } from './subresources/subresources.ts';

export function patch(context: HandlerContext, request: PatchRequest): ApiResponse | Promise<ApiResponse> {
  const { target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'patch');
  if (request.patch.type === 'apply') return applyPatch(context, kind, request, request.patch);
  // A patch speaks of fields, and of what tells items of lists apart, as the form it was sent to has them.
  const apply = context.patches.compile(request.form ?? kind, request.patch);
  const special = patchSubresource(context, kind, request, apply);
  if (special !== undefined) return special;
  const { form } = request;
  const seesOwners = namesManagedFields(request.patch);
  let sent: unknown;
  return changeObject(context, {
    ...request,
    kind,
    next(current) {
      if (current === undefined) throw notFound(kind, target.name);
      const shown = seesOwners ? withPlainManaged(current) : current;
      const patched = asServerSays(request, () => apply(form?.conversion?.fromStorage(shown) ?? shown));
      sent = seesOwners ? sentManagedFields(patched) : undefined;
      try {
        if (form?.conversion === undefined)
          return context.decoder.decode(kind, patched, decodeOptions(request, current));
        // The form is read before it is converted: a patch may have made anything of it.
        const read = context.decoder.decode(form, patched, decodeOptions(request));
        return context.decoder.decode(kind, form.conversion.toStorage(read), { baseline: current });
      } catch (error) {
        throw unusablePatch(error, patched);
      }
    },
    owners: (live, next) => ownersAfter(context, kind, request, live, next, sent),
    mayCreate: false,
  });
}

/** Apply may also create. */
function applyPatch(
  context: HandlerContext,
  kind: KindDefinition,
  request: PatchRequest,
  patch: Extract<ApiPatch, { readonly type: 'apply' }>,
): ApiResponse | Promise<ApiResponse> {
  const { target } = request;
  if (target.subresource === 'scale') return applyToScale(context, kind, request, patch);
  checkApplyOptions(request);
  const mayCreate =
    target.subresource === '' ||
    createsOnUpdate(kind, target) ||
    (target.subresource === 'status' && kind.strategy.appliedStatusCreates === true);
  // Only an existing object has a status; other problems of the request are reported afterwards.
  if (!mayCreate && context.store.accepted(storeKeyOf(kind, target, target.name)) === undefined) {
    throw notFound(kind, target.name);
  }
  const applied = applier(context, kind, request, patch);
  const conversion = request.form?.conversion;
  return changeObject(context, {
    ...request,
    kind,
    next(current) {
      if (current === undefined && !mayCreate) throw notFound(kind, target.name);
      const { object } = applied(current);
      complainOfRepeatedKeys(decodeOptions(request));
      if (object === (current as KubeObject | undefined)) return object;
      const form = conversion === undefined ? kind : (request.form ?? kind);
      const { repeatedKeys: _, ...options } = decodeOptions(request, form === kind ? current : undefined);
      try {
        const decoded = context.decoder.decode(form, object, { ...options, applied: true });
        return conversion === undefined ? decoded : conversion.toStorage(decoded);
      } catch (error) {
        throw unusableConfiguration(error, form, patch.body);
      }
    },
    owners: (live) => applied(live).managed,
    mayCreate,
  });
}

/** Only a patch that speaks of the owners of fields is shown them: writing them out costs more than most patches. */
function namesManagedFields(patch: ApiPatch): boolean {
  if (patch.type === 'json') return patch.body.some((operation) => isAboutOwners(operation));
  return typeof patch.body === 'object' && encodeJson(patch.body as Json).includes('"managedFields"');
}

function isAboutOwners(operation: Json): boolean {
  const { from, path } = (typeof operation === 'object' && operation !== null ? operation : {}) as JsonObject;
  return [from, path].some(
    (pointer) =>
      pointer === '' ||
      pointer === '/metadata' ||
      (typeof pointer === 'string' && pointer.startsWith('/metadata/managedFields')),
  );
}

/**
 * The configuration is built like its kind, but a value in it cannot be read: Kubernetes answers 500, because its
 * conversion expects no such error.
 */
function unusableConfiguration(error: unknown, form: KindDefinition, sent: Partial<KubeObject>): unknown {
  if (form.custom !== undefined || !isStatus(error, 'BadRequest')) return error;
  const found = /^.* cannot be handled as a \S+: (.*)$/s.exec(error.message)?.[1] ?? '';
  // Strict decoding errors stay the client's fault; so does an integer too large for its field, which Go would
  // truncate.
  if (found === '' || found.startsWith('strict decoding error') || isBeyondIntegers(found)) return error;
  const type = `${form.group === '' ? '' : form.group}/${form.version}, Kind=${form.kind}`;
  const fraction = /^json: cannot unmarshal number \S+ into Go struct field .* of type (u?int\d+)$/.exec(found);
  const why =
    fraction === null
      ? found.startsWith('illegal base64')
        ? `error decoding from json: ${found}`
        : found
      : `cannot convert float64 to ${fraction[1]}`;
  // The configuration may have no name yet.
  const { name = '', namespace = '' } = (sent.metadata ?? {}) as Partial<KubeObject['metadata']>;
  const what = `failed to convert new object (${namespace}/${name}; ${type}) to proper version`;
  return new StatusError(500, '', `${what}: unable to convert unstructured object to ${type}: ${why}`);
}

/** A whole number, but too large for its field. */
const isBeyondIntegers = (found: string): boolean =>
  Number.isInteger(Number(/cannot unmarshal number (\S+) into Go struct field .* of type u?int\d+$/.exec(found)?.[1]));

/**
 * With field validation the server decodes a JSON patch before the patch library does, and its error names another
 * type.
 */
function asServerSays<T>({ options }: PatchRequest, apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    const isOfLibrary = isStatus(error, 'BadRequest') && error.message.endsWith('jsonpatch.Operation');
    if (!isOfLibrary || options.fieldValidation === 'Ignore') throw error;
    throw badRequest(`error decoding patch: ${error.message.replace('jsonpatch.Operation', 'handlers.jsonPatchOp')}`);
  }
}
