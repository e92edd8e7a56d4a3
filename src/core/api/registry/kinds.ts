/**
 * Where kinds get what is particular about them. Three tables, keyed `resource` for the core group and
 * `group/resource` elsewhere (`pods`, `apps/daemonsets`); a kind without a line has the generic behaviour.
 */
import type { KubeObject } from '../../kube/objects.ts';
import type { KindDefinition, KindStrategy, TablePrinter } from '../kind/kind-definition.ts';
import { apiServiceStrategy } from '../kinds/api-service.ts';
import { mutatingBindingStrategy, mutatingPolicyStrategy } from '../kinds/admission/mutating-policies.ts';
import { validatingBindingStrategy, validatingPolicyStrategy } from '../kinds/admission/policies.ts';
import { mutatingWebhooksStrategy, validatingWebhooksStrategy } from '../kinds/admission/webhooks.ts';
import { autoscalerStrategy } from '../kinds/autoscaler.ts';
import { certificateRequestStrategy } from '../kinds/certificate-request.ts';
import { runtimeClassStrategy, storageClassStrategy, volumeAttributesClassStrategy } from '../kinds/classes.ts';
import { configMapStrategy } from '../kinds/config-map.ts';
import { customResourceDefinitionStrategy } from '../kinds/custom-resource-definition.ts';
import { disruptionBudgetStrategy } from '../kinds/disruption-budget.ts';
import { endpointsStrategy } from '../kinds/endpoints.ts';
import { coreEventStrategy, eventStrategy } from '../kinds/event.ts';
import { flowSchemaStrategy, priorityLevelStrategy } from '../kinds/flow-control.ts';
import { leaseStrategy } from '../kinds/lease.ts';
import { limitRangeStrategy } from '../kinds/limit-range.ts';
import { namespaceStrategy } from '../kinds/namespace.ts';
import { endpointSliceStrategy } from '../kinds/networking/endpoint-slice.ts';
import { ingressClassStrategy } from '../kinds/networking/ingress-class.ts';
import { ingressStrategy } from '../kinds/networking/ingress.ts';
import { networkPolicyStrategy } from '../kinds/networking/network-policy.ts';
import { ipAddressStrategy, serviceCIDRStrategy } from '../kinds/networking/service-ranges.ts';
import { nodeStrategy } from '../kinds/node.ts';
import { podStrategy } from '../kinds/pod/strategy.ts';
import { priorityClassStrategy } from '../kinds/priority-class.ts';
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from '../kinds/rbac.ts';
import { orderStrategy } from '../kinds/reservation/order.ts';
import { quotaStrategy } from '../kinds/reservation/quota.ts';
import { ticketStrategy } from '../kinds/reservation/ticket.ts';
import { resourceQuotaStrategy } from '../kinds/resource-quota.ts';
import { secretStrategy } from '../kinds/secret.ts';
import { serviceStrategy } from '../kinds/service.ts';
import { serviceAccountStrategy } from '../kinds/service-account.ts';
import { volumeAttachmentStrategy } from '../kinds/storage/attachment.ts';
import { persistentVolumeClaimStrategy } from '../kinds/storage/claim.ts';
import { csiDriverStrategy, csiNodeStrategy, csiStorageCapacityStrategy } from '../kinds/storage/csi.ts';
import { persistentVolumeStrategy } from '../kinds/storage/persistent-volume.ts';
import { controllerRevisionStrategy } from '../kinds/workloads/controller-revision.ts';
import { cronJobStrategy } from '../kinds/workloads/cron-job.ts';
import { daemonSetStrategy } from '../kinds/workloads/daemon-set.ts';
import { deploymentStrategy } from '../kinds/workloads/deployment.ts';
import { jobStrategy } from '../kinds/workloads/job.ts';
import { podTemplateStrategy } from '../kinds/workloads/pod-template.ts';
import { replicaSetStrategy, replicationControllerStrategy } from '../kinds/workloads/replica-set.ts';
import { statefulSetStrategy } from '../kinds/workloads/stateful-set.ts';
import {
  CERTIFICATE_REQUEST_FIELDS,
  CORE_EVENT_FIELDS,
  EVENT_FIELDS,
  JOB_FIELDS,
  NAMESPACE_FIELDS,
  NODE_FIELDS,
  POD_FIELDS,
  REPLICATION_FIELDS,
  RESOURCE_SLICE_FIELDS,
  SECRET_FIELDS,
  SERVICE_FIELDS,
  TICKET_FIELDS,
} from '../kinds/selectable-fields.ts';
import {
  mutatingPolicyPrinter,
  policyBindingPrinter,
  validatingPolicyPrinter,
  webhookConfigurationPrinter,
} from '../printers/admission.ts';
import {
  controllerRevisionPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  replicaSetPrinter,
  replicationControllerPrinter,
  statefulSetPrinter,
} from '../printers/apps.ts';
import { autoscalerPrinter } from '../printers/autoscaling.ts';
import { cronJobPrinter, jobPrinter } from '../printers/batch.ts';
import { certificateSigningRequestPrinter } from '../printers/certificates.ts';
import {
  componentStatusPrinter,
  configMapPrinter,
  namespacePrinter,
  persistentVolumeClaimPrinter,
  persistentVolumePrinter,
  resourceQuotaPrinter,
  secretPrinter,
  serviceAccountPrinter,
} from '../printers/core.ts';
import { createdAtPrinter, nameAndAgePrinter } from '../printers/default.ts';
import { coreEventPrinter, eventPrinter } from '../printers/events.ts';
import { flowSchemaPrinter, priorityLevelPrinter } from '../printers/flowcontrol.ts';
import {
  endpointSlicePrinter,
  endpointsPrinter,
  ingressClassPrinter,
  ingressPrinter,
  ipAddressPrinter,
  networkPolicyPrinter,
  serviceCIDRPrinter,
  servicePrinter,
} from '../printers/networking.ts';
import { nodePrinter } from '../printers/nodes.ts';
import {
  daemonHomePrinter,
  nodeClaimPrinter,
  nodePoolPrinter,
  nodeUsagePrinter,
  orderPrinter,
  partitionPrinter,
  quotaPrinter,
  tenantPrinter,
  ticketPrinter,
} from '../printers/own.ts';
import { podPrinter, podTemplatePrinter } from '../printers/pods.ts';
import {
  leasePrinter,
  podDisruptionBudgetPrinter,
  priorityClassPrinter,
  runtimeClassPrinter,
} from '../printers/policy.ts';
import { apiServicePrinter } from '../printers/api-service.ts';
import { bindingPrinter } from '../printers/rbac.ts';
import { resourceClaimPrinter, resourceSlicePrinter } from '../printers/resource.ts';
import {
  csiDriverPrinter,
  csiNodePrinter,
  storageClassPrinter,
  volumeAttachmentPrinter,
  volumeAttributesClassPrinter,
} from '../printers/storage.ts';

