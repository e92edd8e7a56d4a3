/** Deployments. */
import { forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy } from '../../types/apps-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings } from '../../rules/findings.ts';
import { nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { IMMUTABLE, validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { templateWarnings } from '../pod/warnings.ts';
import { amountOf, validateIntOrPercent, validateNotOver100 } from './int-or-percent.ts';
import { nameWarnings, validateReplicaTemplate } from './replica-set.ts';
import { validateAvailable, validateCounts, validateNotDecremented, validatePartsOf } from './replica-status.ts';
import { shownSelector, validateSelector } from './template.ts';
import { createdOrChanged } from './told-once.ts';

const ROLLING_UPDATE = 'RollingUpdate';
const QUARTER = '25%';

function defaultStrategy(strategy: DeploymentStrategy | undefined): DeploymentStrategy {
  const type = strategy?.type || ROLLING_UPDATE;
  if (type !== ROLLING_UPDATE) return strategy ?? {};
  const rolling = strategy?.rollingUpdate;
  if (strategy?.type && rolling?.maxUnavailable !== undefined && rolling.maxSurge !== undefined) return strategy;
  const maxUnavailable = rolling?.maxUnavailable ?? QUARTER;
  return { ...strategy, type, rollingUpdate: { ...rolling, maxUnavailable, maxSurge: rolling?.maxSurge ?? QUARTER } };
}

function validateStrategy(found: Findings, strategy: DeploymentStrategy, path: string): void {
  const { type, rollingUpdate } = strategy;
  const at = `${path}.rollingUpdate`;
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined) {
      found.push(forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
    }
    return;
  }
  if (type !== ROLLING_UPDATE) {
    found.push(notSupported(path, internalValue('apps.DeploymentStrategy', strategy), ['Recreate', ROLLING_UPDATE]));
    return;
  }
  if (rollingUpdate === undefined) {
    found.push(required(at, 'this should be defaulted and never be nil'));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  validateIntOrPercent(found, maxUnavailable, `${at}.maxUnavailable`);
  validateIntOrPercent(found, maxSurge, `${at}.maxSurge`);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    found.push(invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  validateNotOver100(found, maxUnavailable, `${at}.maxUnavailable`);
}

function validateSpec(found: Findings, spec: DeploymentSpec, options: PodOptions): void {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  nonNegative(found, spec.replicas, 'spec.replicas');
  validateSelector(found, spec.selector, 'deployment', 'spec.selector');
  validateReplicaTemplate(found, spec, options);
  validateStrategy(found, spec.strategy ?? {}, 'spec.strategy');
  nonNegative(found, minReadySeconds, 'spec.minReadySeconds');
  nonNegative(found, spec.revisionHistoryLimit, 'spec.revisionHistoryLimit');
  if (deadline === undefined) return;
  nonNegative(found, deadline, 'spec.progressDeadlineSeconds');
  if (deadline <= minReadySeconds) {
    found.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
}

function validateStatus(found: Findings, status: DeploymentStatus, old: DeploymentStatus | undefined): void {
  validateCounts(found, status, [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ]);
  validatePartsOf(found, status, status.replicas, ['updatedReplicas', 'readyReplicas', 'availableReplicas']);
  validateAvailable(found, status.availableReplicas, status.readyReplicas);
  validateNotDecremented(found, status.collisionCount, old?.collisionCount);
}

const NEW_STATUS: DeploymentStatus = Object.freeze({});

export const deploymentStrategy: KindStrategy<Deployment> = {
  defaults(deployment) {
    const spec: Partial<DeploymentSpec> = deployment.spec ?? {};
    let filled = withMember(spec, 'template', defaultTemplate(spec.template));
    filled = withMember(filled, 'replicas', spec.replicas ?? 1);
    filled = withMember(filled, 'strategy', defaultStrategy(spec.strategy));
    filled = withMember(filled, 'revisionHistoryLimit', spec.revisionHistoryLimit ?? 10);
    filled = withMember(filled, 'progressDeadlineSeconds', spec.progressDeadlineSeconds ?? 600);
    return withMember(deployment, 'spec', filled as DeploymentSpec);
  },
  prepareForCreate(deployment) {
    const template = dropDisabledInTemplate(deployment.spec.template, undefined);
    const spec = withMember(deployment.spec, 'template', template);
    return withMember(withMember(deployment, 'spec', spec), 'status', NEW_STATUS);
  },
  prepareForUpdate(deployment, old, subresource) {
    if (subresource === 'status') {
      const metadata = withMember(deployment.metadata, 'labels', old.metadata.labels);
      return withMember(withMember(deployment, 'spec', old.spec), 'metadata', metadata);
    }
    const template = dropDisabledInTemplate(deployment.spec.template, old.spec.template);
    const spec = withMember(deployment.spec, 'template', template);
    return withMember(withMember(deployment, 'spec', spec), 'status', old.status);
  },
  validate(deployment) {
    const found = validateMeta(deployment.metadata);
    validateSpec(found, deployment.spec, CREATE_TEMPLATE);
    return found;
  },
  validateUpdate(deployment, old, subresource) {
    const found = validateMetaUpdate(deployment.metadata, old.metadata);
    if (subresource === 'status') {
      validateStatus(found, deployment.status ?? {}, old.status);
      return found;
    }
    validateSpec(found, deployment.spec, optionsFromOldTemplate(old.spec.template));
    if (!deepEqual(deployment.spec.selector, old.spec.selector)) {
      found.push(invalid('spec.selector', shownSelector(deployment.spec.selector), IMMUTABLE));
    }
    return found;
  },
  warnings: (deployment, old) =>
    createdOrChanged(deployment, old, nameWarnings, () => templateWarnings(deployment.spec.template, 'spec.template')),
  /** Annotations count too: they are copied to the ReplicaSets. */
  generationChanged: (deployment, old) =>
    !deepEqual(deployment.spec, old.spec) ||
    !deepEqual(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
  allowUnconditionalUpdate: true,
};
