/**
 * The leader's part: keeps the certificates in their Secret fresh, and their authorities in the webhook configurations. The keeper
 * reads the present objects from the server at every step and writes only on top of those versions, so that two that both believe
 * to lead agree all the same: one of them gets a Conflict, and reads again.
 */
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../core/api/registry/resources.ts';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { createAuthority, issueCertificate, type KeyPair } from '../../certificates/certificates.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../time/clock.ts';
import { silentLogger, type Logger } from '../../logging/logger.ts';
import { holdsAuthority, withBundle, type WebhookConfiguration, type WebhookService } from './configurations.ts';
import { DEFAULT_CERTIFICATE_POLICY, nextStep, type CertificatePolicy, type CertificateStep } from './plan.ts';
import { bundleOf, decodeState, encodeState, NO_CERTIFICATES, viewOf, type CertificateState } from './state.ts';

interface WebhookNames {
  /** Where the certificates are kept. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Under whose name API servers call. */
  readonly service: WebhookService;
  /** Names of the configurations whose webhooks call that Service. One that is absent is waited for. */
  readonly validating?: readonly string[];
  readonly mutating?: readonly string[];
}

export interface KeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly names: WebhookNames;
  readonly policy?: CertificatePolicy;
  /** On the Secret when it must be made. */
  readonly labels?: { readonly [key: string]: string };
  /** The certificates this replica served last: a Secret that replaces a deleted one goes on from them, so that no client notices. */
  readonly remembered?: () => CertificateState | undefined;
}

export interface Keeper {
  /** Makes one step. Returns in how many milliseconds the next may be due: 0 for at once, Infinity for after the next change. */
  step(signal?: AbortSignal): Promise<number>;
}

const DAY = 86_400_000;
const FIELD_MANAGER = 'everynode-webhook-certificates';
const LABELS = { 'app.kubernetes.io/name': 'everynode', 'app.kubernetes.io/component': 'webhook' };

/** The names under which API servers and people reach the Service. */
const webhookHosts = ({ name, namespace }: WebhookService): readonly string[] => [
  `${name}.${namespace}.svc`,
  `${name}.${namespace}.svc.cluster.local`,
  `${name}.${namespace}`,
];

