/** Owner references. At most one owner of an object is its controller. */
import { withMetadata } from './immutable.ts';
import type { OwnerReference } from './meta-v1.ts';
import type { KubeObject } from './objects.ts';

/** The reference to the controller, if there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  const references = object.metadata.ownerReferences;
  if (references === undefined) return undefined;
  // A loop by index: a dozen controllers call this for every change to a pod, and an iterator each time is garbage.
  for (let i = 0; i < references.length; i += 1) if (references[i]?.controller === true) return references[i];
  return undefined;
}

/** Compared by UID: an object with the owner's name that was created after the owner's deletion is not the owner. */
export function isControlledBy(object: KubeObject, owner: { readonly metadata: { readonly uid?: string } }): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && uid !== '' && controllerOf(object)?.uid === uid;
}

export function isOwnedBy(object: KubeObject, ownerUid: string): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === ownerUid) ?? false;
}

type Owner = Pick<KubeObject, 'apiVersion' | 'kind'> & {
  readonly metadata: { readonly name: string; readonly uid?: string };
};

/** A reference that only ties the child's deletion to the owner's. */
export const ownerReference = ({ apiVersion, kind, metadata }: Owner): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/** A reference that makes the owner the child's controller. Foreground deletion of the owner waits for the child. */
export const controllerReference = (owner: Owner): OwnerReference => ({
  ...ownerReference(owner),
  controller: true,
  blockOwnerDeletion: true,
});

/** The object with this reference; one with the same UID is replaced in its place. */
export function withOwner<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const references = object.metadata.ownerReferences ?? [];
  const index = references.findIndex(({ uid }) => uid === reference.uid);
  const next = index === -1 ? [...references, reference] : references.with(index, reference);
  return withMetadata(object, 'ownerReferences', next);
}

/** The object without references to this owner; the same object when there are none. */
export function withoutOwner<T extends KubeObject>(object: T, ownerUid: string): T {
  if (!isOwnedBy(object, ownerUid)) return object;
  const rest = object.metadata.ownerReferences?.filter(({ uid }) => uid !== ownerUid) ?? [];
  return withMetadata(object, 'ownerReferences', rest.length === 0 ? undefined : rest);
}
