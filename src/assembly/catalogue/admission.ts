/**
 * Admission plugins of ours, one row each. The chain of an embedded cluster, the webhook server of the operator, the chart's webhook
 * configurations and the server of a simulation are made from these rows.
 */
import { createComponentAdmission } from '../../control/component/admission/component-admission.ts';
import { COMPONENT_ADMISSION } from '../../control/component/admission/scope.ts';
import {
  createTolerationAdmission,
  TOLERATION_ADMISSION,
} from '../../control/reservation/admission/daemon-tolerations.ts';
import {
  CLAIM_ADMISSION,
  CLAIM_SCHEDULER_ADMISSION,
  createClaimAdmission,
  createClaimSchedulerAdmission,
} from '../../control/reservation/admission/claims.ts';
import { createReservationAdmission } from '../../control/reservation/admission/reservation-admission.ts';
import {
  CLUSTER_RESERVATIONS,
  NAMESPACED_RESERVATIONS,
  RESERVATION_ADMISSION,
  RESERVATION_GROUP,
  RESERVATION_VERSION,
} from '../../control/reservation/admission/scope.ts';
import { CLAIM_ANNOTATIONS } from '../../core/api/names.ts';
import { COMPONENT_PLURAL, GENERATIONS } from '../../core/api/component/generations.ts';
import type { MatchCondition, RuleWithOperations } from '../../core/api/types/admissionregistration-v1.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { AdmissionPhase } from '../../machinery/webhook/review.ts';

/** A plugin's entry in a webhook configuration. */
interface AdmissionWebhook {
  /** Fully qualified, as denials show it: `daemon-guard.everynode.dev`. */
  readonly name: string;
  readonly rules: readonly RuleWithOperations[];
  /** Behaviour of an API server when no webhook server answers. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  /** CEL conditions on a request, besides the rules, under which the plugin is asked. */
  readonly matchConditions?: readonly MatchCondition[];
}

type AdmissionSurroundings = Pick<Surroundings, 'clock' | 'metrics'>;

export interface AdmissionRow {
  /** `AdmissionPlugin.name`, and part of the path of its webhook. */
  readonly name: string;
  /** The phase in which the plugin decides. */
  readonly phase: AdmissionPhase;
  /**
   * The controller whose kinds the plugin judges. An embedded cluster without that controller leaves the kinds, and so the
   * judgement, to the webhook of an operator. Absent: the plugin is in every embedded chain.
   */
  readonly controller?: string;
  /**
   * The plugin is left out of embedded chains: the kinds that it judges are built in there, and validated by the same rules before
   * any plugin is asked; or the controller that runs there does by itself what the plugin is for.
   */
  readonly webhookOnly?: true;
  /** `around`: for plugins that measure themselves; absent in embedded chains. */
  readonly create: (around?: AdmissionSurroundings) => AdmissionPlugin;
  readonly webhook: AdmissionWebhook;
}

export type AdmissionCatalogue = readonly AdmissionRow[];

/** An object that is being deleted only loses finalizers. That must work without a webhook server, or the object could never go. */
const STAYS: MatchCondition = {
  name: 'stays',
  expression: "request.operation == 'CREATE' || !has(object.metadata.deletionTimestamp)",
};

const claimIn = (object: string): string =>
  `(has(${object}.metadata.annotations) && [${Object.values(CLAIM_ANNOTATIONS)
    .map((key) => `'${key}'`)
    .join(', ')}].exists(key, key in ${object}.metadata.annotations))`;

const CLAIMS: MatchCondition = { name: 'claims', expression: claimIn('object') };
const CLAIMS_OR_CLAIMED: MatchCondition = {
  name: 'claims-or-claimed',
  expression: `${claimIn('object')} || (request.operation == 'UPDATE' && ${claimIn('oldObject')})`,
};

