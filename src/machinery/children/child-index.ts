/** How children are found: by their controller, and orphans by namespace. Kept in the caches that everybody shares. */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Informer } from '../cache/informer.ts';
import type { IndexFunction } from '../cache/object-store.ts';

const CONTROLLER = 'workloads.controller';
const ORPHANS = 'workloads.orphans';
const NONE: readonly string[] = Object.freeze([]);

/** Pods of DaemonSets are many, and nobody asks for them here. */
const controllerOfChild: IndexFunction<KubeObject> = (object) => {
  const reference = controllerOf(object);
  return reference === undefined || reference.kind === 'DaemonSet' ? NONE : [reference.uid];
};

/** Only what carries labels can be selected. */
const namespaceOfOrphan: IndexFunction<KubeObject> = (object) => {
  const { labels, namespace = '' } = object.metadata;
  return labels === undefined || controllerOf(object) !== undefined ? NONE : [namespace];
};

export interface Children<T extends KubeObject> {
  of(ownerUid: string): ReadonlySet<Stored<T>>;
  orphansIn(namespace: string): ReadonlySet<Stored<T>>;
}

export function indexChildren<T extends KubeObject>(informer: Informer<T>): Children<T> {
  informer.addIndex(CONTROLLER, controllerOfChild);
  informer.addIndex(ORPHANS, namespaceOfOrphan);
  const { lister } = informer;
  return {
    of: (uid) => lister.byIndex(CONTROLLER, uid),
    orphansIn: (namespace) => lister.byIndex(ORPHANS, namespace),
  };
}
