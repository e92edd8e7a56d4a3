/** Reconciles one StatefulSet: missing pods in order, surplus ones in reverse, then old ones replaced. */
import { PODS, STATEFUL_SETS } from '../../../../core/api/registry/resources.ts';
import type { StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isAvailable, readySince } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { withLabels } from '../../../../core/kube/labels.ts';
import { isControlledBy } from '../../../../core/kube/owner-references.ts';
import { claimChildren, createClaims } from '../../../../machinery/children/claims.ts';
import { templateOf } from '../../../../machinery/children/revision-data.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { requeueAfter } from '../../../../machinery/children/turn.ts';
import { slowStart } from '../../../../machinery/children/write-outcomes.ts';
import { writeStatus } from '../../../../machinery/children/write-status.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { arrange, firstOrdinal, isParallel, ordinalOf } from './ordinals.ts';
import { constructRevisions, type Revisions, trimRevisions } from './revisions.ts';
import { ensureClaims, isClaimStale, keepOwners } from './set-claims.ts';
import { hasIdentity, identityLabels, podFor, revisionOf } from './set-pods.ts';
import { named, type SetOwner, type SetPod, type SetRun, type SetSyncOptions } from './set-run.ts';
import { countSet, saysSame } from './set-status.ts';

/** Writes under way at a time for one StatefulSet. */
const AT_ONCE = 250;
/** How long to wait for a claim that is deleted with its former pod. */
const STALE_CLAIM_MS = 1000;

export const createSetSync =
  (options: SetSyncOptions) =>
  async (owner: SetOwner, signal: AbortSignal): Promise<ReconcileResult> => {
    await options.writer.settle(owner, signal);
    const known = await constructRevisions(options.client, options.revisions, owner);
    await claimPods(options, owner);
    const isOrdered = !isParallel(owner.object);
    const run: SetRun = { ...options, owner, known, isOrdered, signal, retryMs: undefined };
    let failure: { readonly error: unknown } | undefined;
    try {
      await manage(run, ownPods(run));
    } catch (error) {
      signal.throwIfAborted();
      failure = { error };
    }
    const pods = ownPods(run);
    const dueMs = await report(run, pods);
    if (failure !== undefined) throw failure.error;
    await trimRevisions(options.client, owner, known, new Set(pods.map(revisionOf)));
    return requeueAfter(dueMs, run.retryMs);
  };

async function claimPods({ client, pods }: SetSyncOptions, owner: SetOwner): Promise<void> {
  await claimChildren({
    claims: createClaims(client, STATEFUL_SETS, owner.object),
    resource: PODS,
    index: pods,
    overlay: owner.children,
    selects: selectsWith(owner.object.spec.selector),
    counts: ({ metadata }) => ordinalOf(owner.object, metadata.name) !== undefined,
    adopt: owner.adopts,
  });
  owner.adopts = false;
}

const ownPods = ({ owner, pods }: SetRun): readonly SetPod[] =>
  owner.children
    .over(pods.of(owner.uid))
    .filter((pod) => isControlledBy(pod, owner.object) && ordinalOf(owner.object, pod.metadata.name) !== undefined);

/** Writes the status if it has changed. Returns when a pod becomes available without a further change. */
async function report(run: SetRun, pods: readonly SetPod[]): Promise<number | undefined> {
  const { owner, client, known } = run;
  const now = run.clock.now();
  const collisions = owner.collisions ?? owner.object.status?.collisionCount ?? 0;
  const { current, update } = known;
  const counted = countSet(owner.object, pods, current.metadata.name, update.metadata.name, collisions, now);
  if (!saysSame(owner.object.status, counted.status))
    owner.object = await writeStatus(client, STATEFUL_SETS, owner.object, () => counted.status);
  return counted.nextDue === undefined ? undefined : Math.max(1, counted.nextDue - now);
}

async function manage(run: SetRun, pods: readonly SetPod[]): Promise<void> {
  const set = run.owner.object;
  if (isBeingDeleted(set)) return;
  const { wanted, condemned } = arrange(set, pods);
  const inOrder = [...wanted.map(({ pod }) => pod), ...condemned.toReversed()];
  const firstUnavailable = inOrder.find((pod) => pod !== undefined && isUnavailable(run, pod));
  const hasGap = wanted.some(({ pod }) => pod === undefined);
  if (await forEach(run, wanted, ({ ordinal, pod }) => keep(run, ordinal, pod))) return;
  if (await forEach(run, condemned, (pod) => condemn(run, pod, hasGap ? undefined : firstUnavailable))) return;
  if (set.spec.updateStrategy?.type === 'OnDelete') return;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  await replaceOld(
    run,
    wanted.slice(partition).map(({ pod }) => pod),
  );
}

