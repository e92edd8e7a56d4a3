/** StatefulSets. */
import { forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type {
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy as RetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '../../types/apps-v1.ts';
import type { PersistentVolumeClaim, PodTemplateSpec, Volume } from '../../types/core-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { defaultClaimSpec } from '../pod/defaults/default-volumes.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, isSet, listOf, nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { mapIfAny } from '../../rules/sharing.ts';
import { validateClaimSpec } from '../pod/validate-claim.ts';
import { claimWarnings, templateWarnings } from '../pod/warnings.ts';
import { amountOf, validateIntOrPercent, validateNotOver100 } from './int-or-percent.ts';
import { validateAvailable, validateCounts, validateNotDecremented, validatePartsOf } from './replica-status.ts';
import {
  compiled,
  shownSelector,
  validateRunsForever,
  validateSelector,
  validateSelects,
  validateTemplate,
  validateTemplateMeta,
} from './template.ts';
import { createdOrChanged, noNameWarnings } from './told-once.ts';

const ROLLING_UPDATE = 'RollingUpdate';

function defaultUpdateStrategy(strategy: StatefulSetUpdateStrategy | undefined): StatefulSetUpdateStrategy {
  if (!strategy?.type) {
    const rollingUpdate = { ...strategy?.rollingUpdate, partition: strategy?.rollingUpdate?.partition ?? 0 };
    return { ...strategy, type: ROLLING_UPDATE, rollingUpdate };
  }
  const { type, rollingUpdate } = strategy;
  if (type !== ROLLING_UPDATE || rollingUpdate === undefined || rollingUpdate.partition !== undefined) return strategy;
  return { ...strategy, rollingUpdate: { ...rollingUpdate, partition: 0 } };
}

function defaultRetention(policy: RetentionPolicy | undefined): RetentionPolicy {
  if (policy?.whenDeleted && policy.whenScaled) return policy;
  return { ...policy, whenDeleted: policy?.whenDeleted || 'Retain', whenScaled: policy?.whenScaled || 'Retain' };
}

/** Claims in a template are whole objects, with a phase of their own. */
function defaultClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  let filled = withMember(claim, 'spec', defaultClaimSpec(claim.spec ?? {}));
  filled = withMember(withMember(filled, 'apiVersion', 'v1'), 'kind', 'PersistentVolumeClaim');
  return filled.status?.phase ? filled : { ...filled, status: { ...filled.status, phase: 'Pending' } };
}

interface Leniency {
  readonly skipServiceName: boolean;
  readonly skipClaims: boolean;
  readonly skipTemplate: boolean;
}

const CREATE: Leniency = { skipServiceName: false, skipClaims: false, skipTemplate: false };

function validateSpec(found: Findings, spec: StatefulSetSpec, options: PodOptions, lenient: Leniency): void {
  const { podManagementPolicy: management, serviceName, template } = spec;
  if (!management) found.push(required('spec.podManagementPolicy', ''));
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    found.push(invalid('spec.podManagementPolicy', management, "must be 'OrderedReady' or 'Parallel'"));
  }
  validateUpdateStrategy(found, spec.updateStrategy ?? {});
  validateRetention(found, spec.persistentVolumeClaimRetentionPolicy);
  if (!lenient.skipClaims) {
    for (const [index, claim] of listOf(spec.volumeClaimTemplates).entries()) {
      validateClaimSpec(found, claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`);
    }
  }
  nonNegative(found, spec.replicas, 'spec.replicas');
  nonNegative(found, spec.minReadySeconds, 'spec.minReadySeconds');
  nonNegative(found, spec.ordinals?.start, 'spec.ordinals.start');
  if (serviceName && !lenient.skipServiceName) {
    addTexts(found, 'spec.serviceName', serviceName, dns1123LabelProblems(serviceName));
  }
  validateSelector(found, spec.selector, 'statefulset', 'spec.selector');
  const selector = compiled(spec.selector);
  if (selector === undefined) found.push(invalid('spec.selector', shownSelector(spec.selector), ''));
  else {
    const judged = asPodsGetIt(template, listOf(spec.volumeClaimTemplates));
    validateSelects(found, selector, judged, 'spec.template');
    if (!lenient.skipTemplate) validateTemplate(found, judged, options, 'spec.template');
    validateTemplateMeta(found, judged, options, 'spec.template');
  }
  validateRunsForever(found, template, 'StatefulSet', 'spec.template');
}

/** The template as the pods get it: the controller sets host names and adds a volume for each claim template. */
function asPodsGetIt(
  template: PodTemplateSpec | undefined,
  claims: readonly PersistentVolumeClaim[],
): PodTemplateSpec | undefined {
  const spec = template?.spec;
  if (spec === undefined || !(spec.subdomain || spec.hostname || claims.length > 0)) return template;
  let named = withMember(withMember(spec, 'subdomain', undefined), 'hostname', undefined);
  if (claims.length > 0) {
    const added = new Map<string, Volume>();
    for (const { metadata } of claims) {
      const name = metadata?.name ?? '';
      added.set(name, { name, persistentVolumeClaim: { claimName: name } });
    }
    const kept = listOf(spec.volumes).filter(({ name }) => !added.has(name));
    named = withMember(named, 'volumes', [...added.values(), ...kept]);
  }
  return withMember(template ?? {}, 'spec', named);
}

function validateUpdateStrategy(found: Findings, strategy: StatefulSetUpdateStrategy): void {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.updateStrategy';
  if (!type) found.push(required(path, ''));
  else if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return;
    const shown = internalValue('apps.RollingUpdateStatefulSetStrategy', rollingUpdate);
    found.push(invalid(`${path}.rollingUpdate`, shown, `only allowed for updateStrategy '${ROLLING_UPDATE}'`));
  } else if (type !== ROLLING_UPDATE) {
    const shown = internalValue('apps.StatefulSetUpdateStrategy', strategy);
    found.push(invalid(path, shown, `must be '${ROLLING_UPDATE}' or 'OnDelete'`));
  } else if (rollingUpdate !== undefined) {
    nonNegative(found, rollingUpdate.partition, `${path}.rollingUpdate.partition`);
    const { maxUnavailable } = rollingUpdate;
    if (maxUnavailable === undefined) return;
    const at = `${path}.rollingUpdate.maxUnavailable`;
    validateIntOrPercent(found, maxUnavailable, at);
    if (amountOf(maxUnavailable) === 0) found.push(invalid(at, maxUnavailable, 'cannot be 0'));
    validateNotOver100(found, maxUnavailable, at);
  }
}

const RETENTIONS = ['Retain', 'Delete'];

function validateRetention(found: Findings, policy: RetentionPolicy | undefined): void {
  if (policy === undefined) return;
  for (const key of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[key] ?? '';
    if (RETENTIONS.includes(value)) continue;
    found.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, value, RETENTIONS));
  }
}

const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const;

function validateChanges(found: Findings, spec: StatefulSetSpec, old: StatefulSetSpec): void {
  let rest = spec;
  for (const key of CHANGEABLE) rest = withMember(rest, key, old[key]);
  if (deepEqual(rest, old)) return;
  const text =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  found.push(forbidden('spec', text));
}

function validateStatus(found: Findings, status: Partial<StatefulSetStatus>, old: StatefulSetStatus | undefined): void {
  validateCounts(found, status, [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ]);
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  validatePartsOf(found, status, status.replicas, parts);
  validateAvailable(found, status.availableReplicas, status.readyReplicas, 'status.readyReplicas');
  validateNotDecremented(found, status.collisionCount, old?.collisionCount);
}

function withCleanSpec(set: StatefulSet, old: StatefulSet | undefined): StatefulSet {
  const template = dropDisabledInTemplate(set.spec.template ?? {}, old?.spec.template);
  let spec = withMember(set.spec, 'template', template);
  // `maxUnavailable` belongs to a feature that 1.36 has switched off.
  const rolling = spec.updateStrategy?.rollingUpdate;
  if (rolling?.maxUnavailable !== undefined && old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    const rollingUpdate = withMember(rolling, 'maxUnavailable', undefined);
    spec = withMember(spec, 'updateStrategy', { ...spec.updateStrategy, rollingUpdate });
  }
  return withMember(set, 'spec', spec);
}

const NEW_STATUS: StatefulSetStatus = Object.freeze({ replicas: 0, availableReplicas: 0 });

export const statefulSetStrategy: KindStrategy<StatefulSet> = {
  defaults(set) {
    const given: Partial<StatefulSetSpec> = set.spec ?? {};
    let spec = withMember(given, 'template', defaultTemplate(given.template));
    if (!given.podManagementPolicy) spec = withMember(spec, 'podManagementPolicy', 'OrderedReady');
    spec = withMember(spec, 'updateStrategy', defaultUpdateStrategy(given.updateStrategy));
    const retention = defaultRetention(given.persistentVolumeClaimRetentionPolicy);
    spec = withMember(spec, 'persistentVolumeClaimRetentionPolicy', retention);
    spec = withMember(spec, 'replicas', given.replicas ?? 1);
    spec = withMember(spec, 'revisionHistoryLimit', given.revisionHistoryLimit ?? 10);
    spec = withMember(spec, 'volumeClaimTemplates', mapIfAny(given.volumeClaimTemplates, defaultClaim));
    return withMember(set, 'spec', spec as StatefulSetSpec);
  },
  prepareForCreate: (set) => withMember(withCleanSpec(set, undefined), 'status', NEW_STATUS),
  prepareForUpdate(set, old, subresource) {
    if (subresource === 'status') return withMember(set, 'spec', old.spec);
    return withMember(withCleanSpec(set, old), 'status', old.status);
  },
  validate(set) {
    const found = validateMeta(set.metadata, 'label');
    validateSpec(found, set.spec, CREATE_TEMPLATE, CREATE);
    return found;
  },
  validateUpdate(set, old, subresource) {
    if (subresource === 'status') {
      const found: ReturnType<typeof validateMetaUpdate> = [];
      validateStatus(found, set.status ?? {}, old.status);
      addAll(found, validateMetaUpdate(set.metadata, old.metadata));
      return found;
    }
    const found = validateMetaUpdate(set.metadata, old.metadata);
    const options = optionsFromOldTemplate(old.spec.template);
    const lenient = { skipServiceName: true, skipClaims: true, skipTemplate: false };
    const before: ReturnType<typeof validateMetaUpdate> = [];
    validateSpec(before, old.spec, options, lenient);
    validateSpec(found, set.spec, options, { ...lenient, skipTemplate: isSet(before) });
    validateChanges(found, set.spec, old.spec);
    return found;
  },
  warnings(set, old) {
    const warnings = [
      ...createdOrChanged(set, old, noNameWarnings, () => templateWarnings(set.spec.template, 'spec.template')),
    ];
    for (const [index, { spec = {} }] of listOf(set.spec.volumeClaimTemplates).entries()) {
      warnings.push(...claimWarnings(spec, `spec.volumeClaimTemplates[${index}]`));
    }
    if ((set.spec.revisionHistoryLimit ?? 0) < 0) {
      const text = 'a negative value retains all historical revisions; a value >= 0 is recommended';
      warnings.push(`spec.revisionHistoryLimit: ${text}`);
    }
    return warnings;
  },
  generationChanged: (set, old) => !deepEqual(set.spec, old.spec),
  allowUnconditionalUpdate: true,
};
