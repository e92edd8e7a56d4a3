/** Configurations of validating and mutating webhooks: which servers are asked before an object is admitted. */
import { duplicate, type FieldError, field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems, nameIsDnsSubdomain } from '../../../kube/names.ts';
import { serviceErrors, urlErrors } from '../../custom/crd/validate-conversion.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { contentChanged, createGenericStrategy } from '../../kind/generic-strategy.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../../types/admissionregistration-v1.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';
import { validateMatchConditions } from './expressions.ts';
import {
  FAILURE_POLICIES,
  MATCH_POLICIES,
  oneOf,
  REINVOCATION_POLICIES,
  validateRuleWithOperations,
} from './match-rules.ts';
import { staticNameWarnings } from './static-names.ts';

/** A validating webhook has the fields of a mutating one, except `reinvocationPolicy`. */
type Webhook = Partial<MutatingWebhook>;

interface Strictness {
  readonly conditions: boolean;
  readonly noSideEffects: boolean;
  readonly knownVersion: boolean;
  readonly uniqueNames: boolean;
  readonly labelValues: boolean;
}

const STRICT: Strictness = {
  conditions: true,
  noSideEffects: true,
  knownVersion: true,
  uniqueNames: true,
  labelValues: true,
};

const RULES = { namespaced: false, name: nameIsDnsSubdomain, anyFinalizer: true };
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

function validateConfiguration(configuration: Configuration, strict: Strictness): Findings {
  const found = validateObjectMeta(configuration.metadata, RULES, 'metadata');
  const names = new Set<string>();
  for (const [index, webhook] of webhooksOf(configuration).entries()) {
    const path = field.index('webhooks', index);
    validateWebhook(found, webhook, strict, path);
    validateReviewVersions(found, listOf(webhook.admissionReviewVersions), strict, `${path}.admissionReviewVersions`);
    const { name = '' } = webhook;
    if (!strict.uniqueNames || name === '') continue;
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  return found;
}

function validateWebhook(found: Findings, webhook: Webhook, strict: Strictness, path: string): void {
  const { name = '', sideEffects, timeoutSeconds } = webhook;
  const nameProblem = qualifiedDomainProblem(name, `${path}.name`);
  if (nameProblem) found.push(nameProblem);
  for (const [index, rule] of listOf(webhook.rules).entries()) {
    validateRuleWithOperations(found, rule, field.index(`${path}.rules`, index));
  }
  oneOf(found, webhook.failurePolicy, FAILURE_POLICIES, `${path}.failurePolicy`);
  oneOf(found, webhook.matchPolicy, MATCH_POLICIES, `${path}.matchPolicy`);
  oneOf(found, webhook.reinvocationPolicy, REINVOCATION_POLICIES, `${path}.reinvocationPolicy`);
  const classes = strict.noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS;
  if (sideEffects === undefined) {
    found.push(required(`${path}.sideEffects`, `must specify one of ${classes.join(', ')}`));
  } else if (!classes.includes(sideEffects)) found.push(notSupported(`${path}.sideEffects`, sideEffects, classes));
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    const text = 'the timeout value must be between 1 and 30 seconds';
    found.push(invalid(`${path}.timeoutSeconds`, timeoutSeconds, text));
  }
  const options = { allowInvalidValues: !strict.labelValues };
  addAll(found, validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`, options));
  addAll(found, validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`, options));
  validateClient(found, webhook.clientConfig ?? {}, `${path}.clientConfig`);
  if (strict.conditions) {
    validateMatchConditions(found, webhook.matchConditions, false, `${path}.matchConditions`);
  }
}

function qualifiedDomainProblem(name: string, path: string): FieldError | undefined {
  if (name === '') return required(path, '');
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return invalid(path, name, problems.join(','));
  if (name.split('.').length >= 3) return undefined;
  return invalid(path, name, 'should be a domain with at least three segments separated by dots');
}

function validateClient(found: Findings, { url, service }: WebhookClientConfig, path: string): void {
  if ((url === undefined) === (service === undefined)) {
    found.push(required(path, 'exactly one of url or service is required'));
  } else if (url !== undefined) addAll(found, urlErrors(url, `${path}.url`));
  else if (service !== undefined) addAll(found, serviceErrors(service, `${path}.service`));
}

function validateReviewVersions(
  found: Findings,
  versions: readonly string[],
  { knownVersion }: Strictness,
  path: string,
): void {
  if (versions.length === 0) found.push(required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`));
  else if (knownVersion && !speaksKnownVersion(versions)) {
    found.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
  for (const [index, version] of versions.entries()) {
    const at = field.index(path, index);
    if (versions.indexOf(version) < index) found.push(invalid(at, version, 'duplicate version'));
    else addTexts(found, at, version, dns1035LabelProblems(version));
  }
}

const speaksKnownVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

const webhooksOf = ({ webhooks }: Configuration): readonly Webhook[] => listOf<Webhook>(webhooks);

/** Validation ratcheting: rules that the stored configuration violates already are not applied to its update. */
function strictnessAfter(configuration: Configuration, old: Configuration): Strictness {
  const now = webhooksOf(configuration);
  const before = webhooksOf(old);
  const selectors = before.flatMap(({ namespaceSelector, objectSelector }) => [namespaceSelector, objectSelector]);
  return {
    conditions:
      now.length !== before.length ||
      before.some(({ matchConditions }, index) => !deepEqual(now[index]?.matchConditions, matchConditions)),
    noSideEffects: before.every(({ sideEffects = '' }) => NO_SIDE_EFFECTS.includes(sideEffects)),
    knownVersion: before.every(
      ({ admissionReviewVersions: versions = [] }) => versions.length === 0 || speaksKnownVersion(versions),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
    labelValues: selectors.every((selector) => validateLabelSelector(selector, '').length === 0),
  };
}

function webhookStrategy<T extends Configuration>(resource: string): KindStrategy<T> {
  return {
    ...createGenericStrategy<T>({ namespaced: false, hasStatus: false }),
    defaults: simpleDefaults(`admissionregistration.k8s.io/${resource}`),
    validate: (configuration) => validateConfiguration(configuration, STRICT),
    validateUpdate(configuration, old) {
      const found = validateConfiguration(configuration, strictnessAfter(configuration, old));
      addAll(found, validateObjectMetaUpdate(configuration.metadata, old.metadata, 'metadata', RULES));
      return found;
    },
    warnings: staticNameWarnings,
    generationChanged: contentChanged,
    allowUnconditionalUpdate: false,
  };
}

export const validatingWebhooksStrategy: KindStrategy<ValidatingWebhookConfiguration> = webhookStrategy(
  'validatingwebhookconfigurations',
);
export const mutatingWebhooksStrategy: KindStrategy<MutatingWebhookConfiguration> = webhookStrategy(
  'mutatingwebhookconfigurations',
);
