/**
 * The roles and bindings of one tenant as they are committed, arranged by whom they concern. Kept up to date by watches;
 * numbers that grow with every change let others keep what they worked out.
 */
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../../core/api/types/rbac-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Store, StoreEvent } from '../../store/store.ts';

const GROUP = 'rbac.authorization.k8s.io';

export type Binding = Stored<RoleBinding> | Stored<ClusterRoleBinding>;

export interface PolicyState {
  /** Grows when anything that holds in all namespaces has changed. */
  readonly epoch: number;
  /** Grows when a role or binding of the namespace has changed. */
  epochOf(namespace: string): number;
  clusterRole(name: string): Stored<ClusterRole> | undefined;
  role(namespace: string, name: string): Stored<Role> | undefined;
  /** Bindings that name the subject, in no order. `namespace` is empty for those that hold everywhere. */
  bindingsOf(namespace: string, subject: string): Iterable<Binding>;
}

/** How a subject is found: users and service accounts by user name, groups apart. */
export const userSubject = (name: string): string => `u:${name}`;
export const groupSubject = (name: string): string => `g:${name}`;

/** The key a binding's subject is found under; undefined where it matches no user or group. */
export function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userSubject(name);
  if (kind === 'Group') return groupSubject(name);
  if (kind !== 'ServiceAccount') return undefined;
  const home = namespace || bindingNamespace;
  return home === '' ? undefined : userSubject(`system:serviceaccount:${home}:${name}`);
}

interface NamespacePolicies {
  epoch: number;
  readonly roles: Map<string, Stored<Role>>;
  readonly bySubject: Map<string, Set<Binding>>;
}

export function createPolicyState(store: Store, tenant: string): PolicyState {
  let epoch = 0;
  let isLoaded = false;
  let watches: { stop(): void }[] = [];
  let clusterRoles = new Map<string, Stored<ClusterRole>>();
  let everywhere = new Map<string, Set<Binding>>();
  let namespaces = new Map<string, NamespacePolicies>();

  const inNamespace = (namespace: string): NamespacePolicies => {
    let found = namespaces.get(namespace);
    if (found === undefined) namespaces.set(namespace, (found = { epoch: 0, roles: new Map(), bySubject: new Map() }));
    return found;
  };

  const takers: { readonly [resource: string]: (old: Stored | undefined, now: Stored | undefined) => void } = {
    clusterroles: (old, now) => {
      epoch++;
      if (now !== undefined) clusterRoles.set(now.metadata.name, now);
      else if (old !== undefined) clusterRoles.delete(old.metadata.name);
    },
    clusterrolebindings: (old, now) => {
      epoch++;
      rebind(everywhere, '', old as Binding | undefined, now as Binding | undefined);
    },
    roles: (old, now) => {
      const { name, namespace = '' } = (now ?? old)?.metadata ?? { name: '' };
      const home = inNamespace(namespace);
      home.epoch++;
      if (now === undefined) home.roles.delete(name);
      else home.roles.set(name, now);
    },
    rolebindings: (old, now) => {
      const namespace = (now ?? old)?.metadata.namespace ?? '';
      const home = inNamespace(namespace);
      home.epoch++;
      rebind(home.bySubject, namespace, old as Binding | undefined, now as Binding | undefined);
    },
  };

  const ensure = (): void => {
    if (isLoaded) return;
    isLoaded = true;
    // Never the same number twice, so that nothing worked out before a reload passes for current.
    epoch++;
    clusterRoles = new Map();
    everywhere = new Map();
    namespaces = new Map();
    for (const watch of watches) watch.stop();
    watches = Object.entries(takers).map(([resource, take]) => {
      const collection = { tenant, group: GROUP, resource };
      const since = store.revision;
      for (const object of store.list(collection)) take(undefined, object);
      return store.watch(
        collection,
        { since },
        {
          events(events: readonly StoreEvent[]) {
            for (const { object, previous, type } of events) take(previous, type === 'DELETED' ? undefined : object);
          },
          // The state is read again by the next question; a store that has closed will then say so itself.
          closed: () => void (isLoaded = false),
        },
      );
    });
  };

  return {
    get epoch() {
      ensure();
      return epoch;
    },
    epochOf(namespace) {
      ensure();
      return namespaces.get(namespace)?.epoch ?? 0;
    },
    clusterRole(name) {
      ensure();
      return clusterRoles.get(name);
    },
    role(namespace, name) {
      ensure();
      return namespaces.get(namespace)?.roles.get(name);
    },
    bindingsOf(namespace, subject) {
      ensure();
      return (namespace === '' ? everywhere : namespaces.get(namespace)?.bySubject)?.get(subject) ?? [];
    },
  };
}

function rebind(
  bySubject: Map<string, Set<Binding>>,
  namespace: string,
  old: Binding | undefined,
  now: Binding | undefined,
): void {
  for (const subject of old?.subjects ?? []) {
    const key = subjectKey(subject, namespace) ?? '';
    const some = bySubject.get(key);
    if (old !== undefined && some?.delete(old) === true && some.size === 0) bySubject.delete(key);
  }
  for (const subject of now?.subjects ?? []) {
    const key = subjectKey(subject, namespace);
    if (key === undefined || now === undefined) continue;
    const some = bySubject.get(key);
    if (some === undefined) bySubject.set(key, new Set([now]));
    else some.add(now);
  }
}
