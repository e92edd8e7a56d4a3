/** Which requests a webhook or a policy wants to see: by rule, by labels of the namespace, by labels of the object. */
import type { NamedRuleWithOperations } from '../../core/api/types/admissionregistration-v1.ts';
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import type { LabelSelector } from '../../core/kube/meta-v1.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { notFound } from '../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';

type Asked = Pick<AdmissionRequest, 'operation' | 'resource' | 'subresource' | 'namespace' | 'name'>;

const includes = (items: readonly string[] | undefined, wanted: string): boolean =>
  items !== undefined && (items.includes('*') || items.includes(wanted));

export function matchesRule(rule: NamedRuleWithOperations, request: Asked): boolean {
  const { resource, subresource, operation, name } = request;
  if (rule.resourceNames !== undefined && rule.resourceNames.length > 0 && !rule.resourceNames.includes(name)) {
    return false;
  }
  return (
    matchesScope(rule.scope, request) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((each) => matchesResource(each, resource.resource, subresource))
  );
}

function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [wanted, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === '*' || wanted === resource) && (sub === '*' || sub === subresource);
}

const isNamespaceItself = ({ resource }: Asked): boolean => resource.group === '' && resource.resource === 'namespaces';

function matchesScope(scope: string | undefined, request: Asked): boolean {
  if (scope === undefined || scope === '*') return true;
  const isClusterWide = isNamespaceItself(request) || request.namespace === '';
  return scope === 'Cluster' ? isClusterWide : scope === 'Namespaced' && !isClusterWide;
}

/** Throws a 404 when the namespace that would have to be looked at is not there. */
export function matchesNamespace(
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
  store: Store,
): boolean {
  if (request.namespace === '' && !isNamespaceItself(request)) return true;
  const compiled = compileLabelSelector(selector ?? {});
  if (compiled.requirements.length === 0) return true;
  return compiled.matches(namespaceLabels(request, store));
}

function namespaceLabels(request: AdmissionRequest, store: Store): Labels {
  const { object, operation, tenant, namespace, subresource } = request;
  // A namespace that is being written has the labels that are written.
  if (isNamespaceItself(request) && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) {
    return object?.metadata.labels ?? {};
  }
  const found = store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return found.metadata.labels ?? {};
}

type Labels = { readonly [key: string]: string };

/** One of the two states of the object is enough. */
export function matchesObject(
  selector: LabelSelector | undefined,
  { object, oldObject }: Pick<AdmissionRequest, 'object' | 'oldObject'>,
): boolean {
  const compiled = compileLabelSelector(selector ?? {});
  if (compiled.requirements.length === 0) return true;
  const matches = (candidate: KubeObject | undefined): boolean =>
    candidate !== undefined && compiled.matches(candidate.metadata?.labels ?? {});
  return matches(object) || matches(oldObject);
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Webhook and policy configurations are never subject to webhooks and policies: a broken one could not be repaired. */
export const isExempt = ({ resource }: Pick<AdmissionRequest, 'resource'>): boolean =>
  resource.group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(resource.resource);
