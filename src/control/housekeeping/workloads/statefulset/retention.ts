/**
 * Owner references of a claim, which decide with what it is deleted: the set, the pod that is scaled away, or neither.
 * Pure.
 */
import type { StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { OwnerReference } from '../../../../core/kube/meta-v1.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';

type References = readonly OwnerReference[];
type Named = { readonly metadata: { readonly name: string; readonly uid?: string } };

const isTo = (reference: OwnerReference, apiVersion: string, kind: string, { metadata }: Named): boolean =>
  reference.apiVersion === apiVersion && reference.kind === kind && reference.name === metadata.name;

const toSet = (reference: OwnerReference, set: Named): boolean => isTo(reference, 'apps/v1', 'StatefulSet', set);
const toPod = (reference: OwnerReference, pod: Named): boolean => isTo(reference, 'v1', 'Pod', pod);

/** Whether a former pod of that name still owns the claim, which is about to be deleted then. */
export const isOwnedByFormer = (references: References | undefined, pod: Named): boolean =>
  references?.some((each) => toPod(each, pod) && each.uid !== pod.metadata.uid) ?? false;

/** The owner references the claim should have; the same list when it has them. */
export function claimOwners(
  references: References | undefined,
  set: StatefulSet,
  pod: Pod,
  isScaledAway: boolean,
): References | undefined {
  const present = references ?? [];
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  // A claim that a former set or pod of the same name owns is left to the garbage collector.
  if (
    present.some(
      (each) =>
        (toSet(each, set) && each.uid !== set.metadata.uid) || (toPod(each, pod) && each.uid !== pod.metadata.uid),
    )
  )
    return references;
  const others = present.filter((each) => !toSet(each, set) && !toPod(each, pod));
  const isAnothers = others.some(({ controller }) => controller === true);
  const withPod = whenScaled === 'Delete' && isScaledAway && !isAnothers;
  const withSet = whenDeleted === 'Delete' && !withPod && !isAnothers;
  const wanted = [
    ...others,
    ...(withPod ? [controllerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' })] : []),
    ...(withSet ? [controllerReference({ ...set, apiVersion: 'apps/v1', kind: 'StatefulSet' })] : []),
  ];
  return deepEqual(wanted, present) ? references : wanted;
}
