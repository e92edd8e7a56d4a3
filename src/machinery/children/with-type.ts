import { apiVersionOf, type KubeObject, type Resource } from '../../core/kube/objects.ts';

/** The object with apiVersion and kind. Items of a list may lack them, and owner references and events must name them. */
export function withType<T extends KubeObject>(resource: Resource<T>, object: T): T {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion && object.kind === resource.kind) return object;
  return { ...object, apiVersion, kind: resource.kind };
}
