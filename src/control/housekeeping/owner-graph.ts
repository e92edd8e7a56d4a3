/**
 * Edges from dependents to owners, by UID, kept up change by change: a change costs what it touches, never the whole
 * graph. Besides keeping the edges, the graph says which objects have to be looked at again because of a change.
 */
import { FOREGROUND_FINALIZER, hasFinalizer, isBeingDeleted, ORPHAN_FINALIZER } from '../../core/kube/finalizers.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import type { Change } from '../../machinery/cache/object-store.ts';

export interface GraphNode {
  readonly uid: string;
  readonly resource: Resource;
  /** The newest state in any event. */
  readonly object: Stored;
}

export interface OwnerGraph {
  readonly size: number;
  get(uid: string): GraphNode | undefined;
  /** Objects that name this UID as an owner, whether or not the owner itself is known. */
  dependentsOf(uid: string): ReadonlySet<GraphNode>;
  note(resource: Resource, change: Change<KubeObject>): void;
  /** A kind is gone: dependents of its objects are looked at again. Costs a walk over the whole graph. */
  doubtOwners(group: string, kind: string): void;
}

interface Node extends GraphNode {
  object: Stored;
}

const NONE: readonly OwnerReference[] = [];
const NOBODY: ReadonlySet<GraphNode> = new Set();

export const ownersOf = (object: KubeObject): readonly OwnerReference[] => object.metadata.ownerReferences ?? NONE;

/** Foreground deletion: the object goes only after all blocking dependents are gone. */
export const awaitsDependents = (object: KubeObject): boolean =>
  isBeingDeleted(object) && hasFinalizer(object, FOREGROUND_FINALIZER);

/** The object is being deleted and leaves its dependents behind. */
export const abandonsDependents = (object: KubeObject): boolean =>
  isBeingDeleted(object) && hasFinalizer(object, ORPHAN_FINALIZER);

export const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
};

/** True if the reference in `dependent` means this very object: the UID alone could be a mistake or a lie. */
export function isOwnerMeant({ resource, object, uid }: GraphNode, reference: OwnerReference, dependent: KubeObject) {
  return (
    reference.uid === uid &&
    reference.name === object.metadata.name &&
    reference.kind === resource.kind &&
    groupOf(reference.apiVersion) === resource.group &&
    (!resource.namespaced || object.metadata.namespace === dependent.metadata.namespace)
  );
}

export function createOwnerGraph(look: (uid: string) => void): OwnerGraph {
  const nodes = new Map<string, Node>();
  const edges = new Map<string, Set<Node>>();

  function link(node: Node, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const dependents = edges.get(uid);
      if (dependents === undefined) edges.set(uid, new Set([node]));
      else dependents.add(node);
    }
  }

  function unlink(node: Node, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const dependents = edges.get(uid);
      if (dependents?.delete(node) === true && dependents.size === 0) edges.delete(uid);
    }
  }

  function lookAtDependents(uid: string): void {
    for (const dependent of edges.get(uid) ?? NOBODY) look(dependent.uid);
  }

  /** Owners that wait for dependents may have one less to wait for. */
  function lookAtWaiting(owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = nodes.get(uid);
      if (owner !== undefined && awaitsDependents(owner.object)) look(uid);
    }
  }

  function lookIfOwnersAreInDoubt({ uid, object }: Node): void {
    for (const reference of ownersOf(object)) {
      const owner = nodes.get(reference.uid);
      const isFine = owner !== undefined && isOwnerMeant(owner, reference, object) && !isBeingDeleted(owner.object);
      if (isFine) continue;
      look(uid);
      return;
    }
  }

  function lookIfDeletionBegan(node: Node, old: Stored | undefined): void {
    const { uid, object } = node;
    if (abandonsDependents(object) && (old === undefined || !abandonsDependents(old))) look(uid);
    if (!awaitsDependents(object) || (old !== undefined && awaitsDependents(old))) return;
    look(uid);
    lookAtDependents(uid);
  }

  function put(resource: Resource, object: Stored): void {
    const { uid } = object.metadata;
    const known = nodes.get(uid);
    if (known === undefined) {
      const node: Node = { uid, resource, object };
      nodes.set(uid, node);
      link(node, ownersOf(object));
      lookIfOwnersAreInDoubt(node);
      lookIfDeletionBegan(node, undefined);
      return;
    }
    const old = known.object;
    known.object = object;
    const before = ownersOf(old);
    const after = ownersOf(object);
    if (before !== after) {
      unlink(known, before);
      link(known, after);
      lookAtWaiting(before);
      lookIfOwnersAreInDoubt(known);
    }
    lookIfDeletionBegan(known, old);
  }

  function remove(uid: string): void {
    const node = nodes.get(uid);
    if (node === undefined) return;
    nodes.delete(uid);
    unlink(node, ownersOf(node.object));
    lookAtWaiting(ownersOf(node.object));
    lookAtDependents(uid);
  }

  return {
    get size() {
      return nodes.size;
    },
    get: (uid) => nodes.get(uid),
    dependentsOf: (uid) => edges.get(uid) ?? NOBODY,
    note(resource, { type, object, old }) {
      // Between two events an object may have been replaced by another of its name.
      if (old !== undefined && old.metadata.uid !== object.metadata.uid) remove(old.metadata.uid);
      if (type === 'delete') remove(object.metadata.uid);
      else put(resource, object);
    },
    doubtOwners(group, kind) {
      for (const { uid, object } of nodes.values()) {
        if (ownersOf(object).some((each) => each.kind === kind && groupOf(each.apiVersion) === group)) look(uid);
      }
    },
  };
}
