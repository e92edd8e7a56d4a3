/** ReplicaSets, and ReplicationControllers, which are the same thing with a plainer selector. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import { selectorFromLabels } from '../../../kube/selector.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { ReplicaSet, ReplicaSetSpec } from '../../types/apps-v1.ts';
import type { PodTemplateSpec, ReplicationController, ReplicationControllerSpec } from '../../types/core-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings } from '../../rules/findings.ts';
import { forbidden } from '../../../kube/field-errors.ts';
import { nonNegative } from '../../rules/findings.ts';
import { IMMUTABLE, validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { templateWarnings } from '../pod/warnings.ts';
import type { Counts } from './replica-status.ts';
import { validateAvailable, validateCounts, validatePartsOf } from './replica-status.ts';
import {
  compiled,
  shownSelector,
  validateRunsForever,
  validateSelector,
  validateSelects,
  validateTemplate,
} from './template.ts';
import { createdOrChanged } from './told-once.ts';

/** Pods of a ReplicaSet, or of the Deployment above it. */
export function validateReplicaTemplate(
  found: Findings,
  spec: { readonly selector: ReplicaSetSpec['selector']; readonly template?: PodTemplateSpec },
  options: PodOptions,
): void {
  const selector = compiled(spec.selector);
  if (selector === undefined) {
    found.push(invalid('spec.selector', shownSelector(spec.selector), 'invalid label selector'));
    return;
  }
  validateSelects(found, selector, spec.template, 'spec.template');
  validateTemplate(found, spec.template, options, 'spec.template');
  validateRunsForever(found, spec.template, 'ReplicaSet', 'spec.template');
}

