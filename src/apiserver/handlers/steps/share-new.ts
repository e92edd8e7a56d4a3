/**
 * New objects from the wire, made to share. Ten thousand pods of one template arrive as ten thousand copies of it;
 * each is compared with the last one of its kind from the same owner, and equal parts are taken from that one.
 */
import { share } from '../../../core/kube/immutable.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';

/** Families remembered; the one not heard of for longest is forgotten first. */
const FAMILIES = 512;

export interface NewObjectSharing {
  share<T extends KubeObject>(object: T): T;
}

export function createNewObjectSharing(): NewObjectSharing {
  const latest = new Map<string, KubeObject>();
  return {
    share(object) {
      const family = familyOf(object);
      if (family === undefined) return object;
      const sibling = latest.get(family);
      const shared = sibling === undefined ? object : share(sibling, object);
      latest.delete(family);
      latest.set(family, shared);
      if (latest.size > FAMILIES) latest.delete(latest.keys().next().value ?? '');
      return shared;
    },
  };
}

/**
 * Objects of one controller look alike; so do those made with one name prefix. Nothing about the object has been
 * checked yet.
 */
function familyOf({ apiVersion, kind, metadata }: KubeObject): string | undefined {
  const { generateName, namespace, ownerReferences }: Unchecked = metadata ?? {};
  const owner = Array.isArray(ownerReferences) ? (ownerReferences as readonly unknown[]).find(isController) : undefined;
  const mark = owner?.uid ?? generateName;
  return typeof mark === 'string' ? `${apiVersion}/${kind}/${String(namespace)}/${mark}` : undefined;
}

interface Unchecked {
  readonly generateName?: unknown;
  readonly namespace?: unknown;
  readonly ownerReferences?: unknown;
}

const isController = (ref: unknown): ref is { readonly uid?: unknown } =>
  typeof ref === 'object' && ref !== null && (ref as { controller?: unknown }).controller === true;
