/** From a DaemonSet to its definition for the engine. */
import { RESOURCES_ANNOTATION, ROLLOUT_ANNOTATIONS } from '../../core/api/names.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { PodSpec } from '../../core/api/types/core-v1.ts';
import type { DaemonSetDefinition } from '../../core/daemons/daemon-pod-rules.ts';
import { templateGeneration } from '../../core/daemons/daemon-pod.ts';
import { compileEligibility } from '../../core/daemons/eligibility.ts';
import { scaled } from '../../core/daemons/rollout-plan.ts';
import { labelOf } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { overrideFor } from './resource-overrides.ts';
import { rolloutOptions } from './rollout-options.ts';

const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

export interface SetDefinition extends DaemonSetDefinition {
  /** Equal for equal resource overrides. */
  readonly overrideKeys: string;
}

export function definitionOf(set: Stored<DaemonSet>, hash: string): SetDefinition {
  const { updateStrategy, template, minReadySeconds = 0 } = set.spec;
  const isRolling = updateStrategy?.type !== 'OnDelete';
  const { ignoreDownNodes, maxRestarts } = rolloutOptions(set);
  return {
    key: set.metadata.uid,
    eligibility: compileEligibility(template.spec ?? EMPTY_SPEC),
    hash,
    templateGeneration: templateGeneration(set),
    minReadySeconds,
    surge: isRolling && scaled(updateStrategy?.rollingUpdate?.maxSurge, 1, 'up') > 0,
    ignoreDownNodes,
    maxRestarts,
    ...variantsOf(set),
  };
}

type Variants = Pick<SetDefinition, 'overrideKeys' | 'variant' | 'variantOf' | 'readsLabels'>;

/** Pods with other resources than their node should have are out of date, also where no node has overrides any more. */
function variantsOf(set: Stored<DaemonSet>): Variants {
  const { overrides, problems } = rolloutOptions(set);
  // Nothing is replaced while an annotation cannot be read, so nothing need be found out of date.
  if (overrides.length === 0 && problems.length > 0) return { overrideKeys: 'unreadable' };
  // The template may carry the annotation itself, where a user made it from a pod.
  const plain = labelOf(set.spec.template.metadata?.annotations, RESOURCES_ANNOTATION) ?? '';
  const text = labelOf(set.metadata.annotations, ROLLOUT_ANNOTATIONS.resourceOverrides) ?? '';
  return {
    overrideKeys: `${plain} ${text}`,
    readsLabels: overrides.length > 0,
    variant: overrides.length === 0 ? () => plain : (node) => overrideFor(overrides, node)?.key ?? plain,
    variantOf: (pod) => labelOf(pod.metadata.annotations, RESOURCES_ANNOTATION) ?? '',
  };
}

/** Whether the engine needs no update. */
export const isSameDefinition = (a: SetDefinition, b: SetDefinition): boolean =>
  a.eligibility === b.eligibility &&
  a.hash === b.hash &&
  a.templateGeneration === b.templateGeneration &&
  a.minReadySeconds === b.minReadySeconds &&
  a.surge === b.surge &&
  a.ignoreDownNodes === b.ignoreDownNodes &&
  a.maxRestarts === b.maxRestarts &&
  a.overrideKeys === b.overrideKeys;
