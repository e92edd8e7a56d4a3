/**
 * Adoption and release. An orphan that the owner's selector matches is adopted: the owner becomes its controller. A child that
 * the selector no longer matches is released. Before the first adoption the owner is read from the server: a cache may not
 * show yet that the owner is being deleted, and adopting for a deleted owner would take the orphan from the garbage collector.
 */
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { JsonObject } from '../../core/kube/json.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Client } from '../client/client.ts';
import type { ChildIndex } from './child-index.ts';
import type { Overlay } from './overlay.ts';
import { unlessGone } from './write-outcomes.ts';
import { withType } from './with-type.ts';

/** Changes controller references for one owner. Made for one reconcile: that the owner may adopt is found out once. */
export interface Claims {
  readonly owner: Stored;
  /** The object as adopted; 'gone' when it is no more. @param more further metadata that the patch writes. */
  adopt<T extends KubeObject>(resource: Resource<T>, orphan: Stored<T>, more?: JsonObject): Promise<Stored<T> | 'gone'>;
  /** The object as released; 'gone' when it is no more, 'free' when it had no reference to the owner any more. */
  release<T extends KubeObject>(resource: Resource<T>, child: Stored<T>): Promise<Stored<T> | 'gone' | 'free'>;
}

export function createClaims<O extends KubeObject>(
  client: Client,
  ownerResource: Resource<O>,
  owner: Stored<O>,
): Claims {
  let mayAdopt: Promise<void> | undefined;

  async function checkOwner(): Promise<void> {
    const { uid, name, namespace = '' } = owner.metadata;
    const fresh = await client.get(ownerResource, keyOf(owner));
    if (fresh.metadata.uid !== uid)
      throw new Error(
        `original ${ownerResource.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
      );
    if (fresh.metadata.deletionTimestamp !== undefined)
      throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
  }

  /** The UID in the patch makes it fail for another object of the same name. */
  async function patch<T extends KubeObject>(
    resource: Resource<T>,
    child: Stored<T>,
    reference: JsonObject,
    more?: JsonObject,
  ): Promise<Stored<T> | 'gone'> {
    const metadata = { uid: child.metadata.uid, ownerReferences: [reference], ...more };
    const request = client.patch(resource, keyOf(child), { type: 'strategic', body: { metadata } });
    return (await unlessGone(request)) ?? 'gone';
  }

  /** Custom resources know no strategic merge: the whole list is written, at the version that was seen. */
  async function replaceReferences<T extends KubeObject>(
    resource: Resource<T>,
    child: Stored<T>,
    references: readonly OwnerReference[],
    more?: JsonObject,
  ): Promise<Stored<T> | 'gone'> {
    const { uid, resourceVersion } = child.metadata;
    const metadata = { uid, resourceVersion, ownerReferences: references.map((each) => ({ ...each })), ...more };
    const request = client.patch(resource, keyOf(child), { type: 'merge', body: { metadata } });
    return (await unlessGone(request)) ?? 'gone';
  }

  return {
    owner,
    async adopt(resource, orphan, more) {
      await (mayAdopt ??= checkOwner());
      const reference = controllerReference(withType(ownerResource, owner));
      if (!isCustom(resource)) return patch(resource, orphan, { ...reference }, more);
      const others = orphan.metadata.ownerReferences?.filter(({ uid }) => uid !== reference.uid) ?? [];
      return replaceReferences(resource, orphan, [...others, reference], more);
    },
    async release(resource, child) {
      if (isCustom(resource)) {
        const { ownerReferences = [] } = child.metadata;
        const others = ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid);
        return others.length === ownerReferences.length ? 'free' : replaceReferences(resource, child, others);
      }
      try {
        return await patch(resource, child, { $patch: 'delete', uid: owner.metadata.uid });
      } catch (error) {
        if (isStatus(error, 'Invalid')) return 'free';
        throw error;
      }
    },
  };
}

/** Kubernetes' own groups are plain words or end in `.k8s.io`. */
const isCustom = ({ group }: Resource): boolean => group.includes('.') && !group.endsWith('.k8s.io');

/** Whether an owner that selects such labels may adopt the object. */
export const isAdoptable = (object: Stored, selects: (labels: Labels | undefined) => boolean): boolean =>
  controllerOf(object) === undefined && !isBeingDeleted(object) && selects(object.metadata.labels);

export interface ClaimOptions<T extends KubeObject> {
  readonly claims: Claims;
  /** The children's. */
  readonly resource: Resource<T>;
  readonly index: ChildIndex<T>;
  readonly overlay: Overlay<T>;
  readonly selects: (labels: Labels | undefined) => boolean;
  /** Whether a child is worth a patch; all are unless said. A child that is not is neither released nor adopted. */
  readonly counts?: (child: Stored<T>) => boolean;
  /** Whether to look for orphans. */
  readonly adopt: boolean;
  /** Further metadata that adoption writes. */
  readonly onAdoption?: (orphan: Stored<T>) => JsonObject;
}

/** The owner's children that its selector matches, after releases and adoptions. */
export async function claimChildren<T extends KubeObject>(options: ClaimOptions<T>): Promise<Stored<T>[]> {
  const { claims, index, overlay, selects, counts = () => true } = options;
  const { owner } = claims;
  const own: Stored<T>[] = [];
  const mayChange = !isBeingDeleted(owner);
  // Children made together share the list of references: each list is looked at once.
  let ours: readonly OwnerReference[] | undefined;
  for (const child of overlay.over(index.of(owner.metadata.uid))) {
    const { ownerReferences } = child.metadata;
    if (ownerReferences === undefined || ownerReferences !== ours) {
      if (!isControlledBy(child, owner)) continue;
      ours = ownerReferences;
    }
    if (selects(child.metadata.labels)) own.push(child);
    else if (mayChange && counts(child)) await release(options, child);
  }
  if (options.adopt && mayChange) await adoptOrphans(options, own);
  return own;
}

async function release<T extends KubeObject>(
  { claims, resource, overlay }: ClaimOptions<T>,
  child: Stored<T>,
): Promise<void> {
  const released = await claims.release(resource, child);
  if (released === 'gone') overlay.gone(child);
  else if (released !== 'free') overlay.wrote(released);
}

async function adoptOrphans<T extends KubeObject>(options: ClaimOptions<T>, own: Stored<T>[]): Promise<void> {
  const { claims, resource, index, overlay, selects, counts = () => true } = options;
  // A copy: the index changes while patches are under way.
  for (const cached of [...index.orphansIn(claims.owner.metadata.namespace ?? '')]) {
    if (!isAdoptable(cached, selects) || !counts(cached)) continue;
    const orphan = overlay.latest(cached);
    if (orphan === undefined || controllerOf(orphan) !== undefined) continue;
    const adopted = await claims.adopt(resource, orphan, options.onAdoption?.(orphan));
    if (adopted === 'gone') overlay.gone(orphan);
    else {
      overlay.wrote(adopted);
      own.push(adopted);
    }
  }
}
