/**
 * Impersonation (`kubectl --as`). The caller must be allowed to impersonate each attribute that the request claims: the
 * user or service account, every group, the uid, every extra value. The request is then judged as that user alone,
 * within the tenant of the caller.
 */
import { badRequest } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import { accessDenied } from '../access/authorizer.ts';
import type { Attributes, Authorizer } from '../contract/authorization.ts';
import {
  ANONYMOUS,
  AUTHENTICATED,
  readServiceAccountName,
  serviceAccountGroups,
  tenantOf,
  UNAUTHENTICATED,
} from '../contract/users.ts';

const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA = 'impersonate-extra-';

export interface Headers {
  /** Throws where the header was sent more than once. */
  onlyHeader(name: string): string | undefined;
  headerValues(name: string): readonly string[];
  /** In lower case. */
  readonly headerNames: readonly string[];
}

/** One claimed attribute, as Kubernetes names it in its messages. */
interface Claim {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID';
  readonly namespace?: string;
  readonly name: string;
  /** The key of an extra value. */
  readonly key?: string;
}

/** The user to act as: the caller, unless the request names another and the caller may impersonate it. */
export function impersonated(user: UserInfo, headers: Headers, authorizer: Authorizer): UserInfo {
  const names = headers.headerNames.filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return user;
  const name = headers.onlyHeader(USER) ?? '';
  const claims = readClaims(headers, names, name);
  if (claims.length === 0) return user;
  const [who] = claims;
  if (who === undefined || (who.kind !== 'User' && who.kind !== 'ServiceAccount')) {
    throw badRequest(`requested [${claims.map(claimText).join(' ')}] without impersonating a user`);
  }
  for (const claim of claims) {
    const attributes = attributesOf(claim, user);
    const verdict = authorizer.authorize(attributes);
    if (!verdict.allowed) throw accessDenied(attributes, verdict.reason);
  }
  return become(user, who, claims, name);
}

function readClaims(headers: Headers, names: readonly string[], name: string): readonly Claim[] {
  const uid = headers.onlyHeader(UID) ?? '';
  const account = readServiceAccountName(name);
  return [
    ...(name === '' ? [] : [account === undefined ? user(name) : { kind: 'ServiceAccount' as const, ...account }]),
    ...headers.headerValues(GROUP).map((group): Claim => ({ kind: 'Group', name: group })),
    ...names
      .filter((each) => each.startsWith(EXTRA))
      .flatMap((each) =>
        headers.headerValues(each).map((value): Claim => ({ kind: 'UserExtra', name: value, key: extraKey(each) })),
      ),
    ...(uid === '' ? [] : [{ kind: 'UID', name: uid } as const]),
  ];
}

const user = (name: string): Claim => ({ kind: 'User', name });

function extraKey(header: string): string {
  const encoded = header.slice(EXTRA.length);
  try {
    return decodeURIComponent(encoded);
  } catch {
    // The value is not percent-encoded after all: taken as it stands, as Kubernetes does.
    return encoded;
  }
}

/** Go's print of the reference Kubernetes makes of a claim. */
const claimText = ({ key, kind, name, namespace = '' }: Claim): string =>
  `{${kind} ${namespace} ${name}  ${key === undefined && kind !== 'UID' ? '' : 'authentication.k8s.io/v1'}  ${key ?? ''}}`;

const RESOURCES = {
  User: 'users',
  ServiceAccount: 'serviceaccounts',
  Group: 'groups',
  UserExtra: 'userextras',
  UID: 'uids',
} as const;

function attributesOf({ key = '', kind, name, namespace = '' }: Claim, asker: UserInfo): Attributes {
  return {
    user: asker,
    verb: 'impersonate',
    tenant: tenantOf(asker),
    group: kind === 'UserExtra' || kind === 'UID' ? 'authentication.k8s.io' : '',
    version: 'v1',
    resource: RESOURCES[kind],
    subresource: key,
    namespace,
    name,
  };
}

function become(asker: UserInfo, who: Claim, claims: readonly Claim[], name: string): UserInfo {
  const uid = claims.find(({ kind }) => kind === 'UID')?.name;
  const extra = new Map<string, string[]>();
  for (const { key, name: value } of claims) {
    if (key === undefined) continue;
    const values = extra.get(key);
    if (values === undefined) extra.set(key, [value]);
    else values.push(value);
  }
  const asked = claims.filter(({ kind }) => kind === 'Group').map((claim) => claim.name);
  // Groups named by the request replace those that follow from the account.
  const own = asked.length === 0 && who.namespace !== undefined ? serviceAccountGroups(who.namespace) : asked;
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: withPresence(name, own),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    ...(asker.tenant === undefined ? {} : { tenant: asker.tenant }),
  };
}

/** Every user has a group that says whether it is authenticated. */
function withPresence(name: string, groups: readonly string[]): readonly string[] {
  if (name === ANONYMOUS.name) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
