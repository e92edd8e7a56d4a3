/** The annotation with a pod's deletion cost, which its ReplicaSet compares when scaling down. */
import type { StringMap } from '../../rules/findings.ts';
import { lookup, MAX_INT32 } from '../../rules/findings.ts';

export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const SHAPE = /^(?:0|[1-9][0-9]*|-[0-9]+)$/;

export function deletionCostIsFine(annotations: StringMap | undefined): boolean {
  const text = lookup(annotations, DELETION_COST);
  if (text === undefined) return true;
  return SHAPE.test(text) && Number(text) >= -MAX_INT32 - 1 && Number(text) <= MAX_INT32;
}
