/** One Deployment brought a step further, in upstream's order: owners, pause, scale, roll out, clean up, status. */
import { DEPLOYMENTS, REPLICA_SETS } from '../../../../core/api/registry/resources.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { labelOf, withAnnotations } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { claim } from '../../../../machinery/children/claims.ts';
import type { Children } from '../../../../machinery/children/child-index.ts';
import { isNamespaceTerminating, textOf, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import type { Tell } from '../../../../machinery/children/tell.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import {
  countDeployment,
  deadlineOf,
  isComplete,
  pausedConditions,
  PROGRESSING,
  rolloutStatus,
  saysSame,
  untilDeadline,
  withCondition,
} from './deployment-status.ts';
import { REASONS, REVISION } from './names.ts';
import {
  annotationsFor,
  findNewSet,
  hasAnnotations,
  isOfTemplate,
  latestRevision,
  newReplicaSet,
  revisionOf,
  sizeAnnotations,
} from './revisions.ts';
import { isRecreate, isScaled, newSize, rescale, type Resize, shrinkOld, sizeOf } from './sizes.ts';
import { podTemplateHash } from '../../../../core/api/schema/template-hash.ts';

type Set = Stored<ReplicaSet>;

export interface DeploymentOwner extends Owner<Deployment> {
  readonly sets: Overlay<ReplicaSet>;
}

export interface SyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly sets: Children<ReplicaSet>;
  readonly pods: Children<Pod>;
}

/** The sets of a Deployment, sorted out. */
interface Sets {
  newSet: Set | undefined;
  old: Set[];
}

const DEFAULT_HISTORY = 10;

