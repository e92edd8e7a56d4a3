/**
 * Objects that come from outside (disk, network) share nothing with each other, although fifty thousand pods of one
 * template are nearly the same. Each is laid over the last one like it, and keeps only its own parts.
 */
import { share } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { CollectionKey } from './store.ts';

/** The same value, sharing all equal parts with the last object that looked alike. */
export type Sharing = (key: CollectionKey & { readonly namespace: string }, object: Stored) => Stored;

/** Most groups of alike objects remembered at once. */
const MOST_GROUPS = 4096;

export function createSharing(): Sharing {
  const lastOf = new Map<string, Stored>();
  return (key, object) => {
    const group = likeness(key, object);
    const last = lastOf.get(group);
    const shared = last === undefined ? object : share(last, object);
    if (last === undefined && lastOf.size >= MOST_GROUPS) lastOf.clear();
    lastOf.set(group, shared);
    return shared;
  };
}

/** Children of one owner are alike; objects without an owner are at least like their neighbours. */
function likeness(
  { tenant, group, resource, namespace }: CollectionKey & { readonly namespace: string },
  object: Stored,
): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner?.uid ?? `${tenant}\t${group}\t${resource}\t${namespace}`;
}

/**
 * The same characters in one piece of memory. A string made by joining others keeps all its parts alive (0.9 KB a pod
 * when names and UIDs are built so); call this on identifiers that will be kept.
 */
export function flatString(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