export const ADMISSION_CATALOGUE: AdmissionCatalogue = [
  {
    name: COMPONENT_ADMISSION,
    phase: 'validate',
    controller: 'component',
    create: createComponentAdmission,
    webhook: {
      name: 'component.everynode.dev',
      rules: [...new Set(GENERATIONS.map(({ group }) => group))].map((group) => ({
        apiGroups: [group],
        apiVersions: GENERATIONS.filter((generation) => generation.group === group).map(({ version }) => version),
        // Statuses are not judged: no subresource is named.
        resources: [COMPONENT_PLURAL],
        operations: ['CREATE', 'UPDATE'],
        scope: 'Namespaced',
      })),
      // A secret that was stored unjudged cannot be taken back.
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      matchConditions: [STAYS],
    },
  },
  {
    name: RESERVATION_ADMISSION,
    phase: 'validate',
    controller: 'reservation',
    webhookOnly: true,
    create: createReservationAdmission,
    webhook: {
      name: 'reservation.everynode.dev',
      // Statuses are the controller's own: no subresource is named.
      rules: [reservationRule(NAMESPACED_RESERVATIONS, 'Namespaced'), reservationRule(CLUSTER_RESERVATIONS, 'Cluster')],
      // An Order that contradicts itself would reserve something that nobody asked for.
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      matchConditions: [STAYS],
    },
  },
  {
    name: TOLERATION_ADMISSION,
    phase: 'mutate',
    controller: 'reservation',
    webhookOnly: true,
    create: createTolerationAdmission,
    webhook: {
      name: 'unreserved-toleration.everynode.dev',
      rules: [
        {
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          resources: ['daemonsets'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      // DaemonSets must be possible without a webhook server, which may itself wait for one.
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      matchConditions: [STAYS],
    },
  },
  {
    name: CLAIM_SCHEDULER_ADMISSION,
    phase: 'mutate',
    controller: 'reservation',
    webhookOnly: true,
    create: createClaimSchedulerAdmission,
    webhook: {
      name: 'claim-scheduler.everynode.dev',
      rules: [podRule(['CREATE'])],
      // A pod that requires a Ticket must not be scheduled without one. No other pod is asked about.
      failurePolicy: 'Fail',
      timeoutSeconds: 5,
      matchConditions: [CLAIMS],
    },
  },
  {
    name: CLAIM_ADMISSION,
    phase: 'validate',
    controller: 'reservation',
    create: createClaimAdmission,
    webhook: {
      name: 'claim.everynode.dev',
      rules: [podRule(['CREATE', 'UPDATE'])],
      failurePolicy: 'Fail',
      timeoutSeconds: 5,
      matchConditions: [STAYS, CLAIMS_OR_CLAIMED],
    },
  },
];

function podRule(operations: readonly string[]): RuleWithOperations {
  return {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
    operations: [...operations],
    scope: 'Namespaced',
  };
}

function reservationRule(resources: readonly string[], scope: 'Namespaced' | 'Cluster'): RuleWithOperations {
  return {
    apiGroups: [RESERVATION_GROUP],
    apiVersions: [RESERVATION_VERSION],
    resources: [...resources],
    operations: ['CREATE', 'UPDATE'],
    scope,
  };
}

/**
 * New plugins for the chain of an API server in this process: of every row whose controller runs; of all rows when `runs` is
 * absent. Each plugin stands after everything that may change an object.
 */
export const admissionPlugins = (
  runs: (controller: string) => boolean = () => true,
  rows: AdmissionCatalogue = ADMISSION_CATALOGUE,
): readonly AdmissionPlugin[] =>
  rows
    .filter(({ controller, webhookOnly }) => webhookOnly !== true && (controller === undefined || runs(controller)))
    .map(({ create }) => create());

/** New plugins for the webhook server: of all rows. */
export const webhookPlugins = (
  rows: AdmissionCatalogue = ADMISSION_CATALOGUE,
  around?: AdmissionSurroundings,
): readonly AdmissionPlugin[] => rows.map(({ create }) => create(around));