export function createSync(
  options: SyncOptions,
): (owner: DeploymentOwner, signal: AbortSignal) => Promise<ReconcileResult> {
  const { client, clock, tell } = options;

  const named = (owner: DeploymentOwner): Stored<Deployment> =>
    withType(DEPLOYMENTS, owner.object) as Stored<Deployment>;
  const allOf = ({ newSet, old }: Sets): readonly Set[] => (newSet === undefined ? old : [...old, newSet]);

  async function write(owner: DeploymentOwner, change: Partial<Deployment>): Promise<void> {
    owner.object = await client.update(DEPLOYMENTS, { ...owner.object, ...change }, { subresource: 'status' });
  }

  const writeStatus = (owner: DeploymentOwner, status: DeploymentStatus): Promise<void> => write(owner, { status });

  function progressing(owner: DeploymentOwner, status: string, reason: string, message: string): DeploymentStatus {
    const condition = { type: PROGRESSING, status, reason, message };
    const conditions = withCondition(owner.object.status?.conditions, condition, clock.now());
    return { ...owner.object.status, ...(conditions === undefined ? {} : { conditions }) };
  }

  /** Annotates the new set and the Deployment with the revision. */
  async function keepRevision(owner: DeploymentOwner, sets: Sets): Promise<void> {
    const { newSet, old } = sets;
    if (newSet === undefined) return;
    const annotations = annotationsFor(owner.object, newSet, latestRevision(old) + 1n);
    const { minReadySeconds = 0 } = owner.object.spec;
    if (!hasAnnotations(newSet, annotations) || (newSet.spec.minReadySeconds ?? 0) !== minReadySeconds) {
      const annotated = withAnnotations(newSet, annotations);
      const updated = await client.update(REPLICA_SETS, { ...annotated, spec: { ...newSet.spec, minReadySeconds } });
      owner.sets.wrote(updated);
      sets.newSet = updated;
      return;
    }
    const noCondition = findCondition(owner.object.status?.conditions, PROGRESSING) === undefined;
    const isFound = noCondition && deadlineOf(owner.object) !== undefined;
    const message = `Found new replica set "${newSet.metadata.name}"`;
    await noteRevision(owner, newSet, isFound ? progressing(owner, 'True', REASONS.found, message) : undefined);
  }

  async function noteRevision(owner: DeploymentOwner, set: Set, status: DeploymentStatus | undefined): Promise<void> {
    const revision = labelOf(set.metadata.annotations, REVISION) ?? '';
    const annotated = withAnnotations(owner.object, { [REVISION]: revision });
    const isNoted = labelOf(owner.object.metadata.annotations, REVISION) === revision;
    if (isNoted && status === undefined) return;
    await write(owner, { metadata: annotated.metadata, ...(status === undefined ? {} : { status }) });
  }

  async function createSet(owner: DeploymentOwner, old: readonly Set[]): Promise<Set> {
    const deployment = named(owner);
    const { template } = deployment.spec;
    const hash = podTemplateHash(template, deployment.status?.collisionCount);
    const replicas = newSize(deployment, old, 0);
    const made = newReplicaSet(deployment, hash, replicas, latestRevision(old) + 1n);
    const { name } = made.metadata;
    let created: Set;
    try {
      created = await client.create(REPLICA_SETS, made);
    } catch (error) {
      if (isStatus(error, 'AlreadyExists')) return meet(owner, made, error);
      if (isNamespaceTerminating(error)) throw error;
      const message = `Failed to create new replica set "${name}": ${textOf(error)}`;
      if (deadlineOf(deployment) !== undefined)
        await writeStatus(owner, progressing(owner, 'False', REASONS.createFailed, message)).catch(() => undefined);
      tell(deployment, 'Warning', REASONS.createFailed, message);
      throw error;
    }
    owner.sets.wrote(created);
    if (replicas > 0)
      tell(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
    const message = `Created new replica set "${name}"`;
    const status =
      deadlineOf(deployment) === undefined ? undefined : progressing(owner, 'True', REASONS.created, message);
    await noteRevision(owner, created, status);
    return created;
  }

  /** A set of that name is there: our own, made by an attempt whose answer was lost, or another template's by chance. */
  async function meet(owner: DeploymentOwner, made: ReplicaSet, error: unknown): Promise<Set> {
    const present = await client.get(REPLICA_SETS, keyOf(made));
    if (isControlledBy(present, owner.object) && isOfTemplate(present, owner.object.spec.template)) {
      owner.sets.wrote(present);
      await noteRevision(owner, present, undefined);
      return present;
    }
    await writeStatus(owner, {
      ...owner.object.status,
      collisionCount: (owner.object.status?.collisionCount ?? 0) + 1,
    });
    throw error;
  }

  async function resize(owner: DeploymentOwner, sets: Sets, { set, to }: Resize): Promise<boolean> {
    const deployment = named(owner);
    const from = sizeOf(set);
    const annotations = sizeAnnotations(deployment);
    if (from === to && hasAnnotations(set, annotations)) return false;
    const updated = await client.update(REPLICA_SETS, {
      ...withAnnotations(set, annotations),
      spec: { ...set.spec, replicas: to },
    });
    owner.sets.wrote(updated);
    if (sets.newSet === set) sets.newSet = updated;
    sets.old = sets.old.map((each) => (each === set ? updated : each));
    if (from === to) return false;
    const way = from < to ? 'up' : 'down';
    const note = `Scaled ${way} replica set ${set.metadata.name} from ${from} to ${to}`;
    tell(deployment, 'Normal', 'ScalingReplicaSet', note);
    return true;
  }

  async function resizeAll(owner: DeploymentOwner, sets: Sets, resizes: readonly Resize[]): Promise<boolean> {
    let isChanged = false;
    for (const each of resizes) isChanged = (await resize(owner, sets, each)) || isChanged;
    return isChanged;
  }

  /** Deletes the oldest sets beyond the limit that have no pods. */
  async function cleanUp(owner: DeploymentOwner, old: readonly Set[]): Promise<void> {
    const limit = owner.object.spec.revisionHistoryLimit ?? DEFAULT_HISTORY;
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

  async function report(owner: DeploymentOwner, sets: Sets): Promise<ReconcileResult> {
    const now = clock.now();
    const status = rolloutStatus(owner.object, allOf(sets), sets.newSet, now);
    if (!saysSame(owner.object.status, status)) await writeStatus(owner, status);
    const wait = untilDeadline(owner.object, status, now);
    return wait === undefined ? {} : { requeueAfterMs: wait };
  }

  /** Sizes alone: while paused, and after a change of the number of pods. */
  async function scaleOnly(owner: DeploymentOwner, sets: Sets): Promise<ReconcileResult> {
    await resizeAll(owner, sets, rescale(owner.object, sets.newSet, sets.old));
    if (owner.object.spec.paused === true) await cleanUp(owner, sets.old);
    return countOnly(owner, sets);
  }

  async function countOnly(owner: DeploymentOwner, sets: Sets): Promise<ReconcileResult> {
    const status = countDeployment(owner.object, allOf(sets), sets.newSet, clock.now());
    if (!saysSame(owner.object.status, status)) await writeStatus(owner, status);
    return {};
  }

  async function rollOut(owner: DeploymentOwner, sets: Sets): Promise<ReconcileResult> {
    sets.newSet ??= await createSet(owner, sets.old);
    const { newSet } = sets;
    const to = newSize(owner.object, allOf(sets), sizeOf(newSet));
    if (to !== sizeOf(newSet)) await resize(owner, sets, { set: newSet, to });
    else if (
      !(await resizeAll(owner, sets, shrinkOld(owner.object, newSet, sets.old))) &&
      isComplete(owner.object, owner.object.status)
    )
      await cleanUp(owner, sets.old);
    return report(owner, sets);
  }

  async function recreate(owner: DeploymentOwner, sets: Sets): Promise<ReconcileResult> {
    const doomed = sets.old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
    if (await resizeAll(owner, sets, doomed)) return report(owner, sets);
    if (sets.old.some(hasPods)) return report(owner, sets);
    sets.newSet ??= await createSet(owner, sets.old);
    const to = owner.object.spec.replicas ?? 1;
    if (sizeOf(sets.newSet) !== to) await resize(owner, sets, { set: sets.newSet, to });
    if (isComplete(owner.object, owner.object.status)) await cleanUp(owner, sets.old);
    return report(owner, sets);
  }

  /** Also pods on their way out: the new ones wait for the last of them. */
  function hasPods(set: Set): boolean {
    if ((set.status?.replicas ?? 0) > 0) return true;
    for (const { status } of options.pods.of(set.metadata.uid))
      if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') return true;
    return false;
  }

  return async (owner) => {
    const found = await claim({
      client,
      ownerResource: DEPLOYMENTS,
      owner: owner.object,
      resource: REPLICA_SETS,
      children: options.sets,
      overlay: owner.sets,
      selects: selectsWith(owner.object.spec.selector),
      adopt: owner.adopts,
    });
    owner.adopts = false;
    const newSet = findNewSet(owner.object, found);
    const sets: Sets = { newSet, old: found.filter((set) => set !== newSet) };
    if (isBeingDeleted(owner.object)) return countOnly(owner, sets);
    const conditions = pausedConditions(owner.object, clock.now());
    if (conditions !== undefined && conditions !== owner.object.status?.conditions)
      await writeStatus(owner, { ...owner.object.status, conditions });
    await keepRevision(owner, sets);
    if (owner.object.spec.paused === true || isScaled(owner.object, allOf(sets))) return scaleOnly(owner, sets);
    return isRecreate(owner.object) ? recreate(owner, sets) : rollOut(owner, sets);
  };
}