export function createKeeper(options: KeeperOptions): Keeper {
  const { client, clock, names } = options;
  const policy = options.policy ?? DEFAULT_CERTIFICATE_POLICY;
  const logger = (options.logger ?? silentLogger).with({ ...names.secret });
  const hosts = webhookHosts(names.service);

  async function find<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    signal: AbortSignal | undefined,
  ): Promise<Stored<T> | undefined> {
    try {
      return await client.get(resource, key, signal === undefined ? {} : { signal });
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Every configuration there is, with how to write it back. */
  async function configurations(signal: AbortSignal | undefined): Promise<readonly Found[]> {
    const found: Found[] = [];
    const add = async <T extends KubeObject & WebhookConfiguration>(resource: Resource<T>, all: readonly string[]) => {
      for (const name of all) {
        const configuration = await find(resource, { name }, signal);
        if (configuration === undefined) continue;
        const inject = async (bundle: string): Promise<boolean> => {
          const wanted = withBundle(configuration, names.service, bundle);
          if (wanted === configuration) return false;
          await client.update<T>(resource, wanted, { fieldManager: FIELD_MANAGER, ...(signal ? { signal } : {}) });
          logger.info('Wrote the authorities into a webhook configuration', { configuration: name });
          return true;
        };
        found.push({ configuration, inject });
      }
    };
    await add(MUTATING_WEBHOOK_CONFIGURATIONS, names.mutating ?? []);
    await add(VALIDATING_WEBHOOK_CONFIGURATIONS, names.validating ?? []);
    return found;
  }

  const authority = (now: number): Promise<KeyPair> =>
    // Each has a name of its own: verifiers look for an issuer by its name first.
    createAuthority(`everynode webhook authority ${Math.floor(now / 1000)}`, now, policy.authorityMs / DAY);

  const issue = (by: KeyPair, now: number): Promise<KeyPair> =>
    issueCertificate(by, now, {
      subject: { commonName: hosts[0] ?? '' },
      usage: 'server',
      hosts,
      days: policy.servingMs / DAY,
    });

  /** The state after a step. */
  async function after(state: CertificateState, step: Step, now: number): Promise<CertificateState> {
    const { authority: current, next, retired } = state;
    switch (step) {
      case 'stage':
        return { ...withoutDead(state, now), next: await authority(now) };
      case 'note-spread':
        return { ...state, everywhereSince: now };
      case 'note-lost': {
        const { everywhereSince: _, ...rest } = state;
        return rest;
      }
      case 'take-over': {
        if (next === undefined) return state;
        const former = current === undefined ? retired : [current.certificate, ...retired];
        return { authority: next, retired: former, serving: await issue(next, now) };
      }
      case 'renew':
        return current === undefined ? state : { ...state, serving: await issue(current, now) };
      case 'forget': {
        const { retired: dated } = viewOf(state, hosts);
        return { ...state, retired: retired.filter((_, index) => now < (dated[index]?.notAfter ?? 0)) };
      }
    }
  }

  /** An expired authority can sign nothing any more, and no client believes it. */
  function withoutDead(state: CertificateState, now: number): CertificateState {
    const { authority: current, next: _, everywhereSince: __, ...rest } = state;
    const isGood = current !== undefined && now < (viewOf(state, hosts).authority?.notAfter ?? 0);
    return isGood ? { ...rest, authority: current } : rest;
  }

  async function write(secret: Stored<Secret> | undefined, state: CertificateState, signal: AbortSignal | undefined) {
    const how = { fieldManager: FIELD_MANAGER, ...(signal === undefined ? {} : { signal }) };
    const data = encodeState(state);
    if (secret !== undefined) {
      await client.update(SECRETS, { ...secret, data }, how);
      return;
    }
    const metadata = { ...names.secret, labels: { ...LABELS, ...options.labels } };
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }, how);
  }

  return {
    async step(signal) {
      // In this order: a keeper writes the Secret before a bundle, so the Secret read now is no older than the bundle.
      const found = await configurations(signal);
      const secret = await find(SECRETS, names.secret, signal);
      const now = clock.now();
      const state = stateOf(secret, options.remembered?.(), now);
      const isSpread =
        state.next !== undefined &&
        found.every(({ configuration }) => holdsAuthority(configuration, names.service, state.next?.certificate ?? ''));
      const step = nextStep(viewOf(state, hosts), isSpread, now, policy);
      if (step.step !== 'wait') {
        await write(secret, await after(state, step.step, now), signal);
        logger.info(SAID[step.step]);
        return 0;
      }
      const bundle = bundleOf(state);
      let isChanged = false;
      for (const { inject } of found) isChanged = (await inject(bundle)) || isChanged;
      return isChanged ? 0 : step.until - now;
    },
  };
}

type Step = Exclude<CertificateStep['step'], 'wait'>;

interface Found {
  readonly configuration: WebhookConfiguration;
  /** Answers whether there was anything to write. */
  readonly inject: (bundle: string) => Promise<boolean>;
}

const SAID: { readonly [step in Step]: string } = {
  stage: 'Made a new authority for the webhook; it signs once configurations hold it',
  'note-spread': 'Every webhook configuration holds the new authority; it signs after the overlap',
  'note-lost': 'A webhook configuration lacks the new authority; the overlap begins again',
  'take-over': 'The new authority of the webhook has signed its certificate',
  renew: 'Renewed the certificate of the webhook',
  forget: 'An authority of the webhook has expired',
};

/** An empty or deleted Secret asks for new keys; the certificate served now stays good meanwhile. */
function stateOf(
  secret: Stored<Secret> | undefined,
  remembered: CertificateState | undefined,
  now: number,
): CertificateState {
  const state = secret === undefined ? NO_CERTIFICATES : decodeState(secret);
  const isEmpty = state.authority === undefined && state.next === undefined && state.serving === undefined;
  if (!isEmpty || remembered?.serving === undefined) return state;
  const { serving, authority, next, retired } = remembered;
  const former = [authority?.certificate, next?.certificate, ...retired].filter((pem) => pem !== undefined);
  // Without a key of the old authority left, the next step is to stage a new one.
  const dated = viewOf({ retired: former, serving }, []).retired;
  return { serving, retired: former.filter((_, index) => now < (dated[index]?.notAfter ?? 0)) };
}
