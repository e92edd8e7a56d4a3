// Written by tools/generate/resources.ts from the facts; edit those. Cheap to import: no schema is touched.
import type { KubeObject, Resource } from '../../kube/objects.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../types/admissionregistration-v1.ts';
import type { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import type { APIService } from '../types/apiregistration-v1.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../types/apps-v1.ts';
import type { SelfSubjectReview, TokenReview } from '../types/authentication-v1.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../types/authorization-v1.ts';
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler } from '../types/autoscaling-v2.ts';
import type { CronJob, Job } from '../types/batch-v1.ts';
import type { CertificateSigningRequest } from '../types/certificates-v1.ts';
import type { Lease } from '../types/coordination-v1.ts';
import type {
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '../types/core-v1.ts';
import type { EndpointSlice } from '../types/discovery-v1.ts';
import type { Event as EventsEvent } from '../types/events-v1.ts';
import type { DaemonHome, NodeUsage, Partition, Tenant } from '../types/everynode-v1alpha1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../types/flowcontrol-v1.ts';
import type { NodeClaim, NodePool } from '../types/karpenter-v1.ts';
import type { Order, Quota, Ticket } from '../types/korder-v1alpha1.ts';
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from '../types/networking-v1.ts';
import type { RuntimeClass } from '../types/node-v1.ts';
import type { KubernetesDaemonSet } from '../types/planton-v1.ts';
import type { PodDisruptionBudget } from '../types/policy-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../types/rbac-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '../types/resource-v1.ts';
import type { PriorityClass } from '../types/scheduling-v1.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../types/storage-v1.ts';

type Named = [group: string, version: string, resource: string, kind: string];
const namespaced = <T extends KubeObject>(...[group, version, resource, kind]: Named): Resource<T> => ({
  group,
  version,
  resource,
  kind,
  namespaced: true,
});
const cluster = <T extends KubeObject>(...[group, version, resource, kind]: Named): Resource<T> => ({
  group,
  version,
  resource,
  kind,
  namespaced: false,
});

export const BINDINGS = namespaced<Binding>('', 'v1', 'bindings', 'Binding');
export const COMPONENT_STATUSES = cluster<ComponentStatus>('', 'v1', 'componentstatuses', 'ComponentStatus');
export const CONFIG_MAPS = namespaced<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap');
export const ENDPOINTS = namespaced<Endpoints>('', 'v1', 'endpoints', 'Endpoints');
export const EVENTS = namespaced<Event>('', 'v1', 'events', 'Event');
export const LIMIT_RANGES = namespaced<LimitRange>('', 'v1', 'limitranges', 'LimitRange');
export const NAMESPACES = cluster<Namespace>('', 'v1', 'namespaces', 'Namespace');
export const NODES = cluster<Node>('', 'v1', 'nodes', 'Node');
export const PERSISTENT_VOLUME_CLAIMS = namespaced<PersistentVolumeClaim>(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
);
export const PERSISTENT_VOLUMES = cluster<PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume');
export const PODS = namespaced<Pod>('', 'v1', 'pods', 'Pod');
export const POD_TEMPLATES = namespaced<PodTemplate>('', 'v1', 'podtemplates', 'PodTemplate');
export const REPLICATION_CONTROLLERS = namespaced<ReplicationController>(
  '',
  'v1',
  'replicationcontrollers',
  'ReplicationController',
);
export const RESOURCE_QUOTAS = namespaced<ResourceQuota>('', 'v1', 'resourcequotas', 'ResourceQuota');
export const SECRETS = namespaced<Secret>('', 'v1', 'secrets', 'Secret');
export const SERVICE_ACCOUNTS = namespaced<ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const SERVICES = namespaced<Service>('', 'v1', 'services', 'Service');
export const API_SERVICES = cluster<APIService>('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService');
export const CONTROLLER_REVISIONS = namespaced<ControllerRevision>(
  'apps',
  'v1',
  'controllerrevisions',
  'ControllerRevision',
);
export const DAEMON_SETS = namespaced<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet');
export const DEPLOYMENTS = namespaced<Deployment>('apps', 'v1', 'deployments', 'Deployment');
export const REPLICA_SETS = namespaced<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet');
export const STATEFUL_SETS = namespaced<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet');
export const EVENTS_IN_EVENTS_GROUP = namespaced<EventsEvent>('events.k8s.io', 'v1', 'events', 'Event');
export const SELF_SUBJECT_REVIEWS = cluster<SelfSubjectReview>(
  'authentication.k8s.io',
  'v1',
  'selfsubjectreviews',
  'SelfSubjectReview',
);
export const TOKEN_REVIEWS = cluster<TokenReview>('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview');
export const LOCAL_SUBJECT_ACCESS_REVIEWS = namespaced<LocalSubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'localsubjectaccessreviews',
  'LocalSubjectAccessReview',
);
export const SELF_SUBJECT_ACCESS_REVIEWS = cluster<SelfSubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
);
export const SELF_SUBJECT_RULES_REVIEWS = cluster<SelfSubjectRulesReview>(
  'authorization.k8s.io',
  'v1',
  'selfsubjectrulesreviews',
  'SelfSubjectRulesReview',
);
export const SUBJECT_ACCESS_REVIEWS = cluster<SubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'subjectaccessreviews',
  'SubjectAccessReview',
);
export const HORIZONTAL_POD_AUTOSCALERS = namespaced<HorizontalPodAutoscaler>(
  'autoscaling',
  'v2',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);
export const HORIZONTAL_POD_AUTOSCALERS_V1 = namespaced<HorizontalPodAutoscalerV1>(
  'autoscaling',
  'v1',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);
