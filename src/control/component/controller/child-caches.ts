/**
 * What there is of all components: caches of everything that bears their marks, and who is concerned by a change. It is opened when
 * the first custom resource can exist; a cluster without any is not watched.
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

/** All that components are made of; each is found by our label, but namespaces, which others make for them. */
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

const MARKED = { labelSelector: COMPONENT_LABELS.component };
const DAEMON_PODS = { labelSelector: `${LABELS.kind}=${COMPONENT_KIND}` };
const INDEX_COMPONENT = 'component';
const INDEX_OWNER = 'component-owner';

export interface WorldListener {
  /** Something that bears the marks of this component (`namespace/name`) came, changed or went. */
  childChanged(component: string): void;
  /** An inventory that belongs to the custom resource of this uid. */
  inventoryChanged(uid: string): void;
  podChanged(component: string): void;
  namespaceChanged(name: string): void;
}

export interface World {
  /** Undefined while it is not open, or not filled. */
  synced(signal: AbortSignal): Promise<void>;
  find(ref: ObjectRef): Stored | undefined;
  /** What the custom resource of this uid has brought, wherever it has. One that cannot be read is left to who reads it. */
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

/** `own` holds what nobody else looks at; `shared` what others have anyway. */
export function openWorld(own: Informers, shared: Informers, listener: WorldListener): World {
  const children = new Map<string, Informer<KubeObject>>();
  const settled: ((signal: AbortSignal) => Promise<void>)[] = [];
  const hear = <T extends KubeObject>(informer: Informer<T>, note: (object: Stored<T>) => void): void => {
    const registration = informer.addHandler({
      batch(changes) {
        for (const { type, object, old } of changes) {
          note(object);
          // Who took the marks away has changed it, too.
          if (type === 'update') note(old);
        }
      },
    });
    settled.push((signal) => registration.synced(signal));
  };
  const child = (object: KubeObject): void => {
    const component = componentOf(object);
    if (component !== undefined) listener.childChanged(component);
  };

  for (const resource of CHILDREN) {
    const informer = own.for(resource, MARKED);
    children.set(kindKey(resource), informer);
    hear(informer, child);
  }
  const namespaces = shared.for(NAMESPACES);
  children.set(kindKey(NAMESPACES), namespaces);
  hear(namespaces, ({ metadata }) => listener.namespaceChanged(metadata.name));
  const maps = own.for(CONFIG_MAPS, MARKED);
  maps.addIndex(INDEX_OWNER, ownerOfInventory);
  hear(maps, (map) => ownerOfInventory(map).forEach((uid) => listener.inventoryChanged(uid)));
  const sets = own.for(DAEMON_SETS, MARKED);
  const pods = own.for(PODS, DAEMON_PODS);
  pods.addIndex(INDEX_COMPONENT, (pod) => [daemonOf(pod)]);
  hear(pods, (pod) => listener.podChanged(daemonOf(pod)));
  const nodes = shared.for(NODES);
  settled.push((signal) => nodes.synced(signal));

  return {
    async synced(signal) {
      await Promise.all(settled.map((wait) => wait(signal)));
    },
    find: (ref) => children.get(kindKey(ref))?.lister.get(ref.name, ref.namespace === '' ? undefined : ref.namespace),
    inventoriesOf: (uid) => [...maps.lister.byIndex(INDEX_OWNER, uid)].flatMap(readable),
    daemonSet: (namespace, name) => sets.lister.get(name, namespace),
    podsOf: (component) => pods.lister.byIndex(INDEX_COMPONENT, component),
    nodes: () => [...nodes.lister.list()],
  };
}

function readable(map: Stored<ConfigMap>): readonly Inventory[] {
  const name = labelOf(map.metadata.labels, COMPONENT_LABELS.component) ?? '';
  try {
    return [parseInventory(map, { name, namespace: map.metadata.namespace ?? '' })];
  } catch {
    return [];
  }
}