/** Warns of names that are no DNS label: pod names and host names are made from a workload's name. */
export function nameWarnings(name: string): readonly string[] {
  const texts = dns1123LabelProblems(name);
  if (texts.length === 0) return [];
  const text =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${text}: [${texts.join(' ')}]`];
}

function validateSpec(found: Findings, spec: ReplicaSetSpec, options: PodOptions): void {
  nonNegative(found, spec.replicas, 'spec.replicas');
  nonNegative(found, spec.minReadySeconds, 'spec.minReadySeconds');
  validateSelector(found, spec.selector, 'deployment', 'spec.selector');
  validateReplicaTemplate(found, spec, options);
}

type StatusKey =
  | 'replicas'
  | 'fullyLabeledReplicas'
  | 'readyReplicas'
  | 'availableReplicas'
  | 'observedGeneration'
  | 'terminatingReplicas';

function validateStatus(found: Findings, status: Counts<StatusKey>): void {
  validateCounts(found, status, [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ]);
  validatePartsOf(found, status, status.replicas, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']);
  validateAvailable(found, status.availableReplicas, status.readyReplicas);
}

const NEW_STATUS = Object.freeze({ replicas: 0 });

export const replicaSetStrategy: KindStrategy<ReplicaSet> = {
  defaults(set) {
    const spec: Partial<ReplicaSetSpec> = set.spec ?? {};
    const filled = withMember(spec, 'template', defaultTemplate(spec.template));
    return withMember(set, 'spec', withMember(filled, 'replicas', spec.replicas ?? 1) as ReplicaSetSpec);
  },
  prepareForCreate(set) {
    const template = dropDisabledInTemplate(set.spec.template ?? {}, undefined);
    return withMember(withMember(set, 'spec', withMember(set.spec, 'template', template)), 'status', NEW_STATUS);
  },
  prepareForUpdate(set, old, subresource) {
    if (subresource === 'status') return withMember(set, 'spec', old.spec);
    const template = dropDisabledInTemplate(set.spec.template ?? {}, old.spec.template);
    return withMember(withMember(set, 'spec', withMember(set.spec, 'template', template)), 'status', old.status);
  },
  validate(set) {
    const found = validateMeta(set.metadata);
    validateSpec(found, set.spec, CREATE_TEMPLATE);
    return found;
  },
  validateUpdate(set, old, subresource): readonly FieldError[] {
    const found = validateMetaUpdate(set.metadata, old.metadata);
    if (subresource === 'status') {
      validateStatus(found, set.status ?? {});
      return found;
    }
    validateSpec(found, set.spec, optionsFromOldTemplate(old.spec.template));
    if (!deepEqual(set.spec.selector, old.spec.selector)) {
      found.push(invalid('spec.selector', shownSelector(set.spec.selector), IMMUTABLE));
    }
    return found;
  },
  warnings: (set, old) =>
    createdOrChanged(set, old, nameWarnings, () => templateWarnings(set.spec.template, 'spec.template')),
  generationChanged: (set, old) => !deepEqual(set.spec, old.spec),
  allowUnconditionalUpdate: true,
};

function validateControllerSpec(found: Findings, spec: ReplicationControllerSpec, options: PodOptions): void {
  const { replicas, selector, template } = spec;
  nonNegative(found, spec.minReadySeconds, 'spec.minReadySeconds');
  const isEmpty = Object.keys(selector ?? {}).length === 0;
  if (isEmpty) found.push(required('spec.selector', ''));
  if (replicas === undefined) found.push(required('spec.replicas', ''));
  else nonNegative(found, replicas, 'spec.replicas');
  if (template === undefined) {
    found.push(required('spec.template', ''));
    return;
  }
  if (!isEmpty) validateSelects(found, selectorFromLabels(selector), template, 'spec.template');
  validateTemplate(found, template, options, 'spec.template');
  const restartPolicy = template.spec?.restartPolicy ?? '';
  if (restartPolicy !== 'Always') {
    found.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const text = 'activeDeadlineSeconds in ReplicationController is not Supported';
    found.push(forbidden('spec.template.spec.activeDeadlineSeconds', text));
  }
}

/** Selector and labels come from the template when they are not given. */
function defaultController(controller: ReplicationController): ReplicationController {
  const given: ReplicationControllerSpec = controller.spec ?? {};
  let spec = given.template === undefined ? given : withMember(given, 'template', defaultTemplate(given.template));
  spec = withMember(spec, 'replicas', given.replicas ?? 1);
  const labels = given.template?.metadata?.labels;
  let { metadata } = controller;
  if (labels !== undefined) {
    if (Object.keys(given.selector ?? {}).length === 0) spec = withMember(spec, 'selector', labels);
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata = withMember(metadata, 'labels', labels);
  }
  return withMember(withMember(controller, 'spec', spec), 'metadata', metadata);
}

function controllerWithClean(
  controller: ReplicationController,
  old: ReplicationController | undefined,
): ReplicationController {
  const { spec } = controller;
  if (spec?.template === undefined) return controller;
  const template = dropDisabledInTemplate(spec.template, old?.spec?.template);
  return withMember(controller, 'spec', withMember(spec, 'template', template));
}

export const replicationControllerStrategy: KindStrategy<ReplicationController> = {
  defaults: defaultController,
  prepareForCreate: (controller) => withMember(controllerWithClean(controller, undefined), 'status', NEW_STATUS),
  prepareForUpdate(controller, old, subresource) {
    if (subresource === 'status') return withMember(controller, 'spec', old.spec);
    return withMember(controllerWithClean(controller, old), 'status', old.status);
  },
  validate(controller) {
    const found = validateMeta(controller.metadata);
    validateControllerSpec(found, controller.spec ?? {}, CREATE_TEMPLATE);
    return found;
  },
  validateUpdate(controller, old, subresource) {
    const found = validateMetaUpdate(controller.metadata, old.metadata);
    if (subresource === 'status') validateStatus(found, controller.status ?? {});
    else validateControllerSpec(found, controller.spec ?? {}, optionsFromOldTemplate(old.spec?.template));
    return found;
  },
  warnings: (controller, old) =>
    createdOrChanged(controller, old, nameWarnings, () => templateWarnings(controller.spec?.template, 'spec.template')),
  generationChanged: (controller, old) => !deepEqual(controller.spec, old.spec),
  allowUnconditionalUpdate: true,
};
