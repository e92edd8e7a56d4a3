/**
 * The one place where patch formats are known. A format is a function from the patch to a function from object to
 * object; formats not listed are answered with 415, as for an unknown content type.
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import { JsonPatchError, applyJsonPatch, decodeJsonPatch, jsonPatchFailure } from '../../../core/kube/json-patch.ts';
import { applyMergePatch } from '../../../core/kube/merge-patch.ts';
import { strategicMerge } from '../../../core/api/patch/strategic-merge.ts';
import { schemaNode } from '../../../core/api/schema/lists.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { StatusError, badRequest, unsupportedMediaType } from '../../../core/kube/status-error.ts';
import type { ApiPatch } from '../../contract/request.ts';

/** `current` is undefined only where the format may create (apply). */
type ApplyPatch = (current: KubeObject | undefined) => KubeObject;
export type Patcher = (kind: KindDefinition, patch: ApiPatch) => ApplyPatch;

export interface PatchEngine {
  compile(kind: KindDefinition, patch: ApiPatch): ApplyPatch;
}

const CONTENT_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const CUSTOM_PATCHES = [CONTENT_TYPES.json, CONTENT_TYPES.merge, CONTENT_TYPES.apply];

export function createPatchEngine(patchers: { readonly [T in ApiPatch['type']]?: Patcher }): PatchEngine {
  const accepted = Object.entries(CONTENT_TYPES).filter(([type]) => Object.hasOwn(patchers, type));
  return {
    compile(kind, patch) {
      const patcher = patchers[patch.type];
      if (patcher !== undefined) return patcher(kind, patch);
      const types = accepted.map(([, contentType]) => contentType).join(', ');
      const text = `the body of the request was in an unknown format - accepted media types include: ${types}`;
      throw new StatusError(415, 'UnsupportedMediaType', text);
    },
  };
}

const jsonPatcher: Patcher = (_, patch) => {
  // Decoded late: errors in the patch are reported only for objects that exist.
  let operations: ReturnType<typeof decodeJsonPatch> | undefined;
  return (current) => {
    operations ??= decodeJsonPatch(patch.body as Json);
    try {
      return applyJsonPatch(current as unknown as Json, operations) as unknown as KubeObject;
    } catch (error) {
      throw error instanceof JsonPatchError ? jsonPatchFailure(error) : error;
    }
  };
};

const mergePatcher: Patcher = (_, patch) => {
  const body = patch.body as Json;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('error decoding patch: a merge patch is an object');
  }
  return (current) => applyMergePatch(current as unknown as Json, body) as unknown as KubeObject;
};

const strategicPatcher: Patcher = (kind, patch) => {
  // Users' types have no strategies, so Kubernetes does not take such a patch for them.
  if (kind.custom !== undefined) throw unsupportedMediaType(CUSTOM_PATCHES);
  const body = patch.body as Json;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('error decoding patch: a strategic merge patch is an object');
  }
  const schema = schemaNode(kind.schema);
  return (current) =>
    strategicMerge(current as unknown as JsonObject, body as JsonObject, schema) as unknown as KubeObject;
};

/** The patch formats this server understands. */
export const builtInPatchers: { readonly [T in ApiPatch['type']]?: Patcher } = {
  json: jsonPatcher,
  merge: mergePatcher,
  strategic: strategicPatcher,
};
