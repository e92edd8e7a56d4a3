import { apiVersionOf, type KubeObject, type Resource } from '../../core/kube/objects.ts';

/** Lists answer with items that do not say what they are; children and events must name it. */
export function withType<T extends KubeObject>(resource: Resource<T>, object: T): T {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion && object.kind === resource.kind) return object;
  return { ...object, apiVersion, kind: resource.kind };
}
