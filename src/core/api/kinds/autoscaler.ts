/** HorizontalPodAutoscalers, in the form of autoscaling/v2; the older form is converted before it comes here. */
import { field, forbidden, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { dns1123LabelProblems, nameIsDnsSubdomain, pathSegmentNameProblems } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../types/autoscaling-v2.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { isPositive } from '../rules/amounts.ts';
import { addTexts, type Findings, listOf, nonNegative } from '../rules/findings.ts';
import { containerResourceName } from './pod/validate-resources.ts';
import { amountText, isNegative } from '../rules/quantities.ts';
import { simpleDefaults } from './simple-defaults.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const SOURCES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGETS = ['Utilization', 'Value', 'AverageValue'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICIES = ['Percent', 'Pods'];
const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

type VersionRule = (apiVersion: string) => string | undefined;

const anyVersion: VersionRule = () => undefined;
/** An apiVersion whose group may be absent, as it is for pods and services. */
const wellFormed: VersionRule = (apiVersion) =>
  apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
const withGroup: VersionRule = (apiVersion) => {
  const [group = '', version] = apiVersion.split('/');
  return (
    wellFormed(apiVersion) ?? (version === undefined || group === '' ? 'apiVersion must specify API group' : undefined)
  );
};

interface Options {
  readonly fewestReplicas: number;
  readonly targetVersion: VersionRule;
  readonly describedVersion: VersionRule;
}

/** Validation ratcheting: stored values that the update did not change stay allowed. */
function optionsFor(spec: HorizontalPodAutoscalerSpec, old?: HorizontalPodAutoscalerSpec): Options {
  const { apiVersion, kind } = spec.scaleTargetRef ?? {};
  const before = old?.scaleTargetRef;
  const sameTarget = before !== undefined && before.kind === kind && before.apiVersion === apiVersion;
  const oddMetrics = listOf(old?.metrics).some(
    ({ type, object }) =>
      type === 'Object' && object && wellFormed(object.describedObject.apiVersion ?? '') !== undefined,
  );
  return {
    fewestReplicas: old?.minReplicas === 0 ? 0 : 1,
    // ReplicationController is the only kind of the core group that can be scaled.
    targetVersion: sameTarget ? anyVersion : kind === 'ReplicationController' ? wellFormed : withGroup,
    describedVersion: oddMetrics ? anyVersion : wellFormed,
  };
}

function validateSpec(found: Findings, spec: Partial<HorizontalPodAutoscalerSpec>, options: Options): void {
  const { minReplicas, maxReplicas = 0, behavior } = spec;
  if (minReplicas !== undefined && minReplicas < options.fewestReplicas) {
    const text = `must be greater than or equal to ${options.fewestReplicas}`;
    found.push(invalid('spec.minReplicas', minReplicas, text));
  }
  if (maxReplicas === 0) found.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (maxReplicas < 0) found.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    found.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  validateReference(found, spec.scaleTargetRef, options.targetVersion, 'spec.scaleTargetRef');
  for (const [index, metric] of listOf(spec.metrics).entries()) {
    validateMetric(found, metric, options.describedVersion, field.index('spec.metrics', index));
  }
  if (minReplicas === 0 && !listOf(spec.metrics).some(({ type }) => type === 'Object' || type === 'External')) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    found.push(forbidden('spec.metrics', text));
  }
  if (behavior?.scaleUp) validateRules(found, behavior.scaleUp, 'spec.behavior.scaleUp');
  if (behavior?.scaleDown) validateRules(found, behavior.scaleDown, 'spec.behavior.scaleDown');
}

function validateReference(
  found: Findings,
  reference: Partial<CrossVersionObjectReference> | undefined,
  versionRule: VersionRule,
  path: string,
): void {
  const { kind = '', name = '', apiVersion = '' } = reference ?? {};
  validateSegment(found, kind, '', `${path}.kind`);
  validateSegment(found, name, '', `${path}.name`);
  const text = versionRule(apiVersion);
  if (text !== undefined) found.push(invalid(`${path}.apiVersion`, apiVersion, text));
}

function validateSegment(found: Findings, value: string, whyNeeded: string, path: string): void {
  if (value === '') found.push(required(path, whyNeeded));
  else addTexts(found, path, value, pathSegmentNameProblems(value));
}

/** In the order upstream looks at them: only the first that is there is judged. */
const FORMS = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type Form = (typeof FORMS)[number];

function validateMetric(found: Findings, metric: MetricSpec, versionRule: VersionRule, path: string): void {
  const { type = '' } = metric as Partial<MetricSpec>;
  if (type === '') found.push(required(`${path}.type`, 'must specify a metric source type'));
  const known = SOURCES.includes(type);
  if (!known) {
    const unsupported = notSupported(`${path}.type`, type, SOURCES);
    found.push(unsupported, unsupported);
  }
  const present = FORMS.filter((form) => metric[form] !== undefined);
  const [first] = present;
  if (first !== undefined) validateSource(found, metric, first, versionRule, field.child(path, first));
  const expected = known ? `${type.charAt(0).toLowerCase()}${type.slice(1)}` : '';
  if (known && metric[expected as Form] === undefined) {
    found.push(required(field.child(path, expected), 'must populate information for the given metric source'));
  }
  if (present.length === 1) return;
  for (const form of present) {
    if (form === expected) continue;
    found.push(forbidden(field.child(path, form), 'must populate the given metric source only'));
  }
}

