/** Reconciles one Deployment, in upstream's order: owners, pause, scale, roll out, clean up, status. */
import { DEPLOYMENTS, REPLICA_SETS } from '../../../../core/api/registry/resources.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { claimChildren, createClaims } from '../../../../machinery/children/claims.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { requeueAfter } from '../../../../machinery/children/turn.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import {
  countDeployment,
  isComplete,
  pausedConditions,
  rolloutStatus,
  saysSame,
  untilDeadline,
} from './deployment-status.ts';
import { ensureNewSet, keepRevision, resize, resizeAll, trimSets } from './replica-sets.ts';
import { findNewSet } from './revisions.ts';
import { type DeploymentOwner, type Rollout, type Set, setsOf, type SyncOptions, writeStatus } from './rollout.ts';
import { isRecreate, isScaled, newSize, rescale, shrinkOld, sizeOf } from './sizes.ts';

export const createSync =
  (options: SyncOptions) =>
  async (owner: DeploymentOwner): Promise<ReconcileResult> => {
    const found = await claimSets(options, owner);
    const newSet = findNewSet(owner.object, found);
    const rollout: Rollout = { ...options, owner, newSet, old: found.filter((set) => set !== newSet) };
    if (isBeingDeleted(owner.object)) return countOnly(rollout);
    const conditions = pausedConditions(owner.object, options.clock.now());
    if (conditions !== undefined && conditions !== owner.object.status?.conditions)
      await writeStatus(rollout, { ...owner.object.status, conditions });
    await keepRevision(rollout);
    if (owner.object.spec.paused === true || isScaled(owner.object, setsOf(rollout))) return scaleOnly(rollout);
    return isRecreate(owner.object) ? recreate(rollout) : rollOut(rollout);
  };

async function claimSets({ client, sets }: SyncOptions, owner: DeploymentOwner): Promise<readonly Set[]> {
  const found = await claimChildren({
    claims: createClaims(client, DEPLOYMENTS, owner.object),
    resource: REPLICA_SETS,
    index: sets,
    overlay: owner.sets,
    selects: selectsWith(owner.object.spec.selector),
    adopt: owner.adopts,
  });
  owner.adopts = false;
  return found;
}

/** Sizes alone: while paused, and after a change of the number of pods. */
async function scaleOnly(rollout: Rollout): Promise<ReconcileResult> {
  const { object } = rollout.owner;
  await resizeAll(rollout, rescale(object, rollout.newSet, rollout.old));
  if (object.spec.paused === true) await trimSets(rollout);
  return countOnly(rollout);
}

async function countOnly(rollout: Rollout): Promise<ReconcileResult> {
  const { object } = rollout.owner;
  const status = countDeployment(object, setsOf(rollout), rollout.newSet, rollout.clock.now());
  if (!saysSame(object.status, status)) await writeStatus(rollout, status);
  return {};
}

async function rollOut(rollout: Rollout): Promise<ReconcileResult> {
  const { owner } = rollout;
  const newSet = await ensureNewSet(rollout);
  const to = newSize(owner.object, setsOf(rollout), sizeOf(newSet));
  if (to !== sizeOf(newSet)) await resize(rollout, { set: newSet, to });
  else if (
    !(await resizeAll(rollout, shrinkOld(owner.object, newSet, rollout.old))) &&
    isComplete(owner.object, owner.object.status)
  )
    await trimSets(rollout);
  return report(rollout);
}

async function recreate(rollout: Rollout): Promise<ReconcileResult> {
  const { owner } = rollout;
  const doomed = rollout.old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
  if (await resizeAll(rollout, doomed)) return report(rollout);
  if (rollout.old.some((set) => hasPods(rollout, set))) return report(rollout);
  const newSet = await ensureNewSet(rollout);
  const to = owner.object.spec.replicas ?? 1;
  if (sizeOf(newSet) !== to) await resize(rollout, { set: newSet, to });
  if (isComplete(owner.object, owner.object.status)) await trimSets(rollout);
  return report(rollout);
}

/** Pods that are being deleted count: Recreate waits for the last of them. */
function hasPods({ pods }: Rollout, set: Set): boolean {
  if ((set.status?.replicas ?? 0) > 0) return true;
  for (const { status } of pods.of(set.metadata.uid))
    if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') return true;
  return false;
}

async function report(rollout: Rollout): Promise<ReconcileResult> {
  const { owner } = rollout;
  const now = rollout.clock.now();
  const status = rolloutStatus(owner.object, setsOf(rollout), rollout.newSet, now);
  if (!saysSame(owner.object.status, status)) await writeStatus(rollout, status);
  return requeueAfter(untilDeadline(owner.object, status, now));
}
