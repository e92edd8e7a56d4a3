/** Objects live in namespaces that exist and are not on their way out; some namespaces live for ever. */
import type { Namespace } from '../../core/api/types/core-v1.ts';
import type { GroupResource } from '../../core/kube/status-error.ts';
import { StatusError, forbiddenRequest, notFound } from '../../core/kube/status-error.ts';
import { SYSTEM_TENANT } from '../../core/kube/objects.ts';
import type { AdmissionPlugin, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';

/** Without the last namespace (that of node leases), no node could report that it lives. */
export const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set([
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };
const ALLOWED: AdmissionResponse = { allowed: true };

/** Kinds that are questions and never stored; a client may ask them in any namespace. */
const QUESTIONS: ReadonlySet<string> = new Set(['localsubjectaccessreviews']);

export function createNamespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: ({ operation, resource }) =>
      operation === 'CREATE' || (operation === 'DELETE' && resource.resource === 'namespaces' && resource.group === ''),
    mutate({ name, namespace, operation, resource, tenant }) {
      if (operation === 'DELETE') {
        if (tenant !== SYSTEM_TENANT || !IMMORTAL_NAMESPACES.has(name)) return ALLOWED;
        return { allowed: false, error: forbiddenRequest(NAMESPACES, name, 'this namespace may not be deleted') };
      }
      if (namespace === '' || (resource.group === '' && resource.resource === 'namespaces')) return ALLOWED;
      if (QUESTIONS.has(resource.resource)) return ALLOWED;
      const error = namespaceRefusal(store, resource, tenant, namespace, name);
      return error === undefined ? ALLOWED : { allowed: false, error };
    },
  };
}

/** The namespace check once more at the moment of the write, since admission may have taken its time. */
export function requireLivingNamespace(
  store: Store,
  what: GroupResource,
  tenant: string,
  namespace: string,
  name: string,
): void {
  const error = namespaceRefusal(store, what, tenant, namespace, name);
  if (error !== undefined) throw error;
}

function namespaceRefusal(
  store: Store,
  what: GroupResource,
  tenant: string,
  namespace: string,
  name: string,
): StatusError | undefined {
  const found = store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
  if (found === undefined) return notFound(NAMESPACES, namespace);
  if (found.metadata.deletionTimestamp === undefined && (found as Namespace).status?.phase !== 'Terminating') {
    return undefined;
  }
  const error = forbiddenRequest(
    what,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  return new StatusError(403, 'Forbidden', error.message, {
    ...error.status.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
