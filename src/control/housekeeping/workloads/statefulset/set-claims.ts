/** The PersistentVolumeClaims of a StatefulSet: created with their pods, and owned as the retention policy says. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../../core/api/registry/resources.ts';
import type { PersistentVolumeClaim } from '../../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { OwnerReference } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import { textOf } from '../../../../machinery/children/write-outcomes.ts';
import { firstOrdinal, podName, replicasOf } from './ordinals.ts';
import { claimOwners, isOwnedByFormer } from './retention.ts';
import { claimsFor } from './set-pods.ts';
import { named, type SetPod, type SetRun } from './set-run.ts';

type Claim = Stored<PersistentVolumeClaim>;

function claimNamed({ owner, claims }: SetRun, name: string): Claim | undefined {
  return owner.claims.named(name, claims.get(name, owner.object.metadata.namespace));
}

/** Creates the claims that the pod of this ordinal mounts and that are missing. */
export async function ensureClaims(run: SetRun, ordinal: number): Promise<void> {
  const { owner, client, tell } = run;
  const set = named(owner);
  const pod = podName(set, ordinal);
  for (const wanted of claimsFor(set, ordinal)) {
    const { name } = wanted.metadata;
    const present = claimNamed(run, name);
    if (present !== undefined) {
      if (isBeingDeleted(present)) throw new Error(`pvc ${name} is being deleted`);
      continue;
    }
    const say = `Create Claim ${name}`;
    try {
      owner.claims.wrote(await client.create(PERSISTENT_VOLUME_CLAIMS, wanted));
      tell(set, 'Normal', 'SuccessfulCreate', `${say} Pod ${pod} in StatefulSet ${set.metadata.name} success`);
    } catch (error) {
      if (isStatus(error, 'AlreadyExists')) continue;
      const note = `${say} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${textOf(error)}`;
      tell(set, 'Warning', 'FailedCreate', note);
      throw error;
    }
  }
}

/** Writes the owner references that the retention policy asks for: a claim is deleted with its pod, its set or neither. */
export async function keepOwners(run: SetRun, pod: SetPod, ordinal: number): Promise<void> {
  const { owner, client } = run;
  const set = owner.object;
  const first = firstOrdinal(set);
  const isScaledAway = ordinal < first || ordinal >= first + replicasOf(set);
  for (const { metadata } of claimsFor(set, ordinal)) {
    const present = claimNamed(run, metadata.name);
    if (present === undefined) continue;
    const references = claimOwners(present.metadata.ownerReferences, set, pod, isScaledAway);
    if (references === present.metadata.ownerReferences) continue;
    owner.claims.wrote(await client.update(PERSISTENT_VOLUME_CLAIMS, withReferences(present, references ?? [])));
  }
}

/** Whether a claim of this ordinal is about to be deleted with a former pod. */
export function isClaimStale(run: SetRun, ordinal: number): boolean {
  const { object } = run.owner;
  if (object.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  const pod = { metadata: { name: podName(object, ordinal) } };
  return claimsFor(object, ordinal).some(({ metadata }) =>
    isOwnedByFormer(claimNamed(run, metadata.name)?.metadata.ownerReferences, pod),
  );
}

function withReferences(object: Claim, references: readonly OwnerReference[]): Claim {
  const { ownerReferences: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(references.length === 0 ? {} : { ownerReferences: references }) },
  };
}
