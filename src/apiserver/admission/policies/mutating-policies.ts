/**
 * MutatingAdmissionPolicy: changes that the cluster's owner wants made to what is written, as expressions, put into force by
 * bindings. When one has changed the object, the plugins before look at it again, and so do policies that want to
 * (`reinvocationPolicy: IfNeeded`); once.
 */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../core/api/types/admissionregistration-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { forbiddenRequest, internalError, serviceUnavailable, StatusError } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { createDecoder } from '../../handlers/steps/decode.ts';
import { createAdmissionChain } from '../chain.ts';
import { isExempt } from '../match-rules.ts';
import { toForm } from '../webhooks/ask.ts';
import {
  bindingsOf,
  type Bound as BoundTo,
  boundPolicies,
  formOf,
  type PolicyParts,
  withParams,
} from './bound-policies.ts';
import { compileMutations, type CompiledMutations } from './mutations.ts';
import { paramsOf } from './params.ts';

type Policy = Stored<MutatingAdmissionPolicy>;
type Binding = Stored<MutatingAdmissionPolicyBinding>;
type Bound = BoundTo<Policy, Binding, CompiledMutations>;

const RESOURCES = { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' };
const ALLOWED: AdmissionResponse = { allowed: true };

/** One policy by one binding with one parameter. */
interface Invocation {
  readonly id: string;
  readonly policy: Policy;
  readonly binding: Binding;
  readonly compiled: CompiledMutations;
  readonly form: KindDefinition;
  readonly param: Stored | undefined;
}

interface Problem {
  readonly message: string;
  /**
   * True for errors of expressions (reason Invalid); false where a policy could not be evaluated (reason Forbidden).
   */
  readonly isInvalid: boolean;
}

export interface MutatingPolicies {
  /** All policies, then the plugins `before`, then the policies with `reinvocationPolicy: IfNeeded` again. */
  readonly plugin: AdmissionPlugin;
  /** The policies with `reinvocationPolicy: IfNeeded` alone: for later plugins that change the object. */
  readonly again: AdmissionPlugin;
}

export function createMutatingPolicies(parts: PolicyParts, before: readonly AdmissionPlugin[]): MutatingPolicies {
  const bound = boundPolicies<Policy, Binding, CompiledMutations>(parts, RESOURCES, compileMutations);
  const earlier = createAdmissionChain(before);
  const decoder = createDecoder();

  function pass(all: readonly Invocation[], request: AdmissionRequest, problems: Map<Policy, Problem[]>): Passed {
    let current = request;
    const willing = new Set<string>();
    for (const invocation of all) {
      const { id, policy, binding } = invocation;
      const by = `policy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
      const fail = (message: string): void =>
        addTo(problems, policy, { message: `${by} denied request: ${message}`, isInvalid: true });
      const matched = invocation.compiled.meets(seenBy(invocation, current));
      if ('error' in matched) fail(matched.error);
      if ('error' in matched || !matched.matches) continue;
      current = mutate(invocation, current, fail);
      if (policy.spec.reinvocationPolicy === 'IfNeeded') willing.add(id);
    }
    return { request: current, willing };
  }

  const seenBy = ({ form, param }: Invocation, request: AdmissionRequest) =>
    withParams(bindingsOf(request, form, parts), param);

  /** One mutation after the other, each on what the one before has made; one that fails leaves the object as it was. */
  function mutate(invocation: Invocation, request: AdmissionRequest, fail: (message: string) => void) {
    const { compiled, form } = invocation;
    let current = request;
    for (const mutation of compiled.mutations) {
      if (current.object === undefined) return current;
      try {
        const seen = toForm(current.object, form);
        const object = whole(mutation(seenBy(invocation, current), seen, kindOf(seen)), form, request);
        if (!deepEqual(object, current.object)) current = { ...current, object };
      } catch (error) {
        if (error instanceof StatusError || !(error instanceof Error)) throw error;
        fail(error.message);
      }
    }
    return current;
  }

  /** A subresource may carry a kind of its own. */
  function kindOf({ apiVersion, kind }: KubeObject): KindDefinition {
    const slash = apiVersion.indexOf('/');
    const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
    const found = parts.registry.byKind(group, version, kind);
    if (found !== undefined) return found;
    throw serviceUnavailable(
      `Resource kind ${group}/${version}, Kind=${kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
    );
  }

  /** The object in the stored form and with defaults, as the following plugins expect it. */
  function whole(object: KubeObject, form: KindDefinition, { resource }: AdmissionRequest): KubeObject {
    const kind = parts.registry.byResource(resource.group, resource.version, resource.resource);
    const stored =
      form.conversion === undefined || object.kind !== form.kind ? object : form.conversion.toStorage(object);
    if (kind === undefined || stored.kind !== kind.kind) return stored;
    try {
      return decoder.decode(kind, stored, { fieldValidation: 'Strict' });
    } catch (error) {
      throw internalError(error);
    }
  }

  function admit(all: readonly Bound[], request: AdmissionRequest, isAgain: boolean) {
    const problems = new Map<Policy, Problem[]>();
    const warnings: string[] = [];
    const invocations = invocationsOf(all, request, parts, problems);
    const isWilling = ({ policy }: Invocation): boolean => policy.spec.reinvocationPolicy === 'IfNeeded';
    const first = pass(isAgain ? invocations.filter(isWilling) : invocations, request, problems);
    const answer = (last: AdmissionRequest): AdmissionResponse => {
      const error = refusal(request, problems);
      if (error !== undefined) return { allowed: false, error, warnings };
      return { allowed: true, ...(last.object === undefined ? {} : { object: last.object }), warnings };
    };
    const { resource } = request;
    const kind = parts.registry.byResource(resource.group, resource.version, resource.resource);
    if (isAgain || kind === undefined || first.request.object === request.object) return answer(first.request);
    const proceed = (object: KubeObject | undefined): AdmissionResponse => {
      const current = object === undefined ? first.request : { ...first.request, object };
      const chosen = invocations.filter(({ id }) => first.willing.has(id));
      return answer(chosen.length === 0 ? current : pass(chosen, current, problems).request);
    };
    const object = earlier.mutate(kind, first.request, (text) => void warnings.push(text));
    return object instanceof Promise ? object.then(proceed) : proceed(object);
  }

  const handles: AdmissionPlugin['handles'] = (request) => request.operation !== 'DELETE' && !isExempt(request);
  const pluginOf = (isAgain: boolean): AdmissionPlugin => ({
    name: 'MutatingAdmissionPolicy',
    handles,
    mutate(request) {
      const all = bound();
      return all.length === 0 || request.object === undefined ? ALLOWED : admit(all, request, isAgain);
    },
  });
  return { plugin: pluginOf(false), again: pluginOf(true) };
}

interface Passed {
  readonly request: AdmissionRequest;
  /** IDs of invocations that ran and are to run again when the object changes (`reinvocationPolicy: IfNeeded`). */
  readonly willing: ReadonlySet<string>;
}

const addTo = (problems: Map<Policy, Problem[]>, policy: Policy, problem: Problem): void => {
  problems.set(policy, [...(problems.get(policy) ?? []), problem]);
};

function invocationsOf(
  all: readonly Bound[],
  request: AdmissionRequest,
  parts: PolicyParts,
  problems: Map<Policy, Problem[]>,
): readonly Invocation[] {
  const found: Invocation[] = [];
  for (const { policy, compiled, bindings } of all) {
    const { name } = policy.metadata;
    const fail = (message: string): void => addTo(problems, policy, { message, isInvalid: false });
    let form: KindDefinition | undefined;
    try {
      form = formOf(policy.spec.matchConstraints, request, parts);
    } catch (error) {
      fail(`policy "${name}" denied request: failed to configure policy: ${(error as Error).message}`);
      continue;
    }
    if (form === undefined) continue;
    for (const binding of bindings) {
      try {
        const { matchResources, paramRef } = binding.spec;
        if (matchResources !== undefined && formOf(matchResources, request, parts) === undefined) continue;
        for (const param of paramsOf(policy.spec.paramKind, paramRef, request.namespace, parts)) {
          const id = JSON.stringify([name, binding.metadata.name, param?.metadata.namespace, param?.metadata.name]);
          found.push({ id, policy, binding, compiled, form, param });
        }
      } catch (error) {
        const by = `policy '${name}' with binding '${binding.metadata.name}'`;
        fail(`${by} denied request: failed to configure binding: ${(error as Error).message}`);
      }
    }
  }
  return found;
}

/** The first problem of a policy that fails closed, with all other problems of that sort as causes. */
function refusal(
  { resource, name }: AdmissionRequest,
  problems: ReadonlyMap<Policy, readonly Problem[]>,
): StatusError | undefined {
  const closing = Array.from(problems).flatMap(([{ spec }, own]) => (spec.failurePolicy === 'Ignore' ? [] : own));
  const [first] = closing;
  if (first === undefined) return undefined;
  const { status } = forbiddenRequest(resource, name, 'admission request denied by policy');
  const causes = closing.map(({ message }) => ({ message }));
  return new StatusError(403, first.isInvalid ? 'Invalid' : 'Forbidden', first.message, { ...status.details, causes });
}
