/**
 * The rules a user was granted, and by which binding: worked out once for each user and kept until roles or bindings
 * change.
 */
import type { PolicyRule, RoleRef, Subject } from '../../../core/api/types/rbac-v1.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import type { UserInfo } from '../../../machinery/ports/admission.ts';
import type { Verdict } from '../../contract/authorization.ts';
import { type Binding, groupSubject, type PolicyState, subjectKey, userSubject } from './policy-state.ts';
import { type CompiledRules, compileRules } from './rules.ts';

interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly compiled: CompiledRules;
  /** The answer to every request that these rules allow. */
  readonly verdict: Verdict;
}

export interface Grants {
  readonly grants: readonly Grant[];
  /** Bindings whose role could not be found; each told once. */
  readonly problems: readonly string[];
}

export interface GrantBook {
  /** Grants that hold everywhere; with a namespace, those of the namespace alone. */
  grantsOf(user: UserInfo, namespace: string): Grants;
}

/** The rules behind a role reference, or why there are none. */
export type ResolvedRole = { readonly rules: readonly PolicyRule[] } | { readonly problem: string };

const NO_RULES: readonly PolicyRule[] = Object.freeze([]);
const NO_GRANTS: Grants = Object.freeze({ grants: [], problems: [] });
/** A user may ask about any namespace there could be; no more than this many are remembered. */
const NAMESPACES_A_USER = 1_000;

export function resolveRole(state: PolicyState, { kind, name }: RoleRef, namespace: string): ResolvedRole {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    return { problem: `unsupported role reference kind: ${goQuote(kind)}` };
  }
  const role = kind === 'ClusterRole' ? state.clusterRole(name) : state.role(namespace, name);
  if (role !== undefined) return { rules: role.rules ?? NO_RULES };
  return { problem: `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found` };
}

interface Remembered {
  readonly epoch: number;
  readonly everywhere: Grants;
  readonly namespaces: Map<string, { readonly epoch: number; readonly grants: Grants }>;
}

export function createGrantBook(state: PolicyState): GrantBook {
  const remembered = new WeakMap<UserInfo, Remembered>();

  const recall = (user: UserInfo): Remembered => {
    const { epoch } = state;
    const known = remembered.get(user);
    if (known?.epoch === epoch) return known;
    const fresh = { epoch, everywhere: collect(state, user, ''), namespaces: new Map() };
    remembered.set(user, fresh);
    return fresh;
  };

  return {
    grantsOf(user, namespace) {
      const known = recall(user);
      if (namespace === '') return known.everywhere;
      const epoch = state.epochOf(namespace);
      // No role or binding was ever written in this namespace.
      if (epoch === 0) return NO_GRANTS;
      const local = known.namespaces.get(namespace);
      if (local?.epoch === epoch) return local.grants;
      const grants = collect(state, user, namespace);
      if (known.namespaces.size >= NAMESPACES_A_USER) known.namespaces.clear();
      known.namespaces.set(namespace, { epoch, grants });
      return grants;
    },
  };
}

function collect(state: PolicyState, user: UserInfo, namespace: string): Grants {
  const subjects = new Set([userSubject(user.name), ...user.groups.map(groupSubject)]);
  const bindings = new Set<Binding>();
  for (const subject of subjects) for (const binding of state.bindingsOf(namespace, subject)) bindings.add(binding);
  if (bindings.size === 0) return NO_GRANTS;
  const ordered = [...bindings].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const grants: Grant[] = [];
  const problems = new Set<string>();
  for (const binding of ordered) {
    const role = resolveRole(state, binding.roleRef, namespace);
    if ('problem' in role) {
      problems.add(role.problem);
      continue;
    }
    const verdict: Verdict = {
      allowed: true,
      // Worked out when read: few requests need the reason.
      get reason() {
        return `RBAC: allowed by ${bindingText(binding, namespace, subjects)}`;
      },
    };
    grants.push({ rules: role.rules, compiled: compileRules(role.rules), verdict });
  }
  return { grants, problems: [...problems] };
}

function bindingText(binding: Binding, namespace: string, subjects: ReadonlySet<string>): string {
  const { name } = binding.metadata;
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const which = goQuote(namespace === '' ? name : `${name}/${namespace}`);
  const subject = binding.subjects?.find((each) => subjects.has(subjectKey(each, namespace) ?? ''));
  const whom = subject === undefined ? '' : subjectText(subject, namespace);
  return `${kind} ${which} of ${binding.roleRef.kind} ${goQuote(binding.roleRef.name)} to ${whom}`;
}

function subjectText({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}
