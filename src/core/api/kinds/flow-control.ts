/** Flow schemas and priority levels: whose requests wait behind whose. */
import { duplicate, field, forbidden, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type {
  FlowSchema,
  FlowSchemaSpec,
  LimitResponse,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule,
  Subject,
} from '../types/flowcontrol-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { addAll, addTexts, type Findings, has, listOf } from '../rules/findings.ts';
import { simpleDefaults } from './simple-defaults.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const MAX_PRECEDENCE = 10_000;

function validateSchemaSpec(found: Findings, name: string, spec: Partial<FlowSchemaSpec>): void {
  const { matchingPrecedence: precedence = 0, distinguisherMethod, priorityLevelConfiguration } = spec;
  const at = 'spec.matchingPrecedence';
  if (precedence <= 0) found.push(invalid(at, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) found.push(invalid(at, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== 'exempt') {
    found.push(invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  if (distinguisherMethod !== undefined && !DISTINGUISHERS.includes(distinguisherMethod.type)) {
    const shown = { Type: distinguisherMethod.type };
    found.push(notSupported('spec.distinguisherMethod.type', shown, DISTINGUISHERS));
  }
  const level = priorityLevelConfiguration?.name ?? '';
  const path = 'spec.priorityLevelConfiguration.name';
  if (level === '') found.push(required(path, 'must reference a priority level'));
  else addTexts(found, path, level, nameIsDnsSubdomain(level, false));
  for (const [index, rule] of listOf(spec.rules).entries()) validateRule(found, rule, field.index('spec.rules', index));
}

function validateRule(found: Findings, rule: PolicyRulesWithSubjects, path: string): void {
  const [subjects, resources, others] = [
    listOf(rule.subjects),
    listOf(rule.resourceRules),
    listOf(rule.nonResourceRules),
  ];
  if (subjects.length === 0) found.push(required(`${path}.subjects`, 'subjects must contain at least one value'));
  for (const [index, subject] of subjects.entries()) {
    validateSubject(found, subject, field.index(`${path}.subjects`, index));
  }
  if (resources.length === 0 && others.length === 0) {
    found.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [index, each] of resources.entries()) {
    validateResourceRule(found, each, field.index(`${path}.resourceRules`, index));
  }
  for (const [index, each] of others.entries()) {
    validateUrlRule(found, each, field.index(`${path}.nonResourceRules`, index));
  }
}

const SUBJECT_FIELDS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function validateSubject(found: Findings, subject: Subject, path: string): void {
  const { kind } = subject;
  if (!has(SUBJECT_FIELDS, kind)) {
    found.push(notSupported(`${path}.kind`, kind, SUBJECT_KINDS));
    return;
  }
  for (const [other, key] of Object.entries(SUBJECT_FIELDS)) {
    const value = subject[key];
    const at = field.child(path, key);
    if (other !== kind) {
      if (value !== undefined) found.push(forbidden(at, `${key} is forbidden when subject kind is not '${other}'`));
    } else if (value === undefined) found.push(required(at, `${key} is required when subject kind is '${kind}'`));
    else {
      if (value.name === '') found.push(required(`${at}.name`, ''));
      if (key === 'serviceAccount') validateAccount(found, subject.serviceAccount, at);
    }
  }
}

function validateAccount(found: Findings, account: Subject['serviceAccount'], path: string): void {
  const { name = '', namespace = '' } = account ?? {};
  if (name !== '' && name !== '*') addTexts(found, `${path}.name`, name, nameIsDnsSubdomain(name, false));
  if (namespace === '') found.push(required(`${path}.namespace`, 'must specify namespace for service account'));
  else addTexts(found, `${path}.namespace`, namespace, nameIsDnsLabel(namespace, false));
}

/** The list may not be empty, and a wildcard must be its only entry. True if the values are worth validating. */
function validateList(
  found: Findings,
  values: readonly string[],
  needed: string,
  others: string,
  path: string,
): boolean {
  if (values.length === 0) found.push(required(path, needed));
  if (values.length > 1 && values.includes('*')) {
    found.push(invalid(path, values, `if '*' is present, must not specify other ${others}`));
  }
  return values.length > 0 && !values.includes('*');
}

function validateVerbs(found: Findings, verbs: readonly string[], path: string): void {
  if (!validateList(found, verbs, 'verbs must contain at least one value', 'verbs', path)) return;
  if (!verbs.every((verb) => VERBS.includes(verb))) found.push(notSupported(path, verbs, VERBS));
}

function validateResourceRule(found: Findings, rule: ResourcePolicyRule, path: string): void {
  validateVerbs(found, listOf(rule.verbs), `${path}.verbs`);
  const needed = 'resource rules must supply at least one';
  validateList(found, listOf(rule.apiGroups), `${needed} api group`, 'api groups', `${path}.apiGroups`);
  validateList(found, listOf(rule.resources), `${needed} resource`, 'resources', `${path}.resources`);
  const namespaces = listOf(rule.namespaces);
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope === true) return;
  const text = 'resource rules that are not cluster scoped must supply at least one namespace';
  if (!validateList(found, namespaces, text, 'namespaces', at)) return;
  for (const [index, namespace] of namespaces.entries()) {
    for (const problem of nameIsDnsLabel(namespace, false)) {
      const why = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      found.push(invalid(field.index(at, index), namespace, why));
    }
  }
}

function validateUrlRule(found: Findings, rule: NonResourcePolicyRule, path: string): void {
  validateVerbs(found, listOf(rule.verbs), `${path}.verbs`);
  const urls = listOf(rule.nonResourceURLs);
  const at = `${path}.nonResourceURLs`;
  if (!validateList(found, urls, 'nonResourceURLs must contain at least one value', 'non-resource URLs', at)) return;
  for (const [index, url] of urls.entries()) {
    const problem = urlPathProblem(url);
    if (problem !== undefined) found.push(invalid(field.index(at, index), url, problem));
  }
}

function urlPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function validateConditions(found: Findings, conditions: readonly { readonly type?: string }[] | undefined): void {
  const seen = new Set<string>();
  for (const [index, { type = '' }] of listOf(conditions).entries()) {
    const path = `${field.index('status.conditions', index)}.type`;
    if (seen.has(type)) found.push(duplicate(path, type));
    seen.add(type);
    if (type === '') found.push(required(path, ''));
  }
}

export const flowSchemaStrategy: KindStrategy<FlowSchema> = {
  ...createGenericStrategy<FlowSchema>({ namespaced: false, hasStatus: true, emptyStatus: () => ({}) }),
  defaults: simpleDefaults('flowcontrol.apiserver.k8s.io/flowschemas'),
  validate({ metadata, spec }) {
    const found = validateObjectMeta(metadata, RULES, 'metadata');
    validateSchemaSpec(found, metadata.name ?? '', spec ?? {});
    return found;
  },
  validateUpdate({ metadata, spec, status }, old, subresource) {
    const found = validateObjectMetaUpdate(metadata, old.metadata, 'metadata');
    if (subresource !== 'status') validateSchemaSpec(found, metadata.name ?? '', spec ?? {});
    validateConditions(found, status?.conditions);
    return found;
  },
};

const LEVEL_TYPES = ['Exempt', 'Limited'];
const RESPONSE_TYPES = ['Queue', 'Reject'];
const MAX_QUEUES = 10_000_000;
const MAX_HASH_BITS = 60;

function validateLevelSpec(found: Findings, name: string, spec: Partial<PriorityLevelConfigurationSpec>): void {
  const { type = '', limited, exempt } = spec;
  if ((name === 'exempt') !== (type === 'Exempt')) {
    found.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (limited !== undefined) found.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    if (exempt !== undefined) validateShares(found, exempt, 'spec.exempt');
  } else if (type === 'Limited') {
    if (exempt !== undefined) found.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
    if (limited === undefined) found.push(required('spec.limited', 'must not be empty when type is Limited'));
    else {
      validateShares(found, limited, 'spec.limited');
      validateResponse(found, limited.limitResponse ?? {}, 'spec.limited.limitResponse');
      const limit = limited.borrowingLimitPercent;
      if (limit !== undefined && limit < 0) {
        const text = 'if specified, must be a non-negative integer';
        found.push(invalid('spec.limited.borrowingLimitPercent', limit, text));
      }
    }
  } else if (type === '') found.push(required('spec.type', ''));
  else found.push(notSupported('spec.type', type, LEVEL_TYPES));
}

function validateShares(
  found: Findings,
  { nominalConcurrencyShares: shares = 0, lendablePercent: percent = 0 }: Shares,
  path: string,
): void {
  if (shares < 0) found.push(invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'));
  if (percent < 0 || percent > 100) {
    found.push(invalid(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive'));
  }
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function validateResponse(found: Findings, { type = '', queuing }: Partial<LimitResponse>, path: string): void {
  const at = `${path}.queuing`;
  if (type === 'Reject') {
    if (queuing !== undefined) {
      found.push(forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'));
    }
  } else if (type === 'Queue') {
    if (queuing === undefined) {
      found.push(required(at, 'must not be empty if limited.limitResponse.type is Limited'));
    } else validateQueuing(found, queuing, at);
  } else if (type === '') found.push(required(`${path}.type`, ''));
  else found.push(notSupported(`${path}.type`, type, RESPONSE_TYPES));
}

function validateQueuing(found: Findings, queuing: Partial<QueuingConfiguration>, path: string): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  if (queueLengthLimit <= 0) found.push(invalid(`${path}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) found.push(invalid(`${path}.queues`, queues, 'must be positive'));
  else if (queues > MAX_QUEUES) {
    found.push(invalid(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const at = `${path}.handSize`;
  if (handSize <= 0) found.push(invalid(at, handSize, 'must be positive'));
  else if (handSize > queues) {
    found.push(invalid(at, handSize, `should not be greater than queues (${queues})`));
  } else if (entropyBits(queues, handSize) > MAX_HASH_BITS) {
    const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
    found.push(invalid(at, handSize, text));
  }
}

/** Bits of a hash needed to deal a hand of cards: log2 of the ways to draw them one by one. */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let i = 0; i < hand && bits <= 2 * MAX_HASH_BITS; i++) bits += Math.log2(deck - i);
  return Math.ceil(bits);
}

export const priorityLevelStrategy: KindStrategy<PriorityLevelConfiguration> = {
  ...createGenericStrategy<PriorityLevelConfiguration>({ namespaced: false, hasStatus: true, emptyStatus: () => ({}) }),
  defaults: simpleDefaults('flowcontrol.apiserver.k8s.io/prioritylevelconfigurations'),
  validate(level) {
    const found = validateObjectMeta(level.metadata, RULES, 'metadata');
    validateLevelSpec(found, level.metadata.name ?? '', level.spec ?? {});
    return found;
  },
  validateUpdate(level, old, subresource) {
    const found: Findings = [];
    if (subresource !== 'status') validateLevelSpec(found, level.metadata.name ?? '', level.spec ?? {});
    validateConditions(found, level.status?.conditions);
    addAll(found, validateObjectMetaUpdate(level.metadata, old.metadata, 'metadata'));
    return found;
  },
};
