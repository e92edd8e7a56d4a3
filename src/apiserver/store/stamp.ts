import type { Stored } from '../../core/kube/objects.ts';

/** The object with this revision as its resourceVersion; itself when the decision has set it already. */
export function withResourceVersion(object: Stored, revision: number): Stored {
  const resourceVersion = String(revision);
  if (object.metadata.resourceVersion === resourceVersion) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
