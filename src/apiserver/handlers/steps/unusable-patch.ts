/** A patch that makes something else than an object of its kind. */
import { invalid } from '../../../core/kube/field-errors.ts';
import { type Json, encodeJson } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { invalidObject, isStatus } from '../../../core/kube/status-error.ts';

/** How much of a useless result an error repeats. */
const SHOWN = 4096;

/** The patch is well-formed but its result is not an object of the kind: the patch is at fault, not the body. */
export function unusablePatch(error: unknown, patched: KubeObject): unknown {
  if (!isStatus(error, 'BadRequest')) return error;
  const text = encodeJson(patched as unknown as Json);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, error.message)]);
}
