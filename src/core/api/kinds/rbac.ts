/** Roles and bindings: who may do what. Whether the writer may grant it is the server's question. */
import { type FieldError, field, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { nameIsDnsSubdomain, pathSegmentNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '../types/rbac-v1.ts';
import { append } from '../rules/append.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { mapped } from '../rules/objects.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Names such as `system:node` are valid: any text that can be a segment of a URL path. */
const nameRule = (name: string): readonly string[] => pathSegmentNameProblems(name);

function validateRule(rule: PolicyRule, namespaced: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) errors.push(required(field.child(path, 'verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const at = field.child(path, 'nonResourceURLs');
    if (namespaced) errors.push(invalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalid(at, nonResourceURLs, why));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(field.child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(field.child(path, 'resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}

function validateRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean): readonly FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, namespaced, field.index('rules', index)));
}

function validateRole(role: Role): FieldError[] {
  const errors = validateObjectMeta(role.metadata, { namespaced: true, name: nameRule }, 'metadata');
  append(errors, validateRules(role.rules, true));
  return errors;
}

function validateClusterRole(role: ClusterRole, allowInvalidValues: boolean): FieldError[] {
  const errors = validateObjectMeta(role.metadata, { namespaced: false, name: nameRule }, 'metadata');
  append(errors, validateRules(role.rules, false));
  if (!role.aggregationRule) return errors;
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  for (const [index, selector] of selectors.entries()) {
    const at = field.index(path, index);
    append(errors, validateLabelSelector(selector, at, { allowInvalidValues }));
    if (validateLabelSelector(selector, at).length > 0) errors.push(invalid(at, null, 'invalid label selector.'));
  }
  return errors;
}

function validateSubject(subject: Subject, namespaced: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  if (name === '') errors.push(required(field.child(path, 'name'), ''));
  const groupPath = field.child(path, 'apiGroup');
  if (kind === 'ServiceAccount') {
    if (name !== '') {
      for (const text of nameIsDnsSubdomain(name, false)) errors.push(invalid(field.child(path, 'name'), name, text));
    }
    if (apiGroup !== '') errors.push(notSupported(groupPath, apiGroup, ['']));
    if (!namespaced && namespace === '') errors.push(required(field.child(path, 'namespace'), ''));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== GROUP) errors.push(notSupported(groupPath, apiGroup, [GROUP]));
  } else errors.push(notSupported(field.child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group']));
  return errors;
}

type Binding = RoleBinding | ClusterRoleBinding;

function validateBinding(binding: Binding, namespaced: boolean): FieldError[] {
  const errors = validateObjectMeta(binding.metadata, { namespaced, name: nameRule }, 'metadata');
  const { apiGroup = '', kind, name } = binding.roleRef ?? {};
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (apiGroup !== GROUP) errors.push(notSupported('roleRef.apiGroup', apiGroup, [GROUP]));
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') errors.push(required('roleRef.name', ''));
  else for (const text of nameRule(name)) errors.push(invalid('roleRef.name', name, text));
  for (const [index, subject] of (binding.subjects ?? []).entries()) {
    append(errors, validateSubject(subject, namespaced, field.index('subjects', index)));
  }
  return errors;
}

function validateBindingUpdate(binding: Binding, old: Binding, namespaced: boolean): FieldError[] {
  const errors = validateBinding(binding, namespaced);
  append(errors, validateObjectMetaUpdate(binding.metadata, old.metadata, 'metadata'));
  const { apiGroup = '', kind, name } = binding.roleRef ?? {};
  const before = old.roleRef ?? {};
  if (apiGroup !== (before.apiGroup ?? '') || kind !== (before.kind ?? '') || name !== (before.name ?? '')) {
    errors.push(invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'));
  }
  return errors;
}

const defaultSubject = (subject: Subject): Subject =>
  !subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group')
    ? { ...subject, apiGroup: GROUP }
    : subject;

function defaultBinding<T extends Binding>(binding: T): T {
  const named = binding.roleRef?.apiGroup ? binding : { ...binding, roleRef: { ...binding.roleRef, apiGroup: GROUP } };
  if (!named.subjects) return named;
  const subjects = mapped(named.subjects, defaultSubject);
  return subjects === named.subjects ? named : { ...named, subjects };
}

const generic = (namespaced: boolean) => ({ namespaced, hasStatus: false, hasGeneration: false, nameRule });

export const roleStrategy: KindStrategy<Role> = {
  ...createGenericStrategy<Role>(generic(true)),
  validate: validateRole,
  validateUpdate: (role, old) => [
    ...validateRole(role),
    ...validateObjectMetaUpdate(role.metadata, old.metadata, 'metadata'),
  ],
  allowCreateOnUpdate: true,
};

export const clusterRoleStrategy: KindStrategy<ClusterRole> = {
  ...createGenericStrategy<ClusterRole>(generic(false)),
  validate: (role) => validateClusterRole(role, false),
  validateUpdate(role, old) {
    const selectors = old.aggregationRule?.clusterRoleSelectors ?? [];
    const lenient = selectors.some((selector) => validateLabelSelector(selector, '').length > 0);
    return [
      ...validateClusterRole(role, lenient),
      ...validateObjectMetaUpdate(role.metadata, old.metadata, 'metadata'),
    ];
  },
  allowCreateOnUpdate: true,
};

function bindingStrategy<T extends Binding>(namespaced: boolean): KindStrategy<T> {
  return {
    ...createGenericStrategy<T>(generic(namespaced)),
    defaults: defaultBinding,
    validate: (binding) => validateBinding(binding, namespaced),
    validateUpdate: (binding, old) => validateBindingUpdate(binding, old, namespaced),
    allowCreateOnUpdate: true,
  };
}

export const roleBindingStrategy: KindStrategy<RoleBinding> = bindingStrategy(true);
export const clusterRoleBindingStrategy: KindStrategy<ClusterRoleBinding> = bindingStrategy(false);
