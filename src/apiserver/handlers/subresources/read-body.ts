/** Bodies of subresources that are kinds without a store of their own (Binding, Eviction, Scale), checked like any other. */
import { checkObject } from '../../../core/api/schema/check.ts';
import { cannotBeHandled, strictComplaints } from '../../../core/api/schema/decoding-errors.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { DecodeOptions } from '../steps/decode.ts';

export interface BodyType {
  /** The first version is the current one; older versions of the same body may follow. */
  readonly apiVersions: readonly string[];
  readonly kind: string;
  readonly schema: string;
}

export const BINDING: BodyType = { apiVersions: ['v1'], kind: 'Binding', schema: 'core/v1.Binding' };
export const EVICTION: BodyType = {
  apiVersions: ['policy/v1', 'policy/v1beta1'],
  kind: 'Eviction',
  schema: 'policy/v1.Eviction',
};
export const SCALE: BodyType = { apiVersions: ['autoscaling/v1'], kind: 'Scale', schema: 'autoscaling/v1.Scale' };

/**
 * Throws a 400 where the body is of another type or not built like this one. Fields that the path determines may be
 * left out.
 */
export function readBody(
  type: BodyType,
  body: KubeObject,
  { duplicateFields = [], fieldValidation = 'Warn', warn }: DecodeOptions = {},
): KubeObject {
  const { apiVersions, kind: expected, schema } = type;
  const { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown } = body;
  const said = typeof kind === 'string' && kind !== '' ? kind : expected;
  const spoken = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : (apiVersions[0] ?? '');
  const what = { kind: said, version: spoken.slice(spoken.indexOf('/') + 1), expected };
  if (said !== expected || !apiVersions.includes(spoken)) {
    throw cannotBeHandled(what, `expected ${apiVersions[0]} ${expected}, got ${spoken} ${said}`);
  }
  const checked = checkObject(schema, { ...body, apiVersion: spoken, kind: said });
  if (checked.error !== undefined) throw cannotBeHandled(what, checked.error);
  const complaints = strictComplaints(checked.unknownFields, duplicateFields);
  if (complaints.length > 0 && fieldValidation === 'Strict') {
    throw cannotBeHandled(what, `strict decoding error: ${complaints.join(', ')}`);
  }
  if (fieldValidation === 'Warn' && warn !== undefined) for (const complaint of complaints) warn(complaint);
  return checked.object as KubeObject;
}
