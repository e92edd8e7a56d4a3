/**
 * The user a service account token belongs to, now: its signature is checked once and remembered, everything it depends
 * on (time, the account, the object it is bound to) every time. A token dies with its account, its pod, its secret or
 * its node.
 */
import { createHash } from 'node:crypto';
import { type Stored, SYSTEM_TENANT } from '../../../core/kube/objects.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { UserInfo } from '../../../machinery/ports/admission.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { TokenReading } from '../../contract/token-reading.ts';
import type { Store } from '../../store/store.ts';
import { quotedList } from '../rbac/covers.ts';
import { serviceAccountUser } from '../../contract/users.ts';
import { readClaims, type Reference, type TokenClaims } from './claims.ts';
import type { TokenKey } from './token-key.ts';

export interface TokenReader {
  /** `audiences` are those the asker stands for; without any, the API server itself. */
  read(token: string, audiences?: readonly string[]): TokenReading;
}

export interface TokenReaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly key: TokenKey;
  readonly issuer: string;
  /** The audiences that the API server itself accepts. */
  readonly audiences: readonly string[];
}

/** Clocks differ; a little is forgiven. */
const LEEWAY_SECONDS = 60;
const REMEMBERED = 10_000;
const NOBODY: TokenReading = {};

interface Known {
  readonly claims: TokenClaims;
  readonly user: UserInfo;
}

export function createTokenReader(options: TokenReaderOptions): TokenReader {
  const { clock, issuer, key, store } = options;
  /** By digest, oldest first; the tokens themselves are not kept. */
  const known = new Map<string, Known>();

  const recognise = (token: string): Known | undefined => {
    const digest = createHash('sha256').update(token).digest('base64');
    const found = known.get(digest);
    if (found !== undefined) return found;
    const verified = key.verify(token);
    const claims = verified === undefined ? undefined : readClaims(verified);
    if (claims === undefined || claims.issuer !== issuer) return undefined;
    const fresh = { claims, user: userOf(claims) };
    if (known.size >= REMEMBERED) known.delete(known.keys().next().value ?? '');
    known.set(digest, fresh);
    return fresh;
  };

  return {
    read(token, asked = options.audiences) {
      const found = recognise(token);
      if (found === undefined) return NOBODY;
      const { claims, user } = found;
      const audiences = claims.audiences.filter((each) => asked.includes(each));
      if (audiences.length === 0) {
        const target = quotedList(asked);
        return {
          problem: `token audiences ${quotedList(claims.audiences)} is invalid for the target audiences ${target}`,
        };
      }
      const problem = timeProblem(claims, clock.now()) ?? lostObject(store, claims, clock.now());
      return problem === undefined ? { user, audiences } : { problem };
    },
  };
}

function timeProblem({ expires, issuedAt, notBefore }: TokenClaims, now: number): string | undefined {
  const seconds = now / 1000;
  if (seconds > expires + LEEWAY_SECONDS) return 'service account token has expired';
  if (seconds < notBefore - LEEWAY_SECONDS) return 'service account token is not valid yet';
  return seconds < issuedAt - LEEWAY_SECONDS ? 'service account token is issued in the future' : undefined;
}

/** Why something the token depends on is no longer what it was. */
function lostObject(store: Store, claims: TokenClaims, now: number): string | undefined {
  const { account, namespace, node, pod, secret, tenant } = claims;
  const find = (resource: string, name: string, within: string): Stored | undefined =>
    store.get({ tenant, group: '', resource, namespace: within, name });
  const owner = find('serviceaccounts', account.name, namespace);
  if (owner === undefined) return `serviceaccounts ${goQuote(account.name)} not found`;
  if (owner.metadata.uid !== account.uid) {
    return `service account UID (${owner.metadata.uid}) does not match claim (${account.uid})`;
  }
  if (isLongDeleted(owner, now)) return `service account ${namespace}/${account.name} has been deleted`;
  if (secret !== undefined) return boundProblem('secret', secret, find('secrets', secret.name, namespace), now);
  if (pod !== undefined) return boundProblem('pod', pod, find('pods', pod.name, namespace), now);
  return node === undefined ? undefined : boundProblem('node', node, find('nodes', node.name, ''), now);
}

function boundProblem(what: string, { uid }: Reference, object: Stored | undefined, now: number): string | undefined {
  if (object === undefined || isLongDeleted(object, now)) return 'service account token has been invalidated';
  if (object.metadata.uid === uid) return undefined;
  return `${what} UID (${object.metadata.uid}) does not match service account ${what} ref claim (${uid})`;
}

/** Marked for deletion, and the grace period has passed: a pod that still runs until then keeps its token. */
function isLongDeleted({ metadata }: Stored, now: number): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const at = parseTime(metadata.deletionTimestamp);
  return at !== undefined && at < now - LEEWAY_SECONDS * 1000;
}

const PREFIX = 'authentication.kubernetes.io/';

function userOf({ account, id, namespace, node, pod, tenant }: TokenClaims): UserInfo {
  const extra: { [key: string]: readonly string[] } = {
    ...(id === '' ? {} : { [`${PREFIX}credential-id`]: [`JTI=${id}`] }),
    ...(node === undefined ? {} : { [`${PREFIX}node-name`]: [node.name] }),
    ...(node === undefined || node.uid === '' ? {} : { [`${PREFIX}node-uid`]: [node.uid] }),
    ...(pod === undefined ? {} : { [`${PREFIX}pod-name`]: [pod.name], [`${PREFIX}pod-uid`]: [pod.uid] }),
  };
  return {
    ...serviceAccountUser(namespace, account.name, account.uid),
    extra,
    ...(tenant === SYSTEM_TENANT ? {} : { tenant }),
  };
}
