/**
 * Names of children that have no place of their own, as pods of a ReplicaSet. They look like generated names and follow from
 * the owner, the children it has and the number being created. A controller that decides the same from the same state, after
 * a lost answer or in another process, chooses the same names, and the second create meets the first.
 */
import { childSuffix } from '../../core/kube/hash.ts';
import type { Stored } from '../../core/kube/objects.ts';

const SUFFIX_LENGTH = 5;
const LONGEST_PREFIX = 63 - SUFFIX_LENGTH;

export interface Names {
  next(): string;
}

/**
 * @param prefix beginning of all names.
 * @param parts tell these children from others (the owner's UID, an index).
 * @param present the owner's children, in any order.
 * @param isTaken whether an object has this name, or had it lately.
 */
export function createNames(
  prefix: string,
  parts: readonly string[],
  present: readonly Stored[],
  isTaken: (name: string) => boolean,
): Names {
  const base = prefix.slice(0, LONGEST_PREFIX);
  const state = digest(present);
  let count = 0;
  return {
    next() {
      for (;;) {
        count += 1;
        const name = base + childSuffix([...parts, state, String(count)]).slice(0, SUFFIX_LENGTH);
        if (!isTaken(name)) return name;
      }
    },
  };
}

/** Tells one set of objects from another, whatever their order. */
function digest(objects: readonly Stored[]): string {
  let a = 0;
  let b = 0;
  for (const { metadata } of objects) {
    const { uid } = metadata;
    let hash = 0x811c9dc5;
    for (let i = 0; i < uid.length; i += 1) hash = Math.imul(hash ^ uid.charCodeAt(i), 0x01000193);
    a = (a + hash) | 0;
    b ^= Math.imul(hash, 0x85ebca6b);
  }
  return `${objects.length}.${a >>> 0}.${b >>> 0}`;
}
