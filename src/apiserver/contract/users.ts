/** Identities that come out of authentication. */
import { SYSTEM_TENANT } from '../../core/kube/objects.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';

/** The tenant an identity belongs to; names mean nothing outside of it. */
export const tenantOf = (user: UserInfo): string => user.tenant ?? SYSTEM_TENANT;

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/**
 * The identity of components that run inside this process with full rights, such as the controllers of an embedded
 * cluster.
 */
export const LOOPBACK: UserInfo = { name: 'system:apiserver', groups: ['system:masters', AUTHENTICATED] };

/** Says in audit logs which credential of several was used. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** A client certificate speaks through its subject: the common name is the user, the organisations are the groups. */
export const certificateUser = (commonName: string, organizations: readonly string[], sha256?: string): UserInfo => ({
  name: commonName,
  groups: withAuthenticated(organizations),
  ...(sha256 === undefined ? {} : { extra: { [CREDENTIAL_ID]: [`X509SHA256=${sha256}`] } }),
});

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

export function serviceAccountUser(namespace: string, name: string, uid: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
  };
}
/** `system:serviceaccount:NAMESPACE:NAME` taken apart; undefined where the name is not a service account's. */
export function readServiceAccountName(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [system, account, namespace = '', name = '', ...rest] = user.split(':', 6);
  if (system !== 'system' || account !== 'serviceaccount' || rest.length > 0 || namespace === '' || name === '') {
    return undefined;
  }
  return { namespace, name };
}

function withAuthenticated(groups: readonly string[]): readonly string[] {
  return groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
