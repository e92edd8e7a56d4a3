/**
 * Role-based access: who may do what is itself a set of API objects, read from the committed state and judged within a
 * tenant. `rules` says what a list of rules allows, `covers` whether one list holds another, `policy-state` keeps roles and
 * bindings at hand, `grants` what each user was given, and `escalation` sees that nobody grants more than they hold.
 */
import type { PolicyRule, RoleRef } from '../../../core/api/types/rbac-v1.ts';
import { SYSTEM_TENANT } from '../../../core/kube/objects.ts';
import type { UserInfo } from '../../../machinery/ports/admission.ts';
import { perTenant } from '../../cache/committed-cache.ts';
import type { Store } from '../../store/store.ts';
import type { Attributes, Authorizer, Verdict } from '../../contract/authorization.ts';
import { AUTHENTICATED, tenantOf } from '../../contract/users.ts';
import { createGrantBook, type Grants, type ResolvedRole, resolveRole } from './grants.ts';
import { createPolicyState } from './policy-state.ts';

interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Why the list may be incomplete; undefined when it is not. */
  readonly problem: string | undefined;
}

export interface Rbac {
  authorize(attributes: Attributes): Verdict;
  /** All rules of a user that hold in a namespace (empty: those that hold everywhere). */
  rulesOf(user: UserInfo, tenant: string, namespace: string): UserRules;
  resolve(tenant: string, role: RoleRef, namespace: string): ResolvedRole;
}

export interface ClusterAuthorizer extends Authorizer {
  readonly rbac: Rbac;
}

const NO_OPINION: Verdict = { allowed: false, reason: '' };
/** The identity that a tenant's users have outside of their tenant: authenticated, without a name. */
const SOMEBODY: UserInfo = { name: '', groups: [AUTHENTICATED] };

export function createRbac(store: Store): Rbac {
  const tenants = perTenant((tenant) => {
    const state = createPolicyState(store, tenant);
    return { state, book: createGrantBook(state) };
  });

  const judgePath = (user: UserInfo, verb: string, path: string): Verdict => {
    // Paths belong to the server, not to a tenant: its own roles decide.
    const tenant = tenantOf(user);
    const asker = tenant === SYSTEM_TENANT ? user : SOMEBODY;
    // Within one's own tenant a path means what it means without.
    const own = `/tenants/${tenant}/`;
    const meant = asker === SOMEBODY && path.startsWith(own) ? path.slice(own.length - 1) : path;
    const { grants, problems } = tenants(SYSTEM_TENANT).book.grantsOf(asker, '');
    for (const { compiled, verdict } of grants) if (compiled.allowsPath(verb, meant)) return verdict;
    return refusal([problems]);
  };

  return {
    authorize(attributes) {
      const { user } = attributes;
      if ('path' in attributes) return judgePath(user, attributes.verb, attributes.path);
      const { namespace, tenant } = attributes;
      if (tenant !== tenantOf(user)) return NO_OPINION;
      const { book } = tenants(tenant);
      const everywhere = book.grantsOf(user, '');
      for (const { compiled, verdict } of everywhere.grants) if (compiled.allowsResource(attributes)) return verdict;
      if (namespace === '') return refusal([everywhere.problems]);
      const local = book.grantsOf(user, namespace);
      for (const { compiled, verdict } of local.grants) if (compiled.allowsResource(attributes)) return verdict;
      return refusal([everywhere.problems, local.problems]);
    },
    rulesOf(user, tenant, namespace) {
      if (tenant !== tenantOf(user)) return { rules: [], problem: undefined };
      const { book } = tenants(tenant);
      const found: readonly Grants[] = [
        book.grantsOf(user, ''),
        ...(namespace ? [book.grantsOf(user, namespace)] : []),
      ];
      return {
        rules: found.flatMap(({ grants }) => grants.flatMap(({ rules }) => rules)),
        problem: problemText(found.map(({ problems }) => problems)),
      };
    },
    resolve: (tenant, role, namespace) => resolveRole(tenants(tenant).state, role, namespace),
  };
}

function refusal(problems: readonly (readonly string[])[]): Verdict {
  const text = problemText(problems);
  return text === undefined ? NO_OPINION : { allowed: false, reason: `RBAC: ${text}` };
}

function problemText(problems: readonly (readonly string[])[]): string | undefined {
  const all = [...new Set(problems.flat())];
  if (all.length === 0) return undefined;
  return all.length === 1 ? all[0] : `[${all.join(', ')}]`;
}
