/** From a DaemonSet to what the engine needs to know of it. */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { PodSpec } from '../../core/api/types/core-v1.ts';
import type { DaemonSetDefinition } from '../../core/daemons/daemon-pod-rules.ts';
import { templateGeneration } from '../../core/daemons/daemon-pod.ts';
import { compileEligibility } from '../../core/daemons/eligibility.ts';
import { scaled } from '../../core/daemons/rollout-plan.ts';
import type { Stored } from '../../core/kube/objects.ts';

const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

export function definitionOf(set: Stored<DaemonSet>, hash: string): DaemonSetDefinition {
  const { updateStrategy, template, minReadySeconds = 0 } = set.spec;
  const isRolling = updateStrategy?.type !== 'OnDelete';
  return {
    key: set.metadata.uid,
    eligibility: compileEligibility(template.spec ?? EMPTY_SPEC),
    hash,
    templateGeneration: templateGeneration(set),
    minReadySeconds,
    surge: isRolling && scaled(updateStrategy?.rollingUpdate?.maxSurge, 1, 'up') > 0,
    ignoreDownNodes: false,
    maxRestarts: 0,
  };
}

/** Whether the engine need not hear of it again. */
export const isSameDefinition = (a: DaemonSetDefinition, b: DaemonSetDefinition): boolean =>
  a.eligibility === b.eligibility &&
  a.hash === b.hash &&
  a.templateGeneration === b.templateGeneration &&
  a.minReadySeconds === b.minReadySeconds &&
  a.surge === b.surge &&
  a.ignoreDownNodes === b.ignoreDownNodes &&
  a.maxRestarts === b.maxRestarts;
