/** The claims of a service account token: its account, audiences, lifetime, and the object it lives and dies with. */
import { SYSTEM_TENANT } from '../../../core/kube/objects.ts';

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface AccountClaims {
  readonly tenant: string;
  readonly namespace: string;
  readonly account: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
}

export interface TokenClaims extends AccountClaims {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly id: string;
  /** In seconds since 1970. */
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expires: number;
  readonly warnAfter?: number;
}

/** The claims of other tenants name the tenant; without it they would pass for the system tenant's. */
const TENANT_CLAIM = 'everynode.dev';

export function writeClaims(claims: TokenClaims): object {
  const { account, namespace, node, pod, secret, tenant, warnAfter } = claims;
  return {
    aud: claims.audiences,
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount: account,
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: `system:serviceaccount:${namespace}:${account.name}`,
    ...(tenant === SYSTEM_TENANT ? {} : { [TENANT_CLAIM]: { tenant } }),
  };
}

type Members = { readonly [member: string]: unknown };

/** Undefined where the token has other claims: signed by our key, but for another purpose. */
export function readClaims(claims: Members): TokenClaims | undefined {
  const own = members(claims['kubernetes.io']);
  const account = reference(own?.['serviceaccount']);
  const namespace = text(own?.['namespace']);
  const issuer = text(claims['iss']);
  const [issuedAt, notBefore, expires] = [claims['iat'], claims['nbf'], claims['exp']];
  if (own === undefined || account === undefined || namespace === undefined || issuer === undefined) return undefined;
  if (typeof issuedAt !== 'number' || typeof notBefore !== 'number' || typeof expires !== 'number') return undefined;
  const warnAfter = own['warnafter'];
  return {
    tenant: text(members(claims[TENANT_CLAIM])?.['tenant']) ?? SYSTEM_TENANT,
    namespace,
    account,
    ...bound('pod', own),
    ...bound('secret', own),
    ...bound('node', own),
    issuer,
    audiences: Array.isArray(claims['aud']) ? claims['aud'].filter((each) => typeof each === 'string') : [],
    id: text(claims['jti']) ?? '',
    issuedAt,
    notBefore,
    expires,
    ...(typeof warnAfter === 'number' ? { warnAfter } : {}),
  };
}

function bound(what: 'pod' | 'secret' | 'node', own: Members): Partial<AccountClaims> {
  const found = reference(own[what]);
  return found === undefined ? {} : { [what]: found };
}

function reference(value: unknown): Reference | undefined {
  const found = members(value);
  const name = text(found?.['name']);
  return name === undefined ? undefined : { name, uid: text(found?.['uid']) ?? '' };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const members = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
