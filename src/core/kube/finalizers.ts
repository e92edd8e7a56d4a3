/** Finalizers keep a deleted object until their controllers have cleaned up and removed them. */
import { withMetadata } from './immutable.ts';
import type { KubeObject } from './objects.ts';

export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

export const hasFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

export const isBeingDeleted = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** The object with the finalizer; the same object when the finalizer is there already. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return withMetadata(object, 'finalizers', [...(object.metadata.finalizers ?? []), finalizer]);
}

/** The object without the finalizer; the same object when the finalizer is not there. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const rest = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
  return withMetadata(object, 'finalizers', rest.length === 0 ? undefined : rest);
}
