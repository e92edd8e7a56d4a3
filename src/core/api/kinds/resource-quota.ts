import { type FieldError, field, invalid, required } from '../../kube/field-errors.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../kind/generic-strategy.ts';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  ScopeSelector,
} from '../types/core-v1.ts';
import { withMember } from '../../kube/immutable.ts';
import { append } from '../rules/append.ts';
import { roundedList } from '../rules/amounts.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { isStandard } from '../rules/resource-names.ts';
import { type Amount, amountText, compareAmounts } from '../rules/quantities.ts';
import { validateResourceAmount } from '../rules/resource-amounts.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** Storage itself is not counted, only requests for it. */
const isQuotaResource = (name: string): boolean => name !== 'storage' && isStandard(name);

/** A standard resource of Kubernetes, or a name with a prefix that says whose resource it is. */
export function validateResourceName(name: string, path: string): readonly FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((text) => invalid(path, name, text));
  if (name.includes('/') || isStandard(name)) return [];
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

function validateQuotaResource(name: string, path: string): readonly FieldError[] {
  const errors = [...validateResourceName(name, path)];
  if (!name.includes('/') && !isQuotaResource(name)) {
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
  }
  return errors;
}

type Amounts = { readonly [name: string]: Amount };

function validateAmounts(amounts: Amounts | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const at = field.key(path, name);
    append(errors, validateQuotaResource(name, at));
    append(
      errors,
      validateResourceAmount(name, amount, () => at),
    );
  }
  return errors;
}

const SCOPES: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'VolumeAttributesClass',
  'CrossNamespacePodAffinity',
]);
const POD_COMPUTE: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIMS: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

/** Whether a quota with this scope may limit that resource. */
function scopeFits(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return CLAIMS.has(resource);
  return SCOPES.has(scope) ? POD_COMPUTE.has(resource) : true;
}

const conflicting = (scopes: ReadonlySet<string>): number =>
  Number(scopes.has('BestEffort') && scopes.has('NotBestEffort')) +
  Number(scopes.has('Terminating') && scopes.has('NotTerminating'));

function validateScopes(spec: ResourceQuotaSpec): readonly FieldError[] {
  const scopes = spec.scopes ?? [];
  const errors: FieldError[] = [];
  const complain = (text: string): void => void errors.push(invalid('spec.scopes', scopes, text));
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) complain('unsupported scope');
    for (const resource of Object.keys(spec.hard ?? {}).toSorted()) {
      if (isQuotaResource(resource) && !scopeFits(scope, resource)) complain('unsupported scope applied to resource');
    }
  }
  for (let pair = conflicting(new Set(scopes)); pair > 0; pair--) complain('conflicting scopes');
  return errors;
}

const EXISTS_ONLY =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateScopeRequirement(requirement: ScopedResourceSelectorRequirement, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { scopeName, operator, values = [] } = requirement;
  const operatorPath = field.child(path, 'operator');
  if (!SCOPES.has(scopeName)) errors.push(invalid(field.child(path, 'scopeName'), scopeName, 'unsupported scope'));
  const onlyExists = SCOPES.has(scopeName) && scopeName !== 'PriorityClass' && scopeName !== 'VolumeAttributesClass';
  if (onlyExists && operator !== 'Exists') errors.push(invalid(operatorPath, operator, EXISTS_ONLY));
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      errors.push(required(field.child(path, 'values'), why));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalid(field.child(path, 'values'), values, why));
    }
  } else errors.push(invalid(operatorPath, operator, 'not a valid selector operator'));
  return errors;
}

function validateScopeSelector(spec: ResourceQuotaSpec, selector: ScopeSelector): readonly FieldError[] {
  const path = 'spec.scopeSelector.matchExpressions';
  const errors: FieldError[] = [];
  const requirements = selector.matchExpressions ?? [];
  const resources = Object.keys(spec.hard ?? {}).filter(isQuotaResource);
  for (const requirement of requirements) {
    for (const resource of resources) {
      if (scopeFits(requirement.scopeName, resource)) continue;
      errors.push(invalid(path, printableSelector(requirements), 'unsupported scope applied to resource'));
    }
    append(errors, validateScopeRequirement(requirement, path));
  }
  // Upstream shows the list of scopes here, not the selector.
  const names = new Set(requirements.map(({ scopeName }) => scopeName));
  for (let pair = conflicting(names); pair > 0; pair--) {
    errors.push(invalid(path, spec.scopes ?? null, 'conflicting scopes'));
  }
  return errors;
}

const printableSelector = (requirements: readonly ScopedResourceSelectorRequirement[]): object => ({
  MatchExpressions: requirements.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  })),
});

function validateSpec(spec: ResourceQuotaSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  append(errors, validateAmounts(spec.hard, 'spec.hard'));
  append(errors, validateScopes(spec));
  if (spec.scopeSelector !== undefined) append(errors, validateScopeSelector(spec, spec.scopeSelector));
  return errors;
}

function warnings(quota: ResourceQuota): readonly string[] {
  const hard = quota.spec?.hard ?? {};
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const plain = name === 'cpu' || name === 'memory' ? name : undefined;
    const request = hard[`requests.${name}`] === undefined && plain !== undefined ? plain : `requests.${name}`;
    const [asked, limit] = [hard[request], hard[`limits.${name}`]];
    if (asked === undefined || limit === undefined || compareAmounts(asked, limit) <= 0) return [];
    return [
      `ResourceQuota ${request} (${amountText(asked)}) should be less than limits.${name} (${amountText(limit)})`,
    ];
  });
}

export const resourceQuotaStrategy: KindStrategy<ResourceQuota> = {
  ...createGenericStrategy<ResourceQuota>({
    namespaced: true,
    hasStatus: true,
    hasGeneration: false,
    emptyStatus: () => ({}),
  }),
  defaults(quota) {
    const { spec, status } = quota;
    const rounded =
      spec?.hard === undefined ? quota : withMember(quota, 'spec', withMember(spec, 'hard', roundedList(spec.hard)));
    if (status === undefined) return rounded;
    const counts = withMember(withMember(status, 'hard', roundedList(status.hard)), 'used', roundedList(status.used));
    return withMember(rounded, 'status', counts);
  },
  prepareForUpdate: (quota, old, subresource) => withFieldOf(quota, old, subresource === 'status' ? 'spec' : 'status'),
  validate(quota) {
    const errors = validateObjectMeta(quota.metadata, RULES, 'metadata');
    append(errors, validateSpec(quota.spec ?? {}));
    return errors;
  },
  validateUpdate(quota, old, subresource) {
    const errors = validateObjectMetaUpdate(quota.metadata, old.metadata, 'metadata');
    if (subresource === 'status') {
      if (!quota.metadata.resourceVersion) errors.push(required('resourceVersion', ''));
      append(errors, validateAmounts(quota.status?.hard, 'status.hard'));
      append(errors, validateAmounts(quota.status?.used, 'status.used'));
      return errors;
    }
    append(errors, validateSpec(quota.spec ?? {}));
    const scopes = new Set(quota.spec?.scopes);
    if (scopes.symmetricDifference(new Set(old.spec?.scopes)).size > 0) {
      errors.push(invalid('spec.scopes', quota.spec?.scopes ?? null, 'field is immutable'));
    }
    return errors;
  },
  warnings,
};
