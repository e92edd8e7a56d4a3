/**
 * Caches of the objects of all components, found by their labels, and a listener for their changes. Opened when the first definition
 * is served: a cluster without components is not watched.
 */
import { COMPONENT_LABELS } from '../../../core/api/names.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  NODES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { ConfigMap, Node, Pod } from '../../../core/api/types/core-v1.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import type { Informers } from '../../../machinery/cache/informers.ts';
import { isInventory, parseInventory, type Inventory } from '../apply/inventory.ts';
import type { ObjectRef } from '../apply/object-ref.ts';
import { identityText } from '../apply/rendered.ts';
import { LABELS } from '../../../core/component/render/mode.ts';
import { COMPONENT_KIND } from '../../../core/api/component/generations.ts';

/** Kinds of which components are made, each found by our label. Namespaces are not among them: people may create those. */
const CHILDREN: readonly Resource[] = [
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
  ROLES,
  ROLE_BINDINGS,
  CONFIG_MAPS,
  SECRETS,
  DAEMON_SETS,
];

const LABELLED = { labelSelector: COMPONENT_LABELS.component };
const DAEMON_PODS = { labelSelector: `${LABELS.kind}=${COMPONENT_KIND}` };
const INDEX_COMPONENT = 'component';
const INDEX_OWNER = 'component-owner';

export interface ChildListener {
  /** An object with the labels of this component (`namespace/name`) was created, changed or deleted. */
  childChanged(component: string): void;
  /** An inventory of the custom resource with this uid was created, changed or deleted. */
  inventoryChanged(uid: string): void;
  podChanged(component: string): void;
  namespaceChanged(name: string): void;
}

export interface ChildCaches {
  /** Resolves when every cache is filled and the listener has heard of all that they hold. */
  synced(signal: AbortSignal): Promise<void>;
  find(ref: ObjectRef): Stored | undefined;
  /** Inventories of the custom resource with this uid, in all namespaces. Unreadable ones are left out: an apply reports them. */
  inventoriesOf(uid: string): readonly Inventory[];
  daemonSet(namespace: string, name: string): Stored<DaemonSet> | undefined;
  podsOf(component: string): Iterable<Stored<Pod>>;
  nodes(): readonly Stored<Node>[];
}

const kindKey = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  `${group}/${resource}`;

const componentOf = ({ metadata }: KubeObject): string | undefined => {
  const name = labelOf(metadata.labels, COMPONENT_LABELS.component);
  const namespace = labelOf(metadata.labels, COMPONENT_LABELS.namespace);
  return name === undefined || namespace === undefined ? undefined : identityText({ name, namespace });
};

const daemonOf = ({ metadata }: Pod): string =>
  identityText({ namespace: metadata.namespace ?? '', name: labelOf(metadata.labels, LABELS.name) ?? '' });

const ownerOfInventory = (map: ConfigMap): readonly string[] => {
  const uid = isInventory(map) ? labelOf(map.data, 'uid') : undefined;
  return uid === undefined ? [] : [uid];
};

/** `own`: informers of this controller alone; `shared`: those that other controllers use, too. */
export function openChildCaches(own: Informers, shared: Informers, listener: ChildListener): ChildCaches {
  const children = new Map<string, Informer<KubeObject>>();
  const syncs: ((signal: AbortSignal) => Promise<void>)[] = [];
  const listen = <T extends KubeObject>(informer: Informer<T>, notify: (object: Stored<T>) => void): void => {
    const registration = informer.addHandler({
      batch(changes) {
        for (const { type, object, old } of changes) {
          notify(object);
          // An update may have removed the labels: the component of the old object lost this one.
          if (type === 'update') notify(old);
        }
      },
    });
    syncs.push((signal) => registration.synced(signal));
  };
  const notifyChild = (object: KubeObject): void => {
    const component = componentOf(object);
    if (component !== undefined) listener.childChanged(component);
  };

  for (const resource of CHILDREN) {
    const informer = own.for(resource, LABELLED);
    children.set(kindKey(resource), informer);
    listen(informer, notifyChild);
  }
  const namespaces = shared.for(NAMESPACES);
  children.set(kindKey(NAMESPACES), namespaces);
  listen(namespaces, ({ metadata }) => listener.namespaceChanged(metadata.name));
  const maps = own.for(CONFIG_MAPS, LABELLED);
  maps.addIndex(INDEX_OWNER, ownerOfInventory);
  listen(maps, (map) => ownerOfInventory(map).forEach((uid) => listener.inventoryChanged(uid)));
  const sets = own.for(DAEMON_SETS, LABELLED);
  const pods = own.for(PODS, DAEMON_PODS);
  pods.addIndex(INDEX_COMPONENT, (pod) => [daemonOf(pod)]);
  listen(pods, (pod) => listener.podChanged(daemonOf(pod)));
  const nodes = shared.for(NODES);
  syncs.push((signal) => nodes.synced(signal));

  return {
    async synced(signal) {
      await Promise.all(syncs.map((wait) => wait(signal)));
    },
    find: (ref) => children.get(kindKey(ref))?.lister.get(ref.name, ref.namespace === '' ? undefined : ref.namespace),
    inventoriesOf: (uid) => [...maps.lister.byIndex(INDEX_OWNER, uid)].flatMap(readableInventory),
    daemonSet: (namespace, name) => sets.lister.get(name, namespace),
    podsOf: (component) => pods.lister.byIndex(INDEX_COMPONENT, component),
    nodes: () => [...nodes.lister.list()],
  };
}

function readableInventory(map: Stored<ConfigMap>): readonly Inventory[] {
  const name = labelOf(map.metadata.labels, COMPONENT_LABELS.component) ?? '';
  try {
    return [parseInventory(map, { name, namespace: map.metadata.namespace ?? '' })];
  } catch {
    return [];
  }
}
