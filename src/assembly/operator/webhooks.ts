/**
 * Admission plugins on an API server that everynode does not run: the webhook server, and where its certificate comes
 * from. The server runs on every replica; the leader keeps the certificates besides.
 */
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
import { createWebhookServer } from '../../machinery/webhook/webhook-server.ts';
import { WEBHOOK_NAME } from '../catalogue/rights.ts';
import { startActors, type Undo } from '../common/start-actors.ts';

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
  /** `tls.crt` and `tls.key` from another source, cert-manager for example. */
  | { readonly kind: 'mounted'; readonly directory: string };

export interface Webhooks {
  /** Open, with a certificate that is good: what a readiness probe should ask. */
  ready(): boolean;
  /** The port, once a certificate is there. */
  readonly listening: Promise<number>;
  /** Resolves only if something that must run could not go on. */
  readonly failed: Promise<Error>;
  /**
   * The leader's actor that keeps certificates, to be run while it leads; a new one every time. Absent where
   * certificates are mounted.
   */
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
