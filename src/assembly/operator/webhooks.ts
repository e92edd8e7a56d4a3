/**
 * Admission plugins on somebody else's API server: the server that answers, where its certificate comes from, and the one
 * list from which the chart makes the webhook configurations. The server runs on every replica; the leader keeps the
 * certificates besides.
 */
import { createComponentAdmission } from '../../control/component/admission/component-admission.ts';
import { COMPONENT_ADMISSION } from '../../control/component/admission/scope.ts';
import { COMPONENT_PLURAL, GENERATIONS } from '../../core/api/component/generations.ts';
import type { MatchCondition, RuleWithOperations } from '../../core/api/types/admissionregistration-v1.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import type { Random } from '../../machinery/random/random.ts';
import { createMountedCertificates } from '../../machinery/webhook/certificates/mounted.ts';
import type { CertificatePolicy } from '../../machinery/webhook/certificates/plan.ts';
import { createSelfManagedCertificates } from '../../machinery/webhook/certificates/self-managed.ts';
import type { AdmissionPhase } from '../../machinery/webhook/review.ts';
import { createWebhookServer } from '../../machinery/webhook/webhook-server.ts';
import { WEBHOOK_NAME } from '../catalogue/rights.ts';
import { startActors, type Undo } from '../common/start-actors.ts';

/** A plugin's place in a webhook configuration. */
export interface AdmissionWebhook {
  /** `AdmissionPlugin.name` */
  readonly plugin: string;
  readonly phase: AdmissionPhase;
  /** Fully qualified, as denials show it: `daemon-guard.everynode.dev`. */
  readonly name: string;
  readonly rules: readonly RuleWithOperations[];
  /** What an API server does when nobody answers. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  /** What else must hold of a request, in CEL, for the plugin to be asked. */
  readonly matchConditions?: readonly MatchCondition[];
}

/** Every plugin that stands behind a webhook. */
export const ADMISSION_WEBHOOKS: readonly AdmissionWebhook[] = [
  {
    plugin: COMPONENT_ADMISSION,
    phase: 'validate',
    name: 'component.everynode.dev',
    rules: [...new Set(GENERATIONS.map(({ group }) => group))].map((group) => ({
      apiGroups: [group],
      apiVersions: GENERATIONS.filter((generation) => generation.group === group).map(({ version }) => version),
      // Statuses are not judged: no subresource is named.
      resources: [COMPONENT_PLURAL],
      operations: ['CREATE', 'UPDATE'],
      scope: 'Namespaced',
    })),
    // A secret that is stored because nobody looked cannot be taken back.
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    matchConditions: [
      {
        name: 'stays',
        // What is on its way out only loses finalizers. That must be possible when nobody answers, or it could never go.
        expression: "request.operation == 'CREATE' || !has(object.metadata.deletionTimestamp)",
      },
    ],
  },
];

/** The plugins of that list, to be served. */
export const webhookPlugins = (): readonly AdmissionPlugin[] => [createComponentAdmission()];

export interface WebhooksOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly plugins: readonly AdmissionPlugin[];
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly certificates: WebhookCertificates;
}

export type WebhookCertificates =
  /** Made and rotated by the leader, in the Secret `name` of the namespace; Service and configurations bear that name too. */
  | {
      readonly kind: 'self-managed';
      readonly namespace: string;
      readonly name?: string;
      readonly policy?: CertificatePolicy;
    }
  /** `tls.crt` and `tls.key` of somebody else's making, cert-manager's say. */
  | { readonly kind: 'mounted'; readonly directory: string };

export interface Webhooks {
  /** Open, with a certificate that is good: what a readiness probe should ask. */
  ready(): boolean;
  /** The port, once a certificate is there. */
  readonly listening: Promise<number>;
  /** Resolves only if something that must run could not go on. */
  readonly failed: Promise<Error>;
  /** The leader's part, to be run while it leads; a fresh one every time. Absent where somebody else keeps certificates. */
  keeper(): Actor | undefined;
  /** Lets requests under way end. */
  stop(): Promise<void>;
}

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { client, clock, random, certificates } = options;
  const logger = options.logger.with({ actor: 'webhooks' });
  const server = createWebhookServer({ ...options, logger });
  const use = server.useCertificate;
  let source: Actor;
  let keeper: () => Actor | undefined = () => undefined;
  if (certificates.kind === 'mounted') {
    source = createMountedCertificates({ clock, logger, directory: certificates.directory, use });
  } else {
    const { namespace, name = WEBHOOK_NAME, policy } = certificates;
    const own = { namespace, name };
    const names = { secret: own, service: own, validating: [name], mutating: [name] };
    const managed = createSelfManagedCertificates({
      client,
      clock,
      random,
      logger,
      names,
      use,
      ...(policy === undefined ? {} : { policy }),
    });
    source = managed.follower;
    keeper = managed.keeper;
  }
  const undo: Undo = [];
  const failed = startActors([source, server], undo);
  return {
    ready: () => server.ready(),
    listening: server.listening,
    failed,
    keeper,
    async stop() {
      for (const step of undo.splice(0).toReversed()) await step();
    },
  };
}
