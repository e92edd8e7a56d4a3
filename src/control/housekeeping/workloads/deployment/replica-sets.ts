/** The ReplicaSets of a Deployment: creates, annotates, resizes and deletes them. */
import { REPLICA_SETS } from '../../../../core/api/registry/resources.ts';
import { podTemplateHash } from '../../../../core/api/schema/template-hash.ts';
import type { ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { withAnnotations } from '../../../../core/kube/labels.ts';
import { isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { isNamespaceTerminating, textOf, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { deadlineOf, PROGRESSING } from './deployment-status.ts';
import { REASONS } from './names.ts';
import {
  annotationsFor,
  hasAnnotations,
  isOfTemplate,
  latestRevision,
  newReplicaSet,
  revisionOf,
  sizeAnnotations,
} from './revisions.ts';
import { named, noteRevision, progressing, type Rollout, type Set, writeStatus } from './rollout.ts';
import { newSize, type Resize, sizeOf } from './sizes.ts';

const DEFAULT_HISTORY_LIMIT = 10;

/** Annotates the new set, and then the Deployment, with the revision. */
export async function keepRevision(rollout: Rollout): Promise<void> {
  const { owner, client, newSet, old } = rollout;
  if (newSet === undefined) return;
  const annotations = annotationsFor(owner.object, newSet, latestRevision(old) + 1n);
  const { minReadySeconds = 0 } = owner.object.spec;
  if (!hasAnnotations(newSet, annotations) || (newSet.spec.minReadySeconds ?? 0) !== minReadySeconds) {
    const annotated = withAnnotations(newSet, annotations);
    const updated = await client.update(REPLICA_SETS, { ...annotated, spec: { ...newSet.spec, minReadySeconds } });
    owner.sets.wrote(updated);
    rollout.newSet = updated;
    return;
  }
  const noCondition = findCondition(owner.object.status?.conditions, PROGRESSING) === undefined;
  const isFound = noCondition && deadlineOf(owner.object) !== undefined;
  const message = `Found new replica set "${newSet.metadata.name}"`;
  await noteRevision(rollout, newSet, isFound ? progressing(rollout, 'True', REASONS.found, message) : undefined);
}

/** The ReplicaSet of the present template, created if there is none. */
export async function ensureNewSet(rollout: Rollout): Promise<Set> {
  rollout.newSet ??= await createSet(rollout);
  return rollout.newSet;
}

async function createSet(rollout: Rollout): Promise<Set> {
  const { owner, client, tell, old } = rollout;
  const deployment = named(rollout);
  const hash = podTemplateHash(deployment.spec.template, deployment.status?.collisionCount);
  const replicas = newSize(deployment, old, 0);
  const made = newReplicaSet(deployment, hash, replicas, latestRevision(old) + 1n);
  const { name } = made.metadata;
  let created: Set;
  try {
    created = await client.create(REPLICA_SETS, made);
  } catch (error) {
    if (isStatus(error, 'AlreadyExists')) return meet(rollout, made, error);
    if (!isNamespaceTerminating(error)) await reportFailure(rollout, name, error);
    throw error;
  }
  owner.sets.wrote(created);
  if (replicas > 0)
    tell(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
  const message = `Created new replica set "${name}"`;
  const hasDeadline = deadlineOf(deployment) !== undefined;
  await noteRevision(
    rollout,
    created,
    hasDeadline ? progressing(rollout, 'True', REASONS.created, message) : undefined,
  );
  return created;
}

async function reportFailure(rollout: Rollout, name: string, error: unknown): Promise<void> {
  const deployment = named(rollout);
  const message = `Failed to create new replica set "${name}": ${textOf(error)}`;
  if (deadlineOf(deployment) !== undefined)
    await writeStatus(rollout, progressing(rollout, 'False', REASONS.createFailed, message)).catch(() => undefined);
  rollout.tell(deployment, 'Warning', REASONS.createFailed, message);
}

/** A set of that name exists: an own one, made by an attempt whose answer was lost, or one of another template by chance. */
async function meet(rollout: Rollout, made: ReplicaSet, error: unknown): Promise<Set> {
  const { owner, client } = rollout;
  const present = await client.get(REPLICA_SETS, keyOf(made));
  if (isControlledBy(present, owner.object) && isOfTemplate(present, owner.object.spec.template)) {
    owner.sets.wrote(present);
    await noteRevision(rollout, present, undefined);
    return present;
  }
  const { status } = owner.object;
  await writeStatus(rollout, { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
  throw error;
}

/** Writes the size of a set, and for which size of the Deployment it was decided. False: the size is as it was. */
export async function resize(rollout: Rollout, { set, to }: Resize): Promise<boolean> {
  const { owner, client, tell } = rollout;
  const deployment = named(rollout);
  const from = sizeOf(set);
  const annotations = sizeAnnotations(deployment);
  if (from === to && hasAnnotations(set, annotations)) return false;
  const updated = await client.update(REPLICA_SETS, {
    ...withAnnotations(set, annotations),
    spec: { ...set.spec, replicas: to },
  });
  owner.sets.wrote(updated);
  if (rollout.newSet === set) rollout.newSet = updated;
  rollout.old = rollout.old.map((each) => (each === set ? updated : each));
  if (from === to) return false;
  const way = from < to ? 'up' : 'down';
  const note = `Scaled ${way} replica set ${set.metadata.name} from ${from} to ${to}`;
  tell(deployment, 'Normal', 'ScalingReplicaSet', note);
  return true;
}

export async function resizeAll(rollout: Rollout, resizes: readonly Resize[]): Promise<boolean> {
  let isChanged = false;
  for (const each of resizes) isChanged = (await resize(rollout, each)) || isChanged;
  return isChanged;
}

/** Deletes the oldest sets beyond the limit that have no pods. */
export async function trimSets({ owner, client, old }: Rollout): Promise<void> {
  const limit = owner.object.spec.revisionHistoryLimit ?? DEFAULT_HISTORY_LIMIT;
  const alive = old.filter((set) => !isBeingDeleted(set));
  const surplus = alive.length - limit;
  if (surplus <= 0) return;
  const oldest = alive.toSorted(
    (a, b) => Number(revisionOf(a) - revisionOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  for (const set of oldest.slice(0, surplus)) {
    const isSeen = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    if ((set.status?.replicas ?? 0) !== 0 || sizeOf(set) !== 0 || !isSeen) continue;
    await unlessGone(client.delete(REPLICA_SETS, keyOf(set), { preconditions: { uid: set.metadata.uid } }));
    owner.sets.gone(set);
  }
}
