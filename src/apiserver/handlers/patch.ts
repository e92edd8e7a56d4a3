/** PATCH: the patch is applied to whatever the object is at the moment of the write, so it rarely conflicts. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { invalid } from '../../core/kube/field-errors.ts';
import { type Json, encodeJson } from '../../core/kube/json.ts';
import { invalidObject, isStatus, notFound } from '../../core/kube/status-error.ts';
import type { ApiResponse, PatchRequest } from '../request.ts';
import { changeObject } from './change.ts';
import { type HandlerContext, kindOf, requireVerb } from './context.ts';
import { decodeOptions } from './decode.ts';
import { patchSubresource } from './subresources/subresources.ts';

/** How much of a useless result an error repeats. */
const SHOWN = 4096;

export function patch(context: HandlerContext, request: PatchRequest): ApiResponse | Promise<ApiResponse> {
  const { target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'patch');
  const apply = context.patches.compile(kind, request.patch);
  const special = patchSubresource(context, kind, request, apply);
  if (special !== undefined) return special;
  return changeObject(context, {
    ...request,
    kind,
    next(current) {
      const patched = current === undefined ? creation(kind, target.name, apply) : inForm(request.form, current, apply);
      try {
        return context.decoder.decode(kind, patched, decodeOptions(request, current));
      } catch (error) {
        throw unusablePatch(error, patched);
      }
    },
    mayCreate: request.patch.type === 'apply',
  });
}

/** The patch is well-formed but what it makes is not an object of the kind: its fault, not the body's. */
function unusablePatch(error: unknown, patched: KubeObject): unknown {
  if (!isStatus(error, 'BadRequest')) return error;
  const text = encodeJson(patched as unknown as Json);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, error.message)]);
}

/** Only apply may make an object out of nothing. */
function creation(
  kind: KindDefinition,
  name: string,
  apply: (current: KubeObject | undefined) => KubeObject,
): KubeObject {
  const made = apply(undefined);
  if (made === undefined) throw notFound(kind, name);
  return made;
}

/** A patch speaks of fields as the form it was sent to names them. */
function inForm(
  form: KindDefinition | undefined,
  current: Stored,
  apply: (current: KubeObject | undefined) => KubeObject,
): KubeObject {
  const conversion = form?.conversion;
  return conversion === undefined ? apply(current) : conversion.toStorage(apply(conversion.fromStorage(current)));
}
