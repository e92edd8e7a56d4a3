/**
 * Whether anything happened to what a component has brought since it was last found to be right. Looking costs requests; so it is
 * looked at only when something is not what it was, whoever changed it. What the server keeps account of does not count. Pure.
 */
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';

/** Objects by `refKey`, as a cache showed them; undefined where it had none. */
export type Seen = ReadonlyMap<string, Stored | undefined>;

export function isSame(before: Seen, now: Seen): boolean {
  if (before.size !== now.size) return false;
  for (const [key, object] of now) {
    const known = before.get(key);
    if (known === object) continue;
    if (known === undefined || object === undefined || !isSameContent(known, object)) return false;
  }
  return true;
}

function isSameContent(a: Stored, b: Stored): boolean {
  return a.metadata.uid === b.metadata.uid && deepEqual(contentOf(a), contentOf(b));
}

function contentOf(object: KubeObject): object {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, generation: _generation, managedFields: _fields, ...named } = metadata;
  return { ...rest, metadata: named };
}
