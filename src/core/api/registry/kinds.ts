/**
 * Where kinds get what is particular about them. Three tables, keyed `resource` for the core group and
 * `group/resource` elsewhere (`pods`, `apps/daemonsets`); a kind without a line has the generic behaviour.
 */
import type { KubeObject } from '../../kube/objects.ts';
import type { KindDefinition, KindStrategy, TablePrinter } from '../kind-definition.ts';
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
  kubernetesDaemonSetPrinter,
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
  // ['pods', podStrategy],
]);

export const PRINTERS: ReadonlyMap<string, TablePrinter> = new Map<string, TablePrinter>([
  // ['pods', podPrinter],
]);

/** Readers of selectable fields are written for their own kind; the registry pairs them with it again. */
const fields = <T extends KubeObject>(readers: SelectableFields<T>): SelectableFields =>
  readers as unknown as SelectableFields;

export const SELECTABLE_FIELDS: ReadonlyMap<string, SelectableFields> = new Map<string, SelectableFields>([
  // ['pods', fields(POD_SELECTABLE_FIELDS)],
]);

void fields;
