/** Policies that have a binding, and the requests that they match. */
import { celValueOf, type CelBindings } from '../../../core/api/cel/cel.ts';
import { DYN_DECL } from '../../../core/api/cel/decl-types.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { MatchResources } from '../../../core/api/types/admissionregistration-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import { SYSTEM_TENANT, type Stored } from '../../../core/kube/objects.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import { createCommittedCache } from '../../cache/committed-cache.ts';
import { requestBindings } from '../expressions.ts';
import { matchesNamespace, matchesObject } from '../match-rules.ts';
import { formMatched, inForm, type WebhookParts } from '../webhooks/ask.ts';

export type PolicyParts = Pick<WebhookParts, 'store' | 'registry' | 'authorize'>;

export interface Bound<P, B, C> {
  readonly policy: P;
  readonly compiled: C;
  readonly bindings: readonly B[];
}

const GROUP = 'admissionregistration.k8s.io';

type AnyPolicy = Stored & { readonly spec: object };
type AnyBinding = Stored & { readonly spec: { readonly policyName?: string } };

/** Ordered by name; read again when a policy or binding changed. */
export function boundPolicies<P extends AnyPolicy, B extends AnyBinding, C>(
  { store }: Pick<PolicyParts, 'store'>,
  resources: { readonly policies: string; readonly bindings: string },
  compile: (policy: P) => C,
): () => readonly Bound<P, B, C>[] {
  const cacheOf = <T extends Stored>(resource: string) =>
    createCommittedCache<T>(store, { tenant: SYSTEM_TENANT, group: GROUP, resource });
  const policies = cacheOf<P>(resources.policies);
  const bindings = cacheOf<B>(resources.bindings);
  const compiled = new WeakMap<P['spec'], C>();
  let known: readonly Bound<P, B, C>[] = [];
  let seen = '';
  return () => {
    const version = `${policies.version}/${bindings.version}`;
    if (version === seen) return known;
    seen = version;
    const byName = (a: Stored, b: Stored): number => (a.metadata.name < b.metadata.name ? -1 : 1);
    const inForce = [...bindings.values()].toSorted(byName);
    known = [...policies.values()].toSorted(byName).flatMap((policy): readonly Bound<P, B, C>[] => {
      const own = inForce.filter(({ spec }) => spec.policyName === policy.metadata.name);
      if (own.length === 0) return [];
      let ready = compiled.get(policy.spec);
      if (ready === undefined) compiled.set(policy.spec, (ready = compile(policy)));
      return [{ policy, compiled: ready, bindings: own }];
    });
    return known;
  };
}

/** The form in which the rules match the request; absent when they do not. */
export function formOf(
  resources: MatchResources | undefined,
  request: AdmissionRequest,
  { store, registry }: Pick<PolicyParts, 'store' | 'registry'>,
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

/** The variables that expressions see of the request, in the form that was matched. */
export function bindingsOf(
  request: AdmissionRequest,
  form: KindDefinition,
  { store, authorize }: PolicyParts,
): CelBindings {
  const { tenant, namespace } = request;
  const isNamespace = request.resource.group === '' && request.resource.resource === 'namespaces';
  const namespaceObject =
    namespace === '' || isNamespace
      ? undefined
      : store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
  return requestBindings({ request: inForm(request, form), form, namespaceObject, authorize: authorize(tenant) });
}

export const withParams = (bindings: CelBindings, param: Stored | undefined): CelBindings => ({
  ...bindings,
  params: () => celValueOf((param as unknown as Json | undefined) ?? null, DYN_DECL),
});
