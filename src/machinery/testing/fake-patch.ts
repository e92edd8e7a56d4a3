import { applyPatch, type Operation } from 'rfc6902';
import type { KubeObject } from '../../core/kube/objects.ts';
import { badRequest, StatusError } from '../../core/kube/status-error.ts';
import type { Patch } from '../client/client.ts';

interface Tree {
  [key: string]: unknown;
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7386: null removes, objects merge, everything else replaces. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isTree(patch)) return patch;
  const result: Tree = isTree(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Strategic patches are merged as plain ones: lists are replaced. Enough for a fake, and it says so. */
export function patchObject<T extends KubeObject>(object: T, patch: Patch): T {
  if (patch.type !== 'json') return mergePatch(object, patch.body) as T;
  const copy = structuredClone(object);
  let failures: readonly (Error | null)[];
  try {
    failures = applyPatch(copy, patch.body as unknown as Operation[]);
  } catch (error) {
    throw badRequest(`invalid JSON patch: ${String(error)}`);
  }
  const failure = failures.find((each) => each !== null);
  if (failure !== undefined) {
    throw new StatusError(422, 'Invalid', `the server rejected our request due to an error in our request`, {
      causes: [{ message: String(failure) }],
    });
  }
  return copy;
}