export type SelectableFields<T extends KubeObject = KubeObject> = KindDefinition<T>['selectableFields'];

export const STRATEGIES: ReadonlyMap<string, KindStrategy> = new Map<string, KindStrategy>([
  ['namespaces', namespaceStrategy],
  ['nodes', nodeStrategy],
  ['secrets', secretStrategy],
  ['configmaps', configMapStrategy],
  ['services', serviceStrategy],
  ['serviceaccounts', serviceAccountStrategy],
  ['endpoints', endpointsStrategy],
  ['events', coreEventStrategy],
  ['events.k8s.io/events', eventStrategy],
  ['resourcequotas', resourceQuotaStrategy],
  ['limitranges', limitRangeStrategy],
  ['persistentvolumes', persistentVolumeStrategy],
  ['persistentvolumeclaims', persistentVolumeClaimStrategy],
  ['apiregistration.k8s.io/apiservices', apiServiceStrategy],
  ['scheduling.k8s.io/priorityclasses', priorityClassStrategy],
  ['policy/poddisruptionbudgets', disruptionBudgetStrategy],
  ['coordination.k8s.io/leases', leaseStrategy],
  ['rbac.authorization.k8s.io/roles', roleStrategy],
  ['rbac.authorization.k8s.io/clusterroles', clusterRoleStrategy],
  ['rbac.authorization.k8s.io/rolebindings', roleBindingStrategy],
  ['rbac.authorization.k8s.io/clusterrolebindings', clusterRoleBindingStrategy],
  ['autoscaling/horizontalpodautoscalers', autoscalerStrategy],
  ['networking.k8s.io/networkpolicies', networkPolicyStrategy],
  ['networking.k8s.io/ingresses', ingressStrategy],
  ['networking.k8s.io/ingressclasses', ingressClassStrategy],
  ['networking.k8s.io/ipaddresses', ipAddressStrategy],
  ['networking.k8s.io/servicecidrs', serviceCIDRStrategy],
  ['discovery.k8s.io/endpointslices', endpointSliceStrategy],
  ['storage.k8s.io/storageclasses', storageClassStrategy],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClassStrategy],
  ['storage.k8s.io/volumeattachments', volumeAttachmentStrategy],
  ['storage.k8s.io/csidrivers', csiDriverStrategy],
  ['storage.k8s.io/csinodes', csiNodeStrategy],
  ['storage.k8s.io/csistoragecapacities', csiStorageCapacityStrategy],
  ['flowcontrol.apiserver.k8s.io/flowschemas', flowSchemaStrategy],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevelStrategy],
  ['node.k8s.io/runtimeclasses', runtimeClassStrategy],
  ['certificates.k8s.io/certificatesigningrequests', certificateRequestStrategy],
  ['apiextensions.k8s.io/customresourcedefinitions', customResourceDefinitionStrategy],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', validatingWebhooksStrategy],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', mutatingWebhooksStrategy],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', validatingPolicyStrategy],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', validatingBindingStrategy],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', mutatingPolicyStrategy],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', mutatingBindingStrategy],
  ['pods', podStrategy],
  ['podtemplates', podTemplateStrategy],
  ['replicationcontrollers', replicationControllerStrategy],
  ['apps/daemonsets', daemonSetStrategy],
  ['apps/deployments', deploymentStrategy],
  ['apps/replicasets', replicaSetStrategy],
  ['apps/statefulsets', statefulSetStrategy],
  ['apps/controllerrevisions', controllerRevisionStrategy],
  ['batch/jobs', jobStrategy],
  ['batch/cronjobs', cronJobStrategy],
  ['core.korder.dev/orders', orderStrategy],
  ['core.korder.dev/tickets', ticketStrategy],
  ['core.korder.dev/quotas', quotaStrategy],
]);

