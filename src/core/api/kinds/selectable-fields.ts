/**
 * Fields that selectors may name, kind by kind, beside the object's name and namespace. A selector that names another
 * is refused in the words clients know.
 */
import { unknownMetadataField, unsupportedField } from '../../kube/field-selector.ts';
import type { ReplicaSet } from '../types/apps-v1.ts';
import type { Job } from '../types/batch-v1.ts';
import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import type {
  Event as CoreEvent,
  Namespace,
  Node,
  Pod,
  ReplicationController,
  Secret,
  Service,
} from '../types/core-v1.ts';
import type { Event as NewEvent } from '../types/events-v1.ts';
import type { Ticket } from '../types/korder-v1alpha1.ts';
import type { ResourceSlice } from '../types/resource-v1.ts';

type Fields<T> = { readonly [path: string]: (object: T) => string };

export const POD_FIELDS: Fields<Pod> = {
  'spec.nodeName': (pod) => pod.spec?.nodeName ?? '',
  // `spec.host` is an older name of `spec.nodeName`.
  'spec.host': (pod) => pod.spec?.nodeName ?? '',
  'spec.restartPolicy': (pod) => pod.spec?.restartPolicy ?? '',
  'spec.schedulerName': (pod) => pod.spec?.schedulerName ?? '',
  'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? '',
  'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
  'status.phase': (pod) => pod.status?.phase ?? '',
  'status.podIP': (pod) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '',
  // Accepted as a selector, but the field never has a value.
  'status.podIPs': () => '',
  'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName ?? '',
};

export const NODE_FIELDS: Fields<Node> = {
  'spec.unschedulable': (node) => String(node.spec?.unschedulable ?? false),
};

export const NAMESPACE_FIELDS: Fields<Namespace> = {
  'status.phase': (namespace) => namespace.status?.phase ?? '',
};

export const SECRET_FIELDS: Fields<Secret> = { type: (secret) => secret.type ?? '' };

export const SERVICE_FIELDS: Fields<Service> = {
  'spec.clusterIP': (service) => service.spec?.clusterIP ?? '',
  'spec.type': (service) => service.spec?.type ?? '',
};

export const REPLICATION_FIELDS: Fields<ReplicationController | ReplicaSet> = {
  'status.replicas': (object) => String(object.status?.replicas ?? 0),
};

export const JOB_FIELDS: Fields<Job> = { 'status.successful': (job) => String(job.status?.succeeded ?? 0) };

export const TICKET_FIELDS: Fields<Ticket> = {
  'status.phase': (ticket) => ticket.status?.phase ?? '',
  'status.nodeName': (ticket) => ticket.status?.nodeName ?? '',
};

export const CERTIFICATE_REQUEST_FIELDS: Fields<CertificateSigningRequest> = {
  'spec.signerName': (request) => request.spec?.signerName ?? '',
};

export const RESOURCE_SLICE_FIELDS: Fields<ResourceSlice> = {
  'spec.nodeName': (slice) => slice.spec?.nodeName ?? '',
  'spec.driver': (slice) => slice.spec?.driver ?? '',
};

const REFERENCE_PARTS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

export const CORE_EVENT_FIELDS: Fields<CoreEvent> = {
  ...Object.fromEntries(
    REFERENCE_PARTS.map((part) => [`involvedObject.${part}`, (event: CoreEvent) => event.involvedObject?.[part] ?? '']),
  ),
  reason: (event) => event.reason ?? '',
  reportingComponent: (event) => event.reportingComponent ?? '',
  source: (event) => event.source?.component || event.reportingComponent || '',
  type: (event) => event.type ?? '',
};

export const EVENT_FIELDS: Fields<NewEvent> = {
  ...Object.fromEntries(
    REFERENCE_PARTS.map((part) => [`regarding.${part}`, (event: NewEvent) => event.regarding?.[part] ?? '']),
  ),
  reason: (event) => event.reason ?? '',
  reportingController: (event) => event.reportingController ?? '',
  type: (event) => event.type ?? '',
};

interface Selectable {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly selectableFields: { readonly [path: string]: unknown };
}

/** Cluster-scoped kinds with fields of their own know no namespace; all others accept it, where it is always empty. */
const NAMELESS: ReadonlySet<string> = new Set(['Node', 'Namespace', 'CertificateSigningRequest', 'ResourceSlice']);

/** Why a selector may not name this field; undefined when it may. */
export function fieldSelectorProblem(kind: Selectable, path: string): string | undefined {
  if (path === 'metadata.name' || Object.hasOwn(kind.selectableFields, path)) return undefined;
  if (path === 'metadata.namespace' && !NAMELESS.has(kind.kind)) return undefined;
  if (Object.keys(kind.selectableFields).length === 0) return unknownMetadataField(path);
  if (kind.kind === 'Job') return `field label ${JSON.stringify(path)} not supported for Job`;
  if (kind.kind === 'ResourceSlice') {
    return `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${path}`;
  }
  return unsupportedField(path);
}
