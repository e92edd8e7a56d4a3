/** The `authorizer` of expressions: the API server's own, asked for a tenant. */
import type { Authorize } from '../../core/api/cel/library/authorizer.ts';
import type { Authorizer } from '../contract/authorization.ts';

export function authorizeExpressions(authorizer: Authorizer): (tenant: string) => Authorize {
  return (tenant) => (check) => {
    const user = { ...check.user, groups: check.user.groups ?? [] };
    const verdict =
      'path' in check
        ? authorizer.authorize({ user, verb: check.verb, path: check.path })
        : authorizer.authorize({ ...check, user, tenant });
    return verdict.reason === undefined
      ? { allowed: verdict.allowed }
      : { allowed: verdict.allowed, reason: verdict.reason };
  };
}