function validateSource(found: Findings, metric: MetricSpec, form: Form, versionRule: VersionRule, path: string): void {
  const { object, external, pods, resource, containerResource } = metric;
  const target: Partial<MetricTarget> = metric[form]?.target ?? {};
  const { value, averageValue, averageUtilization } = target;
  const at = `${path}.target`;
  if (form === 'object') validateReference(found, object?.describedObject, versionRule, `${path}.describedObject`);
  const identifier = form === 'object' ? object?.metric : form === 'external' ? external?.metric : pods?.metric;
  if (form === 'resource') {
    if (!resource?.name) found.push(required(`${path}.name`, 'must specify a resource name'));
  } else if (form === 'containerResource') {
    validateContainerSource(found, containerResource ?? {}, path);
  } else validateIdentifier(found, identifier, `${path}.metric`);
  validateTarget(found, target, at);
  const hasValue = value !== undefined;
  const hasAverage = averageValue !== undefined;
  const hasUtilization = averageUtilization !== undefined;
  if (form === 'object' && !hasValue && !hasAverage) {
    found.push(required(`${at}.averageValue`, 'must set either a target value or averageValue'));
  }
  if (form === 'external' && !hasValue && !hasAverage) {
    found.push(required(`${at}.averageValue`, 'must set either a target value for metric or a per-pod target'));
  }
  if (form === 'external' && hasValue && hasAverage) {
    found.push(forbidden(`${at}.value`, 'may not set both a target value for metric and a per-pod target'));
  }
  if (form === 'pods' && !hasAverage) {
    found.push(required(`${at}.averageValue`, 'must specify a positive target averageValue'));
  }
  if (form !== 'resource' && form !== 'containerResource') return;
  if (!hasUtilization && !hasAverage) {
    found.push(required(`${at}.averageUtilization`, 'must set either a target raw value or a target utilization'));
  }
  if (hasUtilization && hasAverage) {
    found.push(forbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization'));
  }
}

function validateContainerSource(
  found: Findings,
  { name = '', container = '' }: { readonly name?: string; readonly container?: string },
  path: string,
): void {
  if (name === '') found.push(required(`${path}.name`, 'must specify a resource name'));
  else containerResourceName(found, name, `${path}.name`);
  if (container === '') found.push(required(`${path}.container`, 'must specify a container'));
  else addTexts(found, `${path}.container`, container, dns1123LabelProblems(container));
}

const validateIdentifier = (found: Findings, identifier: Partial<MetricIdentifier> | undefined, path: string): void =>
  validateSegment(found, identifier?.name ?? '', 'must specify a metric name', `${path}.name`);

function validateTarget(found: Findings, target: Partial<MetricTarget>, path: string): void {
  const { type = '', averageUtilization } = target;
  if (type === '') found.push(required(`${path}.type`, 'must specify a metric target type'));
  if (!TARGETS.includes(type)) {
    found.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const key of ['value', 'averageValue'] as const) {
    const amount = target[key];
    if (amount === undefined || isPositive(amount)) continue;
    found.push(invalid(field.child(path, key), amountText(amount), 'must be positive'));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    found.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
}

function validateRules(found: Findings, rules: HPAScalingRules, path: string): void {
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, tolerance } = rules;
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds < 0) found.push(invalid(at, seconds, 'must be greater than or equal to zero'));
  if (seconds > MAX_WINDOW_SECONDS) {
    found.push(invalid(at, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    found.push(notSupported(`${path}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  }
  const policies = listOf(rules.policies);
  if (policies.length === 0) found.push(required(`${path}.policies`, 'must specify at least one Policy'));
  for (const [index, { type, value, periodSeconds }] of policies.entries()) {
    const policy = field.index(`${path}.policies`, index);
    if (!POLICIES.includes(type)) found.push(notSupported(`${policy}.type`, type, POLICIES));
    if (value <= 0) found.push(invalid(`${policy}.value`, value, 'must be greater than zero'));
    const period = `${policy}.periodSeconds`;
    if (periodSeconds <= 0) found.push(invalid(period, periodSeconds, 'must be greater than zero'));
    if (periodSeconds > MAX_PERIOD_SECONDS) {
      found.push(invalid(period, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
    }
  }
  if (tolerance !== undefined && isNegative(tolerance)) {
    found.push(invalid(`${path}.tolerance`, amountText(tolerance), 'must be greater than or equal to 0'));
  }
}

export const autoscalerStrategy: KindStrategy<HorizontalPodAutoscaler> = {
  ...createGenericStrategy<HorizontalPodAutoscaler>({
    namespaced: true,
    hasStatus: true,
    hasGeneration: false,
    emptyStatus: () => ({ currentMetrics: [], desiredReplicas: 0 }),
  }),
  defaults: simpleDefaults('autoscaling/horizontalpodautoscalers'),
  validate(autoscaler) {
    const found = validateObjectMeta(autoscaler.metadata, RULES, 'metadata');
    validateSpec(found, autoscaler.spec ?? {}, optionsFor(autoscaler.spec ?? {}));
    return found;
  },
  validateUpdate(autoscaler, old, subresource) {
    const found = validateObjectMetaUpdate(autoscaler.metadata, old.metadata, 'metadata');
    if (subresource === 'status') {
      nonNegative(found, autoscaler.status?.currentReplicas, 'status.currentReplicas');
      nonNegative(found, autoscaler.status?.desiredReplicas, 'status.desiredReplicas');
    } else validateSpec(found, autoscaler.spec, optionsFor(autoscaler.spec, old.spec));
    return found;
  },
};
