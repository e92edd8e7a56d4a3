/** Annotations by which people steer the controller. */
import { COMPONENT_ANNOTATIONS } from '../../../core/api/names.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Adoption } from '../apply/plan.ts';
import type { ComponentObject } from './component-object.ts';

export const isPaused = ({ metadata }: ComponentObject): boolean =>
  labelOf(metadata.annotations, COMPONENT_ANNOTATIONS.paused) === 'true';

/** Values that the controller does not know count as absent: taking objects over must be asked for in plain words. */
export function adoptionOf({ metadata }: ComponentObject): Adoption {
  const value = labelOf(metadata.annotations, COMPONENT_ANNOTATIONS.adopt);
  return value === 'unowned' || value === 'any' ? value : 'never';
}
