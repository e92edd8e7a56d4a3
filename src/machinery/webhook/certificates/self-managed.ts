/**
 * Certificates of our own making, in a Secret. Every replica follows the Secret and serves with its certificate; the
 * leader keeps it (keeper.ts).
 */
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../core/api/registry/resources.ts';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { linkAbort, wasAborted } from '../../time/abort.ts';
import type { Actor } from '../../actor.ts';
import { createBackoff } from '../../time/backoff.ts';
import { createInformer, type Informer } from '../../cache/informer.ts';
import { silentLogger } from '../../logging/logger.ts';
import type { Random } from '../../random/random.ts';
import { createKeeper, type KeeperOptions } from './keeper.ts';
import type { UseCertificate } from './source.ts';
import { decodeState, type CertificateState } from './state.ts';

export interface SelfManagedOptions extends Omit<KeeperOptions, 'remembered'> {
  readonly random: Random;
  readonly use: UseCertificate;
}

export interface SelfManagedCertificates {
  /** On every replica. */
  readonly follower: Actor;
  /** A fresh one for every time this replica leads. */
  keeper(): Actor;
}

/** Even when nothing is due: a configuration may have changed while its watch was down. */
const LONGEST_PAUSE_MS = 3_600_000;

export function createSelfManagedCertificates(options: SelfManagedOptions): SelfManagedCertificates {
  const { client, clock, random, names } = options;
  const logger = (options.logger ?? silentLogger).with({ ...names.secret });
  let served: CertificateState | undefined;
  /** Ends the keeper's pause. */
  let wake: (() => void) | undefined;
  const one = <T extends KubeObject>(resource: Resource<T>, name: string, namespace?: string): Informer<T> =>
    createInformer(
      client,
      resource,
      { ...(namespace === undefined ? {} : { namespace }), fieldSelector: `metadata.name=${name}` },
      { clock, random, logger, pageSize: 0 },
    );

  function take(secret: Stored<Secret>): void {
    const state = decodeState(secret);
    if (state.serving === undefined) return;
    if (state.serving.certificate !== served?.serving?.certificate) {
      try {
        options.use(state.serving);
      } catch (error) {
        logger.error('The certificate in the Secret cannot be served; the one before stays', { error });
        return;
      }
      logger.info('Serving with the certificate of the Secret', { resourceVersion: secret.metadata.resourceVersion });
    }
    served = state;
  }

  const follower: Actor = {
    name: 'webhook-certificates',
    ready: () => served !== undefined,
    async start(signal) {
      const informer = one(SECRETS, names.secret.name, names.secret.namespace);
      const onSecret = (secret: Stored<Secret>): void => {
        take(secret);
        wake?.();
      };
      informer.addHandler({ add: onSecret, update: (_, secret) => onSecret(secret), delete: () => wake?.() });
      await informer.run(signal);
    },
  };

  const keeper = (): Actor => ({
    name: 'webhook-certificate-keeper',
    async start(signal) {
      const { step } = createKeeper({ ...options, logger, remembered: () => served });
      const backoff = createBackoff(clock, random);
      using linked = linkAbort(signal);
      const watching = [
        ...(names.mutating ?? []).map((name) => one(MUTATING_WEBHOOK_CONFIGURATIONS, name)),
        ...(names.validating ?? []).map((name) => one(VALIDATING_WEBHOOK_CONFIGURATIONS, name)),
      ].map((informer) => {
        const onChange = (): void => wake?.();
        informer.addHandler({ add: onChange, update: onChange, delete: onChange });
        return informer.run(linked.signal);
      });
      /** An object changed during a step: no pause follows that step, whatever it returns. */
      let isDirty = false;
      wake = () => (isDirty = true);
      try {
        for (;;) {
          isDirty = false;
          const pause = await step(signal).then(
            (ms) => {
              backoff.reset();
              return ms;
            },
            (error: unknown) => {
              signal.throwIfAborted();
              // Another replica wrote first; the next step reads its result.
              if (!isRace(error)) logger.warn('Keeping the webhook certificates failed', { error });
              return backoff.next();
            },
          );
          if (pause > 0 && !isDirty) await rest(Math.min(pause, LONGEST_PAUSE_MS), signal);
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      } finally {
        wake = undefined;
        linked.abort();
        await Promise.all(watching);
      }

      async function rest(ms: number, until: AbortSignal): Promise<void> {
        using pause = linkAbort(until);
        wake = () => {
          isDirty = true;
          pause.abort(STIRRED);
        };
        try {
          await clock.sleep(ms, pause.signal);
        } catch (error) {
          if (error !== STIRRED) throw error;
        } finally {
          wake = () => (isDirty = true);
        }
      }
    },
  });

  return { follower, keeper };
}

const STIRRED = new Error('something changed');

const isRace = (error: unknown): boolean => isStatus(error, 'Conflict') || isStatus(error, 'AlreadyExists');