export const CRON_JOBS = namespaced<CronJob>('batch', 'v1', 'cronjobs', 'CronJob');
export const JOBS = namespaced<Job>('batch', 'v1', 'jobs', 'Job');
export const CERTIFICATE_SIGNING_REQUESTS = cluster<CertificateSigningRequest>(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
);
export const INGRESS_CLASSES = cluster<IngressClass>('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass');
export const INGRESSES = namespaced<Ingress>('networking.k8s.io', 'v1', 'ingresses', 'Ingress');
export const IP_ADDRESSES = cluster<IPAddress>('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress');
export const NETWORK_POLICIES = namespaced<NetworkPolicy>(
  'networking.k8s.io',
  'v1',
  'networkpolicies',
  'NetworkPolicy',
);
export const SERVICE_CIDRS = cluster<ServiceCIDR>('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR');
export const POD_DISRUPTION_BUDGETS = namespaced<PodDisruptionBudget>(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
);
export const CLUSTER_ROLE_BINDINGS = cluster<ClusterRoleBinding>(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
);
export const CLUSTER_ROLES = cluster<ClusterRole>('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole');
export const ROLE_BINDINGS = namespaced<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');
export const ROLES = namespaced<Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role');
export const CSI_DRIVERS = cluster<CSIDriver>('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver');
export const CSI_NODES = cluster<CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode');
export const CSI_STORAGE_CAPACITIES = namespaced<CSIStorageCapacity>(
  'storage.k8s.io',
  'v1',
  'csistoragecapacities',
  'CSIStorageCapacity',
);
export const STORAGE_CLASSES = cluster<StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass');
export const VOLUME_ATTACHMENTS = cluster<VolumeAttachment>(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
);
export const VOLUME_ATTRIBUTES_CLASSES = cluster<VolumeAttributesClass>(
  'storage.k8s.io',
  'v1',
  'volumeattributesclasses',
  'VolumeAttributesClass',
);
export const MUTATING_ADMISSION_POLICIES = cluster<MutatingAdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
);
export const MUTATING_ADMISSION_POLICY_BINDINGS = cluster<MutatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicybindings',
  'MutatingAdmissionPolicyBinding',
);
export const MUTATING_WEBHOOK_CONFIGURATIONS = cluster<MutatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
);
export const VALIDATING_ADMISSION_POLICIES = cluster<ValidatingAdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
);
export const VALIDATING_ADMISSION_POLICY_BINDINGS = cluster<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = cluster<ValidatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
);
export const CUSTOM_RESOURCE_DEFINITIONS = cluster<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
);
export const PRIORITY_CLASSES = cluster<PriorityClass>('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass');
export const LEASES = namespaced<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const RUNTIME_CLASSES = cluster<RuntimeClass>('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass');
export const ENDPOINT_SLICES = namespaced<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');
export const DEVICE_CLASSES = cluster<DeviceClass>('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass');
export const RESOURCE_CLAIMS = namespaced<ResourceClaim>('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim');
export const RESOURCE_CLAIM_TEMPLATES = namespaced<ResourceClaimTemplate>(
  'resource.k8s.io',
  'v1',
  'resourceclaimtemplates',
  'ResourceClaimTemplate',
);
export const RESOURCE_SLICES = cluster<ResourceSlice>('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice');
export const FLOW_SCHEMAS = cluster<FlowSchema>('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema');
export const PRIORITY_LEVEL_CONFIGURATIONS = cluster<PriorityLevelConfiguration>(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'prioritylevelconfigurations',
  'PriorityLevelConfiguration',
);
export const ORDERS = namespaced<Order>('core.korder.dev', 'v1alpha1', 'orders', 'Order');
export const TICKETS = namespaced<Ticket>('core.korder.dev', 'v1alpha1', 'tickets', 'Ticket');
export const QUOTAS = cluster<Quota>('core.korder.dev', 'v1alpha1', 'quotas', 'Quota');
export const NODE_POOLS = cluster<NodePool>('karpenter.sh', 'v1', 'nodepools', 'NodePool');
export const NODE_CLAIMS = cluster<NodeClaim>('karpenter.sh', 'v1', 'nodeclaims', 'NodeClaim');
export const KUBERNETES_DAEMON_SETS = namespaced<KubernetesDaemonSet>(
  'kubernetes.planton.dev',
  'v1',
  'kubernetesdaemonsets',
  'KubernetesDaemonSet',
);
export const KUBERNETES_DAEMON_SETS_OF_PROJECT_PLANTON = namespaced<KubernetesDaemonSet>(
  'kubernetes.project-planton.org',
  'v1',
  'kubernetesdaemonsets',
  'KubernetesDaemonSet',
);
export const KUBERNETES_DAEMON_SETS_OF_OPENMCF = namespaced<KubernetesDaemonSet>(
  'kubernetes.openmcf.org',
  'v1',
  'kubernetesdaemonsets',
  'KubernetesDaemonSet',
);
export const TENANTS = cluster<Tenant>('everynode.dev', 'v1alpha1', 'tenants', 'Tenant');
export const PARTITIONS = cluster<Partition>('everynode.dev', 'v1alpha1', 'partitions', 'Partition');
export const DAEMON_HOMES = namespaced<DaemonHome>('everynode.dev', 'v1alpha1', 'daemonhomes', 'DaemonHome');
export const NODE_USAGES = cluster<NodeUsage>('everynode.dev', 'v1alpha1', 'nodeusages', 'NodeUsage');
