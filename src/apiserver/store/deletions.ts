/** Which writes a store takes when its disk is full: those without which nothing could ever be deleted. */
import type { Stored } from '../../core/kube/objects.ts';

/**
 * Undefined is a removal. An object with a deletionTimestamp is on its way out: setting that, removing finalizers and
 * reporting how far its deletion is are writes too. Everything else waits, Leases included, as it does when etcd has
 * no space left.
 */
export const belongsToDeletion = (object: Stored | undefined): boolean =>
  object === undefined || object.metadata.deletionTimestamp !== undefined;
