/** Collected objects had lost their owners, and objects that have lost their owners are collected. */
import { FOREGROUND_FINALIZER, hasFinalizer, isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { objectName, resourceName, type Commit } from '../commit.ts';
import type { InvariantFactory } from './invariant.ts';

const COLLECTOR = 'garbage-collector';

const ownersOf = (object: KubeObject) => object.metadata.ownerReferences ?? [];

/** The owner waits for its dependents to go first. */
const isAwaited = (owner: KubeObject): boolean => isBeingDeleted(owner) && hasFinalizer(owner, FOREGROUND_FINALIZER);

/** All existing objects, by UID. */
function createCensus() {
  const living = new Map<string, Stored>();
  return {
    living,
    note({ type, object }: Commit): void {
      if (type === 'DELETED') living.delete(object.metadata.uid);
      else living.set(object.metadata.uid, object);
    },
  };
}

export const collectedByRight: InvariantFactory = () => {
  const { living, note } = createCensus();
  return {
    name: 'collected-by-right',
    committed(commit) {
      note(commit);
      const { by, type, object, previous, key } = commit;
      if (by !== COLLECTOR || previous === undefined || isBeingDeleted(previous)) return undefined;
      if (type !== 'DELETED' && !isBeingDeleted(object)) return undefined;
      const owners = ownersOf(previous);
      if (owners.length === 0) return `${resourceName(key)} ${objectName(key)} was collected and never had an owner`;
      for (const { uid, kind, name } of owners) {
        const owner = living.get(uid);
        if (owner !== undefined && !isAwaited(owner))
          return `${resourceName(key)} ${objectName(key)} was collected though ${kind} ${name} is there`;
      }
      return undefined;
    },
  };
};

export const nothingLeftBehind: InvariantFactory = () => {
  const { living, note } = createCensus();
  /** UIDs of all objects that ever existed: an owner that never existed is no concern of this invariant. */
  const known = new Set<string>();
  return {
    name: 'nothing-left-behind',
    committed(commit) {
      note(commit);
      known.add(commit.object.metadata.uid);
      return undefined;
    },
    *settled() {
      for (const object of living.values()) {
        const owners = ownersOf(object);
        if (owners.length === 0 || isBeingDeleted(object)) continue;
        if (owners.every(({ uid }) => known.has(uid) && !living.has(uid)))
          yield `${object.kind} ${object.metadata.name} is still there, its owner ${owners[0]?.name} is not`;
      }
    },
  };
};
