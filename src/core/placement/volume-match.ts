/**
 * Which volume a claim gets: the one that is meant for it, else the smallest that will do. The scheduler asks with the
 * labels of a node, for claims that are bound when their pod has one; the keeper of volumes asks without.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../api/types/core-v1.ts';
import { compileLabelSelector } from '../kube/label-selector.ts';
import type { Labels } from './label-match.ts';
import { matchesNodeSelector } from './node-affinity.ts';
import type { Amount } from './amounts.ts';
import { amountOf } from './resource-amounts.ts';

/** Says on a volume, or a claim, that its other half was chosen for it and not asked for. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** Says on a claim that it and its volume have found each other. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Says on a claim for which node it is to be provisioned. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

export const sizeOf = (claim: PersistentVolumeClaim): Amount =>
  amountOf('storage', claim.spec.resources?.requests?.storage);

/** The volume names the claim; a UID, where there is one, must be the claim's too. */
export function isMeantFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef === undefined || claimRef.name !== metadata.name) return false;
  if ((claimRef.namespace ?? '') !== (metadata.namespace ?? '')) return false;
  return (claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid;
}

/** A volume knows nodes by their labels only; names in its terms are not judged. */
export function isReachable(volume: PersistentVolume, labels: Labels): boolean {
  const required = volume.spec.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, '', labels);
}

/** Size and make; what must be right also of a volume that is meant for the claim. */
function isOfItsMake(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return (
    volume.metadata.deletionTimestamp === undefined &&
    amountOf('storage', volume.spec.capacity?.storage) >= sizeOf(claim) &&
    (claim.spec.volumeMode ?? 'Filesystem') === (volume.spec.volumeMode ?? 'Filesystem') &&
    (claim.spec.volumeAttributesClassName ?? '') === (volume.spec.volumeAttributesClassName ?? '')
  );
}

export interface MatchOptions {
  /** The volume that names the claim, if there is one. */
  readonly meant: PersistentVolume | undefined;
  /** Volumes of the claim's class that no claim holds. */
  readonly free: Iterable<PersistentVolume>;
  /** The node it must be reachable from; absent where no node is chosen. */
  readonly labels?: Labels;
  /** Given to another claim of the same pod. */
  readonly taken?: ReadonlySet<string>;
}

export function findVolume(claim: PersistentVolumeClaim, options: MatchOptions): PersistentVolume | undefined {
  const { meant, labels, taken } = options;
  if (meant !== undefined && isOfItsMake(claim, meant)) {
    return labels === undefined || isReachable(meant, labels) ? meant : undefined;
  }
  const modes = claim.spec.accessModes ?? [];
  const selector = claim.spec.selector === undefined ? undefined : compileLabelSelector(claim.spec.selector);
  let best: PersistentVolume | undefined;
  let smallest: Amount = Infinity;
  for (const volume of options.free) {
    const size = amountOf('storage', volume.spec.capacity?.storage);
    if (size >= smallest || taken?.has(volume.metadata.name) === true || !isOfItsMake(claim, volume)) continue;
    if (!modes.every((mode) => volume.spec.accessModes?.includes(mode))) continue;
    if (selector !== undefined && !selector.matches(volume.metadata.labels ?? {})) continue;
    if (labels !== undefined && !isReachable(volume, labels)) continue;
    best = volume;
    smallest = size;
  }
  return best;
}

/** The volume as the claim's own; itself when it is that already. */
export function boundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { name, namespace = '', uid = '', resourceVersion } = claim.metadata;
  if (isMeantFor(volume, claim) && volume.spec.claimRef?.uid === uid) return volume;
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace,
    name,
    uid,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const metadata = isMeantFor(volume, claim)
    ? volume.metadata
    : { ...volume.metadata, annotations: { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } };
  return { ...volume, metadata, spec: { ...volume.spec, claimRef } };
}
