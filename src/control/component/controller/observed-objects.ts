/**
 * Compares the cached objects of a component with those of an earlier reconcile. An apply costs requests, so it is repeated only when
 * one of the objects differs. Status and the server's bookkeeping do not count. Pure.
 */
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';

/** Cached objects by `refKey`; undefined where the cache had none. */
export type ObservedObjects = ReadonlyMap<string, Stored | undefined>;

export function isUnchanged(before: ObservedObjects, now: ObservedObjects): boolean {
  if (before.size !== now.size) return false;
  for (const [key, object] of now) {
    const earlier = before.get(key);
    if (earlier === object) continue;
    if (earlier === undefined || object === undefined || !isSameContent(earlier, object)) return false;
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
