/**
 * Whose children are whose. An orphan that the selector matches is taken in, a child it no longer matches is let go. Before
 * the first adoption the owner is read from the server: a cache may not know yet that it is being deleted, and whoever
 * adopts for a deleted owner steals from the garbage collector.
 */
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { JsonObject } from '../../core/kube/json.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../client/client.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Children } from './child-index.ts';
import type { Overlay } from './overlay.ts';
import { withType } from './with-type.ts';

export interface ClaimOptions<O extends KubeObject, T extends KubeObject> {
  readonly client: Client;
  readonly ownerResource: Resource<O>;
  readonly owner: Stored<O>;
  readonly resource: Resource<T>;
  readonly children: Children<T>;
  readonly overlay: Overlay<T>;
  readonly selects: (labels: Labels | undefined) => boolean;
  /** Whether it is worth claiming at all. */
  readonly counts?: (child: Stored<T>) => boolean;
  /** Whether to look for orphans; they are looked for once, and when one has come. */
  readonly adopt: boolean;
  /** What else adoption writes into metadata. */
  readonly onAdoption?: (child: Stored<T>) => JsonObject;
}

/** The owner's children after adoptions and releases. Those that `counts` leaves out are in it only if they were ours. */
export async function claim<O extends KubeObject, T extends KubeObject>(
  options: ClaimOptions<O, T>,
): Promise<Stored<T>[]> {
  const { owner, children, overlay, selects, counts = () => true } = options;
  const own: Stored<T>[] = [];
  const mayChange = !isBeingDeleted(owner);
  // Children made together share their references, too.
  let ours: readonly OwnerReference[] | undefined;
  for (const child of overlay.over(children.of(owner.metadata.uid))) {
    const { ownerReferences } = child.metadata;
    if (ownerReferences === undefined || ownerReferences !== ours) {
      if (!isControlledBy(child, owner)) continue;
      ours = ownerReferences;
    }
    if (selects(child.metadata.labels)) own.push(child);
    else if (mayChange && counts(child)) await release(options, child);
  }
  if (!options.adopt || !mayChange) return own;
  let isAllowed: Promise<void> | undefined;
  for (const orphan of [...children.orphansIn(owner.metadata.namespace ?? '')]) {
    if (isBeingDeleted(orphan) || !selects(orphan.metadata.labels) || !counts(orphan)) continue;
    const known = overlay.over([orphan]).find(({ metadata }) => metadata.uid === orphan.metadata.uid);
    if (known === undefined || controllerOf(known) !== undefined) continue;
    await (isAllowed ??= checkOwner(options));
    const adopted = await adopt(options, known);
    if (adopted !== undefined) own.push(adopted);
  }
  return own;
}

async function checkOwner<O extends KubeObject>(options: {
  readonly client: Client;
  readonly ownerResource: Resource<O>;
  readonly owner: Stored<O>;
}): Promise<void> {
  const { client, ownerResource, owner } = options;
  const { uid, name, namespace = '' } = owner.metadata;
  const fresh = await client.get(ownerResource, keyOf(owner));
  if (fresh.metadata.uid !== uid)
    throw new Error(
      `original ${ownerResource.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
    );
  if (fresh.metadata.deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
}

async function adopt<O extends KubeObject, T extends KubeObject>(
  { client, ownerResource, owner, resource, overlay, onAdoption }: ClaimOptions<O, T>,
  child: Stored<T>,
): Promise<Stored<T> | undefined> {
  const reference = { ...controllerReference(withType(ownerResource, owner)) };
  const metadata = { uid: child.metadata.uid, ownerReferences: [reference], ...onAdoption?.(child) };
  try {
    const adopted = await client.patch(resource, keyOf(child), { type: 'strategic', body: { metadata } });
    overlay.wrote(adopted);
    return adopted;
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
    overlay.gone(child);
    return undefined;
  }
}

async function release<O extends KubeObject, T extends KubeObject>(
  { client, owner, resource, overlay }: ClaimOptions<O, T>,
  child: Stored<T>,
): Promise<void> {
  const reference = { $patch: 'delete', uid: owner.metadata.uid };
  const metadata = { uid: child.metadata.uid, ownerReferences: [reference] };
  try {
    overlay.wrote(await client.patch(resource, keyOf(child), { type: 'strategic', body: { metadata } }));
  } catch (error) {
    if (isStatus(error, 'NotFound')) overlay.gone(child);
    // Invalid: the reference was not there any more.
    else if (!isStatus(error, 'Invalid')) throw error;
  }
}
