/**
 * ValidatingAdmissionPolicy: rules of the cluster's owner, written as expressions, put into force by bindings. Nothing
 * is asked of anybody outside, so a decision is made at once.
 */
import { celValueOf } from '../../../core/api/cel/cel.ts';
import { DYN_DECL } from '../../../core/api/cel/decl-types.ts';
import type { KindDefinition } from '../../../core/api/kind-definition.ts';
import type {
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../core/api/types/admissionregistration-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import { SYSTEM_TENANT, type Stored } from '../../../core/kube/objects.ts';
import { forbiddenRequest, StatusError, type StatusReason } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/admission.ts';
import { createCommittedCache } from '../committed-cache.ts';
import { requestBindings } from '../expressions.ts';
import { isExempt, matchesNamespace, matchesObject } from '../match-rules.ts';
import { formMatched, inForm, type WebhookParts } from '../webhooks/ask.ts';
import { compilePolicy, type CompiledPolicy, type Denial } from './compiled-policy.ts';
import { paramsOf } from './params.ts';

type PolicyParts = Pick<WebhookParts, 'store' | 'registry' | 'authorize'>;
type Policy = Stored<ValidatingAdmissionPolicy>;
type Binding = Stored<ValidatingAdmissionPolicyBinding>;

interface Bound {
  readonly policy: Policy;
  readonly compiled: CompiledPolicy;
  readonly bindings: readonly Binding[];
}

const ALLOWED: AdmissionResponse = { allowed: true };
const GROUP = 'admissionregistration.k8s.io';

export function createValidatingPolicies(parts: PolicyParts): AdmissionPlugin {
  const bound = boundPolicies(parts);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (request) => !isExempt(request),
    validate(request) {
      const all = bound();
      return all.length === 0 ? ALLOWED : judge(all, request, parts);
    },
  };
}

/** Policies that somebody put into force, in order of their names; read again when one of them changed. */
function boundPolicies({ store }: PolicyParts): () => readonly Bound[] {
  const cacheOf = <T extends Stored>(resource: string) =>
    createCommittedCache<T>(store, { tenant: SYSTEM_TENANT, group: GROUP, resource });
  const policies = cacheOf<Policy>('validatingadmissionpolicies');
  const bindings = cacheOf<Binding>('validatingadmissionpolicybindings');
  const compiled = new WeakMap<ValidatingAdmissionPolicy['spec'], CompiledPolicy>();
  let known: readonly Bound[] = [];
  let seen = '';
  return () => {
    const version = `${policies.version}/${bindings.version}`;
    if (version === seen) return known;
    seen = version;
    const byName = (a: Stored, b: Stored): number => (a.metadata.name < b.metadata.name ? -1 : 1);
    const inForce = [...bindings.values()].toSorted(byName);
    known = [...policies.values()].toSorted(byName).flatMap((policy): readonly Bound[] => {
      const own = inForce.filter(({ spec }) => spec.policyName === policy.metadata.name);
      if (own.length === 0) return [];
      let ready = compiled.get(policy.spec);
      if (ready === undefined) compiled.set(policy.spec, (ready = compilePolicy(policy)));
      return [{ policy, compiled: ready, bindings: own }];
    });
    return known;
  };
}

function judge(all: readonly Bound[], request: AdmissionRequest, parts: PolicyParts): AdmissionResponse {
  const warnings: string[] = [];
  // The first refusal counts; what later policies warn of is still told.
  let refused: Extract<AdmissionResponse, { readonly allowed: false }> | undefined;
  for (const { policy, compiled, bindings } of all) {
    const fails = policy.spec.failurePolicy !== 'Ignore';
    let form: KindDefinition | undefined;
    try {
      form = formOf(policy.spec.matchConstraints, request, parts);
    } catch (error) {
      if (fails) refused ??= denied(request, policy, undefined, configured('policy', error));
      continue;
    }
    if (form === undefined) continue;
    for (const binding of bindings) {
      const found = judgeBinding(policy, compiled, binding, form, request, parts);
      for (const denial of found) {
        const { validationActions } = binding.spec;
        if (validationActions.includes('Deny') || 'isConfiguration' in denial) {
          refused ??= denied(request, policy, binding, denial);
        } else if (validationActions.includes('Warn')) {
          warnings.push(
            `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${denial.message}`,
          );
        }
      }
    }
  }
  return refused === undefined ? { allowed: true, warnings } : { ...refused, warnings };
}

function judgeBinding(
  { spec }: Policy,
  compiled: CompiledPolicy,
  binding: Binding,
  form: KindDefinition,
  request: AdmissionRequest,
  parts: PolicyParts,
): readonly Denial[] {
  const { store, authorize } = parts;
  const { tenant, namespace } = request;
  try {
    const { matchResources } = binding.spec;
    if (matchResources !== undefined && formOf(matchResources, request, parts) === undefined) return [];
    const params = paramsOf(spec.paramKind, binding.spec.paramRef, namespace, parts);
    const isNamespace = request.resource.group === '' && request.resource.resource === 'namespaces';
    const namespaceObject =
      namespace === '' || isNamespace
        ? undefined
        : store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
    const bindings = requestBindings({
      request: inForm(request, form),
      form,
      namespaceObject,
      authorize: authorize(tenant),
    });
    return params.flatMap((param) =>
      compiled.judge({
        ...bindings,
        params: () => celValueOf((param as unknown as Json | undefined) ?? null, DYN_DECL),
      }),
    );
  } catch (error) {
    return spec.failurePolicy === 'Ignore' ? [] : [configured('binding', error)];
  }
}

/** The form in which the rules match the request; absent when they do not. */
function formOf(
  resources: MatchResources | undefined,
  request: AdmissionRequest,
  { store, registry }: PolicyParts,
): KindDefinition | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = resources ?? {};
  if (excludeResourceRules.length > 0 && formMatched(excludeResourceRules, matchPolicy, request, registry)) {
    return undefined;
  }
  const { group, version, resource } = request.resource;
  const form =
    resourceRules.length === 0
      ? registry.byResource(group, version, resource)
      : formMatched(resourceRules, matchPolicy, request, registry);
  if (form === undefined || !matchesObject(resources?.objectSelector, request)) return undefined;
  return matchesNamespace(resources?.namespaceSelector, request, store) ? form : undefined;
}

/** Not what the rules say but that they cannot be asked: refused whatever the binding's actions are. */
const configured = (what: 'policy' | 'binding', error: unknown): Denial & { readonly isConfiguration: true } => ({
  message: `failed to configure ${what}: ${(error as Error).message}`,
  reason: 'Invalid',
  isConfiguration: true,
});

const CODES: ReadonlyMap<StatusReason, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
]);

function denied(
  { resource, name }: AdmissionRequest,
  policy: Policy,
  binding: Binding | undefined,
  { message, reason }: Denial,
): Extract<AdmissionResponse, { readonly allowed: false }> {
  const by = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${message}`;
  const { message: whole, status } = forbiddenRequest(resource, name, text);
  const details = { ...status.details, causes: [{ message: text }] };
  return { allowed: false, error: new StatusError(CODES.get(reason) ?? 422, reason, whole, details) };
}
