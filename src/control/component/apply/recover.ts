/** A component whose inventory was lost: everything that bears its marks, as far as one may look. */
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  PRIORITY_CLASSES,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../../../core/api/registry/resources.ts';
import type { Resource } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Calls } from './calls.ts';
import { isInventory } from './inventory.ts';
import { refOf, type ObjectRef } from './object-ref.ts';
import { componentSelector, wasCreatedBy } from './ownership.ts';
import type { ComponentIdentity } from './rendered.ts';

/** Kinds of which components are made. */
const USUAL: readonly Resource[] = [
  NAMESPACES,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  PRIORITY_CLASSES,
  SERVICE_ACCOUNTS,
  ROLES,
  ROLE_BINDINGS,
  CONFIG_MAPS,
  SECRETS,
  SERVICES,
  DAEMON_SETS,
];

export async function recoverObjects(calls: Calls, identity: ComponentIdentity): Promise<readonly ObjectRef[]> {
  const found: ObjectRef[] = [];
  const labelSelector = componentSelector(identity);
  for (const resource of USUAL) {
    const scope = resource.namespaced ? { namespace: identity.namespace } : {};
    try {
      const { items } = await calls.attempt('list', refOf(resource, identity.namespace, ''), (signal) =>
        calls.context.client.list(resource, { ...scope, labelSelector, ...(signal === undefined ? {} : { signal }) }),
      );
      for (const item of items) {
        const isOwn = resource === NAMESPACES ? wasCreatedBy(item, identity) : !isInventory(item);
        if (isOwn && controllerOf(item) === undefined)
          found.push(refOf(resource, item.metadata.namespace ?? '', item.metadata.name));
      }
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 403 && error.code !== 404)) throw error;
      calls.tell({ type: 'note', message: `may not look for ${resource.resource} of the component` });
    }
  }
  return found;
}
