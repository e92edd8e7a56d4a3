/** Children by the UID of their controller, and orphans by namespace: indexes in the caches that all controllers share. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Informer } from '../cache/informer.ts';
import type { IndexFunction } from '../cache/object-store.ts';

const CONTROLLER = 'children.controller';
const ORPHANS = 'children.orphans';
const NONE: readonly string[] = Object.freeze([]);

const byController: IndexFunction<KubeObject> = (object) => {
  const reference = controllerOf(object);
  return reference === undefined ? NONE : [reference.uid];
};

const byControllerOfPod: IndexFunction<Pod> = (pod) => {
  const reference = controllerOf(pod);
  return reference === undefined || reference.kind === 'DaemonSet' ? NONE : [reference.uid];
};

/** Selectors match labels: an orphan without any is never adopted. */
const namespaceOfOrphan: IndexFunction<KubeObject> = (object) => {
  const { labels, namespace = '' } = object.metadata;
  return labels === undefined || controllerOf(object) !== undefined ? NONE : [namespace];
};

export interface ChildIndex<T extends KubeObject> {
  of(ownerUid: string): ReadonlySet<Stored<T>>;
  orphansIn(namespace: string): ReadonlySet<Stored<T>>;
}

export const indexChildren = <T extends KubeObject>(informer: Informer<T>): ChildIndex<T> =>
  indexWith(informer, byController);

/** Without pods of DaemonSets: they are many, and their controller finds them through the engine of core/daemons. */
export const indexPods = (pods: Informer<Pod>): ChildIndex<Pod> => indexWith(pods, byControllerOfPod);

function indexWith<T extends KubeObject>(informer: Informer<T>, controller: IndexFunction<T>): ChildIndex<T> {
  informer.addIndex(CONTROLLER, controller);
  informer.addIndex(ORPHANS, namespaceOfOrphan);
  const { lister } = informer;
  return {
    of: (uid) => lister.byIndex(CONTROLLER, uid),
    orphansIn: (namespace) => lister.byIndex(ORPHANS, namespace),
  };
}
