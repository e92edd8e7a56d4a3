/**
 * Acting as somebody else (`kubectl --as`). Whoever asks must be allowed to impersonate each thing they claim: the user
 * or service account, every group, the uid, every extra value. What follows then is judged as that user alone.
 */
import { StatusError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/admission.ts';
import { type Attributes, type Authorizer, accessDenied } from '../access/authorizer.ts';
import { ANONYMOUS, AUTHENTICATED, serviceAccountUser, UNAUTHENTICATED } from '../access/users.ts';

const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA = 'impersonate-extra-';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

export interface Headers {
  header(name: string): string | undefined;
  /** In lower case. */
  readonly headerNames: readonly string[];
}

const listed = (value: string | undefined): readonly string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The user to act as: the one who asks, unless they want to be another and may. */
export function impersonated(user: UserInfo, headers: Headers, authorizer: Authorizer): UserInfo {
  const claims = headers.headerNames.filter((name) => name.startsWith('impersonate-'));
  if (claims.length === 0) return user;
  const name = headers.header(USER) ?? '';
  const groups = listed(headers.header(GROUP));
  const uid = headers.header(UID) ?? '';
  const extra = claims.filter((claim) => claim.startsWith(EXTRA)).map((claim) => extraOf(claim, headers));
  if (name === '') {
    const what = groups.length > 0 ? `groups ${JSON.stringify(groups)}` : uid === '' ? 'extra values' : `uid ${uid}`;
    throw new StatusError(
      500,
      'InternalError',
      `Internal error occurred: requested ${what} without impersonating a user`,
    );
  }
  const may = (resource: string, what: string, more: Partial<typeof IMPERSONATE> = {}): void =>
    allow(authorizer, { ...IMPERSONATE, user, resource, name: what, ...more });
  const account = SERVICE_ACCOUNT.exec(name);
  if (account === null) may('users', name);
  else may('serviceaccounts', account[2] ?? '', { namespace: account[1] ?? '' });
  for (const group of groups) may('groups', group);
  const authentication = { group: 'authentication.k8s.io', version: 'v1' };
  if (uid !== '') may('uids', uid, authentication);
  for (const [key, values] of extra) {
    for (const value of values) may('userextras', value, { ...authentication, subresource: key });
  }
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: groupsOf(name, groups),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

const IMPERSONATE = { verb: 'impersonate', tenant: '', group: '', version: 'v1', subresource: '', namespace: '' };

function allow(authorizer: Authorizer, attributes: Attributes): void {
  const verdict = authorizer.authorize(attributes);
  if (!verdict.allowed) throw accessDenied(attributes, verdict.reason);
}

function extraOf(header: string, headers: Headers): readonly [string, readonly string[]] {
  const encoded = header.slice(EXTRA.length);
  let key = encoded;
  try {
    key = decodeURIComponent(encoded);
  } catch {
    // Not percent-encoded after all: taken as it stands, as Kubernetes does.
  }
  return [key, listed(headers.header(header))];
}

/** Groups that go with a name by themselves: those of a service account, and whether somebody has a name at all. */
function groupsOf(name: string, asked: readonly string[]): readonly string[] {
  const account = SERVICE_ACCOUNT.exec(name);
  const groups =
    asked.length === 0 && account !== null ? serviceAccountUser(account[1] ?? '', account[2] ?? '', '').groups : asked;
  if (groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) return groups;
  return [...groups, name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED];
}