export const PRINTERS: ReadonlyMap<string, TablePrinter> = new Map<string, TablePrinter>([
  ['pods', podPrinter],
  ['podtemplates', podTemplatePrinter],
  ['nodes', nodePrinter],
  ['namespaces', namespacePrinter],
  ['secrets', secretPrinter],
  ['configmaps', configMapPrinter],
  ['serviceaccounts', serviceAccountPrinter],
  ['persistentvolumes', persistentVolumePrinter],
  ['persistentvolumeclaims', persistentVolumeClaimPrinter],
  ['resourcequotas', resourceQuotaPrinter],
  ['componentstatuses', componentStatusPrinter],
  ['limitranges', createdAtPrinter],
  ['events', coreEventPrinter],
  ['events.k8s.io/events', eventPrinter],
  ['services', servicePrinter],
  ['endpoints', endpointsPrinter],
  ['discovery.k8s.io/endpointslices', endpointSlicePrinter],
  ['networking.k8s.io/ingresses', ingressPrinter],
  ['networking.k8s.io/ingressclasses', ingressClassPrinter],
  ['networking.k8s.io/networkpolicies', networkPolicyPrinter],
  ['networking.k8s.io/servicecidrs', serviceCIDRPrinter],
  ['networking.k8s.io/ipaddresses', ipAddressPrinter],
  ['replicationcontrollers', replicationControllerPrinter],
  ['apps/replicasets', replicaSetPrinter],
  ['apps/daemonsets', daemonSetPrinter],
  ['apps/deployments', deploymentPrinter],
  ['apps/statefulsets', statefulSetPrinter],
  ['apps/controllerrevisions', controllerRevisionPrinter],
  ['batch/jobs', jobPrinter],
  ['batch/cronjobs', cronJobPrinter],
  ['autoscaling/horizontalpodautoscalers', autoscalerPrinter],
  ['policy/poddisruptionbudgets', podDisruptionBudgetPrinter],
  ['apiregistration.k8s.io/apiservices', apiServicePrinter],
  ['scheduling.k8s.io/priorityclasses', priorityClassPrinter],
  ['coordination.k8s.io/leases', leasePrinter],
  ['node.k8s.io/runtimeclasses', runtimeClassPrinter],
  ['rbac.authorization.k8s.io/roles', createdAtPrinter],
  ['rbac.authorization.k8s.io/clusterroles', createdAtPrinter],
  ['rbac.authorization.k8s.io/rolebindings', bindingPrinter],
  ['rbac.authorization.k8s.io/clusterrolebindings', bindingPrinter],
  ['storage.k8s.io/storageclasses', storageClassPrinter],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClassPrinter],
  ['storage.k8s.io/volumeattachments', volumeAttachmentPrinter],
  ['storage.k8s.io/csinodes', csiNodePrinter],
  ['storage.k8s.io/csidrivers', csiDriverPrinter],
  ['storage.k8s.io/csistoragecapacities', createdAtPrinter],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', webhookConfigurationPrinter],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', webhookConfigurationPrinter],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', validatingPolicyPrinter],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', mutatingPolicyPrinter],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', policyBindingPrinter],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', policyBindingPrinter],
  ['apiextensions.k8s.io/customresourcedefinitions', createdAtPrinter],
  ['certificates.k8s.io/certificatesigningrequests', certificateSigningRequestPrinter],
  ['flowcontrol.apiserver.k8s.io/flowschemas', flowSchemaPrinter],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevelPrinter],
  ['resource.k8s.io/deviceclasses', nameAndAgePrinter],
  ['resource.k8s.io/resourceclaimtemplates', nameAndAgePrinter],
  ['resource.k8s.io/resourceclaims', resourceClaimPrinter],
  ['resource.k8s.io/resourceslices', resourceSlicePrinter],
  ['core.korder.dev/orders', orderPrinter],
  ['core.korder.dev/tickets', ticketPrinter],
  ['core.korder.dev/quotas', quotaPrinter],
  ['karpenter.sh/nodepools', nodePoolPrinter],
  ['karpenter.sh/nodeclaims', nodeClaimPrinter],
  ['everynode.dev/tenants', tenantPrinter],
  ['everynode.dev/partitions', partitionPrinter],
  ['everynode.dev/daemonhomes', daemonHomePrinter],
  ['everynode.dev/nodeusages', nodeUsagePrinter],
]);

/** Readers of selectable fields are written for their own kind; the registry pairs them with it again. */
const fields = <T extends KubeObject>(readers: SelectableFields<T>): SelectableFields =>
  readers as unknown as SelectableFields;

export const SELECTABLE_FIELDS: ReadonlyMap<string, SelectableFields> = new Map<string, SelectableFields>([
  ['pods', fields(POD_FIELDS)],
  ['nodes', fields(NODE_FIELDS)],
  ['namespaces', fields(NAMESPACE_FIELDS)],
  ['secrets', fields(SECRET_FIELDS)],
  ['services', fields(SERVICE_FIELDS)],
  ['replicationcontrollers', fields(REPLICATION_FIELDS)],
  ['apps/replicasets', fields(REPLICATION_FIELDS)],
  ['batch/jobs', fields(JOB_FIELDS)],
  ['certificates.k8s.io/certificatesigningrequests', fields(CERTIFICATE_REQUEST_FIELDS)],
  ['resource.k8s.io/resourceslices', fields(RESOURCE_SLICE_FIELDS)],
  ['events', fields(CORE_EVENT_FIELDS)],
  ['events.k8s.io/events', fields(EVENT_FIELDS)],
  ['core.korder.dev/tickets', fields(TICKET_FIELDS)],
]);
