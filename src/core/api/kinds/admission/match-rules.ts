/** Which requests a webhook or policy is asked about: rules of operations, groups, versions and resources. */
import { duplicate, field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { pathSegmentNameProblems } from '../../../kube/names.ts';
import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../types/admissionregistration-v1.ts';
import { validateLabelSelector } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf } from '../../rules/findings.ts';

export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

export function oneOf(found: Findings, value: string | undefined, supported: readonly string[], path: string): void {
  if (value !== undefined && !supported.includes(value)) found.push(notSupported(path, value, supported));
}

export function validateRuleWithOperations(found: Findings, rule: RuleWithOperations, path: string): void {
  const at = `${path}.operations`;
  const operations = listOf(rule.operations);
  validateWildcard(found, operations, 'operations', at);
  for (const [index, operation] of operations.entries()) oneOf(found, operation, OPERATIONS, field.index(at, index));
  validateWildcard(found, listOf(rule.apiGroups), 'API groups', `${path}.apiGroups`);
  const versions = listOf(rule.apiVersions);
  validateWildcard(found, versions, 'API versions', `${path}.apiVersions`);
  for (const [index, version] of versions.entries()) {
    if (version === '') found.push(required(field.index(`${path}.apiVersions`, index), ''));
  }
  validateResources(found, listOf(rule.resources), `${path}.resources`);
  oneOf(found, rule.scope, SCOPES, `${path}.scope`);
}

/** The list may not be empty, and a wildcard must be its only entry. */
function validateWildcard(found: Findings, values: readonly string[], what: string, path: string): void {
  if (values.length === 0) found.push(required(path, ''));
  if (values.length > 1 && values.includes('*')) {
    found.push(invalid(path, values, `if '*' is present, must not specify other ${what}`));
  }
}

/** Resources and subresources: a wildcard for one half makes other lines with that half pointless. */
function validateResources(found: Findings, resources: readonly string[], path: string): void {
  if (resources.length === 0) found.push(required(path, ''));
  const allSubresourcesOf = new Set<string>();
  const ofAllResources = new Set<string>();
  let lastIsPlain = false;
  for (const [index, entry] of resources.entries()) {
    const at = field.index(path, index);
    if (entry === '') {
      found.push(required(at, ''));
      continue;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      // Upstream remembers only the last entry without a subresource.
      lastIsPlain = entry !== '*';
      continue;
    }
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
    if (allSubresourcesOf.has(resource)) {
      found.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`));
    }
    if (ofAllResources.has(subresource)) {
      found.push(invalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`));
    }
    if (subresource === '*') allSubresourcesOf.add(resource);
    if (resource === '*') ofAllResources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    found.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && lastIsPlain) {
    const text = "if '*' is present, must not specify other resources without subresources";
    found.push(invalid(path, resources, text));
  }
}

export function validateMatchResources(found: Findings, match: MatchResources, path: string): void {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) found.push(required(`${path}.matchPolicy`, ''));
  else oneOf(found, matchPolicy, MATCH_POLICIES, `${path}.matchPolicy`);
  for (const [name, selector] of Object.entries({ namespaceSelector, objectSelector })) {
    if (selector === undefined) found.push(required(field.child(path, name), ''));
    else addAll(found, validateLabelSelector(selector, field.child(path, name)));
  }
  for (const [index, rule] of listOf(match.resourceRules).entries()) {
    validateNamedRule(found, rule, field.index(`${path}.resourceRules`, index));
  }
  for (const [index, rule] of listOf(match.excludeResourceRules).entries()) {
    validateNamedRule(found, rule, field.index(`${path}.excludeResourceRules`, index));
  }
}

function validateNamedRule(found: Findings, rule: NamedRuleWithOperations, path: string): void {
  const seen = new Set<string>();
  for (const [index, name] of listOf(rule.resourceNames).entries()) {
    const at = field.index(`${path}.resourceNames`, index);
    addTexts(found, at, name, pathSegmentNameProblems(name));
    if (seen.has(name)) found.push(duplicate(at, name));
    seen.add(name);
  }
  validateRuleWithOperations(found, rule, path);
}

/** Mutating policies match no DELETE. The findings' path has no index of the rule, as upstream's. */
export function validateMutatingOperations(found: Findings, match: MatchResources | undefined, path: string): void {
  for (const rule of listOf(match?.resourceRules)) {
    for (const operation of listOf(rule.operations)) {
      oneOf(found, operation, MUTATING_OPERATIONS, `${path}.resourceRules.operations`);
    }
  }
}
