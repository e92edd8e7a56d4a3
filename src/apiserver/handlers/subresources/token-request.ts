/** `serviceaccounts/token`: gives out a token for a service account, for a time, maybe bound to a pod, secret or node. */
import type { TokenRequest } from '../../../core/api/types/authentication-v1.ts';
import type { Pod, ServiceAccount } from '../../../core/api/types/core-v1.ts';
import { type FieldError, invalid } from '../../../core/kube/field-errors.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { badRequest, conflict, invalidObject, notFound } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Random } from '../../../machinery/random/random.ts';
import { decodeOptions } from '../steps/decode.ts';
import { type BodyType, readBody } from './read-body.ts';
import type { SubresourceHandler } from '../../contract/hooks.ts';
import type { CreateRequest } from '../../contract/request.ts';
import type { Store } from '../../store/store.ts';
import { type AccountClaims, type Reference, writeClaims } from '../../access/tokens/claims.ts';
import type { TokenKey } from '../../access/tokens/token-key.ts';

export interface TokenRequestOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly key: TokenKey;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

const BODY: BodyType = {
  apiVersions: ['authentication.k8s.io/v1'],
  kind: 'TokenRequest',
  schema: 'authentication/v1.TokenRequest',
};
const GROUP_KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const HOUR = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
/**
 * Expiration that admission writes into pods. Programs that read such a token once and never again get a year's grace.
 */
const MOUNTED_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * HOUR;

export function createTokenRequests(options: TokenRequestOptions): SubresourceHandler {
  const { clock, key, random, store } = options;

  return (request) => {
    const { target } = request;
    const { name, namespace, tenant } = target;
    const body = readBody(BODY, request.object, decodeOptions(request)) as TokenRequest;
    checkPlace(body, name, namespace);
    const found = store.get({ tenant, group: '', resource: 'serviceaccounts', namespace, name });
    if (found === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
    const account = found as Stored<ServiceAccount>;
    const { uid } = account.metadata;
    if (body.metadata.uid && body.metadata.uid !== uid) {
      const why = `the UID in the token request (${body.metadata.uid}) does not match the UID of the service account (${uid})`;
      throw conflict({ group: GROUP_KIND.group, resource: GROUP_KIND.kind }, name, why);
    }
    const audiences = body.spec.audiences?.length ? body.spec.audiences : options.audiences;
    const seconds = lifetime(body);
    const bound = boundTo(store, request, body);
    const now = clock.now();
    const issuedAt = Math.floor(now / 1000);
    const isMounted =
      bound.pod !== undefined &&
      seconds === MOUNTED_SECONDS &&
      audiences.every((each) => options.audiences.includes(each));
    const token = key.sign(
      writeClaims({
        tenant,
        namespace,
        account: { name, uid },
        ...bound,
        issuer: options.issuer,
        audiences,
        id: random.uuid(),
        issuedAt,
        notBefore: issuedAt,
        expires: issuedAt + (isMounted ? EXTENDED_SECONDS : seconds),
        ...(isMounted ? { warnAfter: issuedAt + seconds } : {}),
      }),
    );
    const answer: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { ...body.metadata, name, namespace, uid, creationTimestamp: formatTime(now) },
      spec: { ...body.spec, audiences, expirationSeconds: seconds },
      status: { token, expirationTimestamp: formatTime(now + seconds * 1000) },
    };
    return { type: 'object', object: answer as Stored<TokenRequest>, created: true };
  };
}

function checkPlace({ metadata }: TokenRequest, name: string, namespace: string): void {
  const errors: FieldError[] = [];
  if (metadata.name && metadata.name !== name) {
    errors.push(invalid('metadata.name', metadata.name, 'must match the service account name if specified'));
  } else if (metadata.namespace && metadata.namespace !== namespace) {
    const why = 'must match the service account namespace if specified';
    errors.push(invalid('metadata.namespace', metadata.namespace, why));
  }
  if (errors.length > 0) throw invalidObject(GROUP_KIND, name, errors);
}

function lifetime({ spec }: TokenRequest): number {
  const seconds = spec.expirationSeconds ?? HOUR;
  const path = 'spec.expirationSeconds';
  if (seconds < SHORTEST_SECONDS) {
    const why = 'may not specify a duration less than 10 minutes';
    throw invalidObject(GROUP_KIND, '', [invalid(path, spec.expirationSeconds ?? seconds, why)]);
  }
  if (seconds > LONGEST_SECONDS) {
    const why = 'may not specify a duration larger than 2^32 seconds';
    throw invalidObject(GROUP_KIND, '', [invalid(path, spec.expirationSeconds ?? seconds, why)]);
  }
  return seconds;
}

type Bound = Pick<AccountClaims, 'pod' | 'secret' | 'node'>;

/**
 * The objects that the token is bound to. Only committed objects count: one that a crash could erase cannot be bound
 * to.
 */
function boundTo(store: Store, { target }: CreateRequest, { spec }: TokenRequest): Bound {
  const { name: accountName, namespace, tenant } = target;
  const wanted = spec.boundObjectRef;
  if (wanted === undefined) return {};
  const { apiVersion = '', kind = '', name = '', uid = '' } = wanted;
  const find = (resource: string, within: string): Stored => {
    const object = store.get({ tenant, group: '', resource, namespace: within, name });
    if (object === undefined) throw notFound({ group: '', resource }, name);
    return object;
  };
  const checked = (object: Stored): Reference => {
    if (uid !== '' && uid !== object.metadata.uid) {
      const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ group: '', resource: kind }, name, why);
    }
    return { name, uid: object.metadata.uid };
  };
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  if (group === '' && kind === 'Secret') return { secret: checked(find('secrets', namespace)) };
  if (group === '' && kind === 'Node') return { node: checked(find('nodes', '')) };
  if (group !== '' || kind !== 'Pod') {
    const version = apiVersion.slice(slash + 1);
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const pod = find('pods', namespace) as Stored<Pod>;
  if (pod.spec?.serviceAccountName !== accountName) {
    const account = goQuote(accountName);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') return { pod: checked(pod) };
  const node = store.get({ tenant, group: '', resource: 'nodes', namespace: '', name: nodeName });
  return { pod: checked(pod), node: { name: nodeName, uid: node?.metadata.uid ?? '' } };
}
