/** From the type an object says it is to its schema, for objects that come without a path: protobuf and embedded ones. */
import { KUBERNETES_RESOURCES } from '../facts/kubernetes-resources.ts';
import { parseResources, schemaName } from './parse-resources.ts';
import { findTypeSchema } from './type-schema.ts';

let served: Set<string> | undefined;

/** Options, Status and the like belong to every group. */
const META = 'meta/v1.';

/**
 * The schema of a Kubernetes kind, a list of them or a shared type (`DeleteOptions`, `Status`), which are the ones that
 * have a protobuf form. Undefined for everything else, also for our own kinds.
 */
export function schemaOfKubernetesKind(apiVersion: string, kind: string): string | undefined {
  served ??= new Set(parseResources(KUBERNETES_RESOURCES).map(({ group, version }) => `${group}/${version}`));
  const slash = apiVersion.indexOf('/');
  const group = apiVersion.slice(0, Math.max(slash, 0));
  const version = apiVersion.slice(slash + 1);
  if (served.has(`${group}/${version}`)) {
    const own = schemaName(group, version, kind);
    if (findTypeSchema(own)?.typed === true) return own;
  }
  const shared = `${META}${kind}`;
  return kind === 'WatchEvent' || findTypeSchema(shared)?.typed === true ? shared : undefined;
}