/** Runs `work` for each item: all at once, or with `OrderedReady` one after the other until one says to wait (true). */
async function forEach<T>(run: SetRun, items: readonly T[], work: (item: T) => Promise<boolean>): Promise<boolean> {
  if (!run.isOrdered) {
    await slowStart(items, AT_ONCE, run.signal, work);
    return false;
  }
  for (const item of items) {
    if (await work(item)) return true;
    run.signal.throwIfAborted();
  }
  return false;
}

/** Creates or repairs the pod of one wanted ordinal; true when the ordinals after it have to wait. */
async function keep(run: SetRun, ordinal: number, pod: SetPod | undefined): Promise<boolean> {
  const { owner, client, writer, isOrdered } = run;
  if (pod === undefined) return createPod(run, ordinal);
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') {
    if (!isBeingDeleted(pod)) await writer.remove(owner, pod);
    return true;
  }
  if (phase === 'Pending' && !isBeingDeleted(pod)) await ensureClaims(run, ordinal);
  if (isOrdered && isUnavailable(run, pod)) return true;
  await keepOwners(run, pod, ordinal);
  if (!hasIdentity(pod) && !isBeingDeleted(pod))
    owner.children.wrote(await client.update(PODS, withLabels(pod, identityLabels(named(owner), ordinal))));
  return false;
}

async function createPod(run: SetRun, ordinal: number): Promise<boolean> {
  const { owner, writer, known, isOrdered } = run;
  if (isClaimStale(run, ordinal)) {
    run.retryMs = STALE_CLAIM_MS;
    return true;
  }
  const set = named(owner);
  const revision = revisionFor(set, known, ordinal - firstOrdinal(set));
  await ensureClaims(run, ordinal);
  const made = podFor(set, templateOf(revision) ?? set.spec.template, revision.metadata.name, ordinal);
  const created = await writer.create(owner, made);
  if (created.type === 'taken')
    throw new Error(`object is being deleted or is not ours: pods "${made.metadata.name}" already exists`);
  if (created.type !== 'ending') await keepOwners(run, created.child, ordinal);
  return isOrdered;
}

/** Deletes a surplus pod; true when the pods below it have to wait. */
async function condemn(run: SetRun, pod: SetPod, firstUnavailable: SetPod | undefined): Promise<boolean> {
  const { owner, writer, isOrdered } = run;
  await keepOwners(run, pod, ordinalOf(owner.object, pod.metadata.name) ?? 0);
  if (isBeingDeleted(pod)) return isOrdered;
  if (isOrdered && !isUp(run, pod) && pod !== firstUnavailable) return true;
  await writer.remove(owner, pod);
  return true;
}

/** Deletes the highest pod of a former revision, unless one above it is not available yet. @param pods by ordinal. */
async function replaceOld(run: SetRun, pods: readonly (SetPod | undefined)[]): Promise<void> {
  const { owner, writer, known } = run;
  for (const pod of pods.toReversed()) {
    if (pod === undefined) return;
    if (revisionOf(pod) !== known.update.metadata.name && !isBeingDeleted(pod)) {
      await writer.remove(owner, pod);
      return;
    }
    if (isUnavailable(run, pod)) return;
  }
}

/** Pods below the partition are of the old template. */
function revisionFor({ spec, status }: StatefulSet, known: Revisions, index: number): Revisions['update'] {
  const rolling = spec.updateStrategy?.rollingUpdate;
  const isRolling = spec.updateStrategy?.type !== 'OnDelete';
  const old = rolling === undefined ? (isRolling ? (status?.currentReplicas ?? 0) : 0) : (rolling.partition ?? 0);
  return index < old ? known.current : known.update;
}

const isReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && readySince(pod) !== undefined;
const isUp = ({ owner, clock }: SetRun, pod: Pod): boolean =>
  isReady(pod) && isAvailable(pod, owner.object.spec.minReadySeconds ?? 0, clock.now());
const isUnavailable = (run: SetRun, pod: Pod): boolean => !isUp(run, pod) || isBeingDeleted(pod);
