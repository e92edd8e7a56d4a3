/**
 * ValidatingAdmissionPolicy: rules of the cluster's owner, written as expressions, put into force by bindings. No call
 * leaves the process, so a decision is made at once.
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../core/api/types/admissionregistration-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { forbiddenRequest, StatusError, type StatusReason } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { isExempt } from '../match-rules.ts';
import {
  bindingsOf,
  type Bound as BoundTo,
  boundPolicies,
  formOf,
  type PolicyParts,
  withParams,
} from './bound-policies.ts';
import { compilePolicy, type CompiledPolicy, type Denial } from './compiled-policy.ts';
import { paramsOf } from './params.ts';

type Policy = Stored<ValidatingAdmissionPolicy>;
type Binding = Stored<ValidatingAdmissionPolicyBinding>;
type Bound = BoundTo<Policy, Binding, CompiledPolicy>;

const RESOURCES = { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' };
const ALLOWED: AdmissionResponse = { allowed: true };

export function createValidatingPolicies(parts: PolicyParts): AdmissionPlugin {
  const bound = boundPolicies<Policy, Binding, CompiledPolicy>(parts, RESOURCES, compilePolicy);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (request) => !isExempt(request),
    validate(request) {
      const all = bound();
      return all.length === 0 ? ALLOWED : judge(all, request, parts);
    },
  };
}

function judge(all: readonly Bound[], request: AdmissionRequest, parts: PolicyParts): AdmissionResponse {
  const warnings: string[] = [];
  // The first refusal counts; warnings of later policies are still returned.
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
  try {
    const { matchResources } = binding.spec;
    if (matchResources !== undefined && formOf(matchResources, request, parts) === undefined) return [];
    const params = paramsOf(spec.paramKind, binding.spec.paramRef, request.namespace, parts);
    const bindings = bindingsOf(request, form, parts);
    return params.flatMap((param) => compiled.judge(withParams(bindings, param)));
  } catch (error) {
    return spec.failurePolicy === 'Ignore' ? [] : [configured('binding', error)];
  }
}

/** A policy whose rules cannot be evaluated: the request is refused, whatever the binding's actions are. */
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
