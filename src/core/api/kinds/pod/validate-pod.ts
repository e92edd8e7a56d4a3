/** Pods on creation, and the parts of that which every update repeats. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { forbidden } from '../../../kube/field-errors.ts';
import type { Pod } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, isSet, listOf } from '../../rules/findings.ts';
import { validateMeta } from '../../rules/meta-rules.ts';
import type { PodOptions } from './options.ts';
import { CREATE_POD } from './options.ts';
import { validatePodAnnotations, validateProfilesMatch } from './validate-annotations.ts';
import { validatePodSpec } from './validate-spec.ts';

export function validatePod(pod: Pod): readonly FieldError[] {
  const found: FieldError[] = [];
  validateMetaAndSpec(found, pod, CREATE_POD);
  const { spec, metadata } = pod;
  if (isSet(spec.ephemeralContainers)) {
    found.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (spec.nodeName && isSet(spec.schedulingGates)) {
    found.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  validateProfilesMatch(found, metadata.annotations, spec, 'spec');
  return found;
}

export function validateMetaAndSpec(found: Findings, pod: Pod, options: PodOptions): void {
  const { metadata, spec } = pod;
  addAll(found, validateMeta(metadata));
  validatePodAnnotations(found, metadata.annotations, spec, options, 'metadata.annotations');
  validatePodSpec(found, spec, metadata, options, 'spec');
  if (!spec.serviceAccountName) validateNoTokens(found, pod);
}

/** Service account tokens need a service account. */
function validateNoTokens(found: Findings, { spec }: Pod): void {
  for (const [index, { projected }] of listOf(spec.volumes).entries()) {
    for (const [position, { serviceAccountToken }] of listOf(projected?.sources).entries()) {
      if (serviceAccountToken === undefined) continue;
      const at = `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`;
      found.push(forbidden(at, 'must not be specified when serviceAccountName is not set'));
    }
  }
}
