/**
 * Secrets of type `kubernetes.io/service-account-token`: one that a user creates for an account gets a token that lives
 * as long as the secret does. A secret whose account is gone, or was replaced, is deleted.
 */
import { SECRETS, SERVICE_ACCOUNTS } from '../../../core/api/registry/resources.ts';
import type { TokenRequest } from '../../../core/api/types/authentication-v1.ts';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { Resource, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { AccessKeeperOptions } from './options.ts';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
/** The longest a token can be asked for; it ends with its secret anyway. */
const LONGEST_SECONDS = 2 ** 32;
const TOKENS: Resource<TokenRequest> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
};

export interface TokenSecretsOptions extends AccessKeeperOptions {
  /** PEM of the authority behind the API server. */
  readonly authority: string;
}

interface Key {
  readonly namespace: string;
  readonly name: string;
}

export function createTokenSecrets(options: TokenSecretsOptions): Actor {
  const { client, clock, informers, random } = options;
  const secrets = informers.for(SECRETS);
  const accounts = informers.for(SERVICE_ACCOUNTS);

  async function fill({ name, namespace }: Key, signal: AbortSignal): Promise<void> {
    const secret = secrets.lister.get(name, namespace);
    if (secret === undefined || !isTokenSecret(secret) || isBeingDeleted(secret)) return;
    const annotations = secret.metadata.annotations ?? {};
    const accountName = annotations[ACCOUNT_NAME] ?? '';
    const known = annotations[ACCOUNT_UID] ?? '';
    try {
      // Read from the server: a cache that lags must not cause a deletion.
      const account = await client.get(SERVICE_ACCOUNTS, { namespace, name: accountName }, { signal }).catch(absent);
      if (account === undefined || (known !== '' && known !== account.metadata.uid)) {
        const { resourceVersion, uid } = secret.metadata;
        await client.delete(SECRETS, { namespace, name }, { preconditions: { resourceVersion, uid }, signal });
        return;
      }
      const data = secret.data ?? {};
      const isFull = known !== '' && data['token'] && data['ca.crt'] && data['namespace'];
      if (isFull) return;
      const token = data['token'] || base64(await tokenFor(accountName, namespace, secret, signal));
      const authority = base64(options.authority);
      const next: Secret = {
        ...secret,
        metadata: { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID]: account.metadata.uid } },
        data: { ...data, 'ca.crt': authority, namespace: base64(namespace), token },
      };
      await client.update(SECRETS, next, { signal });
    } catch (error) {
      // Changed or gone meanwhile: the event requeues the secret.
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
    }
  }

  async function tokenFor(account: string, namespace: string, secret: Stored<Secret>, signal: AbortSignal) {
    const { name, uid } = secret.metadata;
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: account, namespace },
      spec: {
        expirationSeconds: LONGEST_SECONDS,
        boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid },
      },
    };
    const answered = await client.create(TOKENS, request, { subresource: 'token', signal });
    return answered.status?.token ?? '';
  }

  return createController<Key>({
    name: 'serviceaccount-token-controller',
    reconcile: fill,
    clock,
    random,
    identify: ({ name, namespace }) => `${namespace}/${name}`,
    // Of a secret only its namespace and name belong in a log.
    describe: ({ name, namespace }) => ({ secret: `${namespace}/${name}` }),
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  })
    .watch(secrets, (secret, { type }) => (type !== 'delete' && isTokenSecret(secret) ? [keyOf(secret)] : []))
    .watch(accounts, function* (account, { type }) {
      if (type === 'update') return;
      const { name, namespace } = account.metadata;
      for (const secret of secrets.lister.list(namespace)) {
        if (isTokenSecret(secret) && secret.metadata.annotations?.[ACCOUNT_NAME] === name) yield keyOf(secret);
      }
    });
}

const isTokenSecret = ({ type }: Secret): boolean => type === TYPE;
const keyOf = ({ metadata: { name, namespace = '' } }: Stored<Secret>): Key => ({ namespace, name });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function absent(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}
