/** One StatefulSet brought a step further: missing pods in order, surplus ones in reverse, then old ones replaced. */
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../../../core/api/registry/resources.ts';
import type { StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../../../core/api/types/core-v1.ts';
import { isAvailable, readySince } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { withLabels } from '../../../../core/kube/labels.ts';
import type { OwnerReference } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import type { Lister } from '../../../../machinery/cache/object-store.ts';
import { claim } from '../../../../machinery/children/claims.ts';
import type { Children } from '../../../../machinery/children/child-index.ts';
import { slowStart, textOf } from '../../../../machinery/children/write-outcomes.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { PodOwner } from '../../../../machinery/children/owners.ts';
import type { PodControl } from '../../../../machinery/children/child-writer.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { writeStatus } from '../../../../machinery/children/write-status.ts';
import type { Tell } from '../../../../machinery/children/tell.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { arrange, firstOrdinal, isParallel, ordinalOf, podName, replicasOf } from './ordinals.ts';
import { claimOwners, isOwnedByFormer } from './retention.ts';
import { type createRevisions, type RevisionOwner, type Revisions, templateOf } from './revisions.ts';
import { claimsFor, hasIdentity, identityLabels, podFor, revisionOf } from './set-pods.ts';
import { countSet, saysSame } from './set-status.ts';

export interface SetOwner extends PodOwner<StatefulSet>, RevisionOwner {
  readonly claims: Overlay<PersistentVolumeClaim>;
}

export interface SetSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly control: PodControl<StatefulSet>;
  readonly pods: Children<Pod>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly revisions: ReturnType<typeof createRevisions>;
}

type SetPod = Stored<Pod>;
type Claim = Stored<PersistentVolumeClaim>;

const AT_ONCE = 250;
/** A claim that goes with its former pod: looked at again. */
const STALE_CLAIM_MS = 1000;

export function createSetSync(
  options: SetSyncOptions,
): (owner: SetOwner, signal: AbortSignal) => Promise<ReconcileResult> {
  const { client, clock, tell, control, revisions } = options;
  const named = (owner: SetOwner): Stored<StatefulSet> => withType(STATEFUL_SETS, owner.object) as Stored<StatefulSet>;

  function claimNamed(owner: SetOwner, name: string): Claim | undefined {
    const cached = options.claims.get(name, owner.object.metadata.namespace);
    return owner.claims.over(cached === undefined ? [] : [cached]).find(({ metadata }) => metadata.name === name);
  }

  async function ensureClaims(owner: SetOwner, ordinal: number): Promise<void> {
    const set = named(owner);
    const pod = podName(set, ordinal);
    for (const wanted of claimsFor(set, ordinal)) {
      const { name } = wanted.metadata;
      const present = claimNamed(owner, name);
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

  /** Lets claims go with whom they should. */
  async function keepOwners(owner: SetOwner, pod: SetPod, ordinal: number): Promise<void> {
    const set = owner.object;
    const first = firstOrdinal(set);
    const isScaledAway = ordinal < first || ordinal >= first + replicasOf(set);
    for (const { metadata } of claimsFor(set, ordinal)) {
      const present = claimNamed(owner, metadata.name);
      if (present === undefined) continue;
      const references = claimOwners(present.metadata.ownerReferences, set, pod, isScaledAway);
      if (references === present.metadata.ownerReferences) continue;
      owner.claims.wrote(await client.update(PERSISTENT_VOLUME_CLAIMS, withReferences(present, references ?? [])));
    }
  }

  const isClaimStale = (owner: SetOwner, ordinal: number): boolean =>
    owner.object.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete' &&
    claimsFor(owner.object, ordinal).some(({ metadata }) => {
      const present = claimNamed(owner, metadata.name);
      const pod = { metadata: { name: podName(owner.object, ordinal) } };
      return isOwnedByFormer(present?.metadata.ownerReferences, pod);
    });

  /** Pods below the partition are of the old template. */
  function revisionFor({ spec, status }: StatefulSet, known: Revisions, index: number): Revisions['update'] {
    const rolling = spec.updateStrategy?.rollingUpdate;
    const isRolling = spec.updateStrategy?.type !== 'OnDelete';
    const old = rolling === undefined ? (isRolling ? (status?.currentReplicas ?? 0) : 0) : (rolling.partition ?? 0);
    return index < old ? known.current : known.update;
  }

  const isReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && readySince(pod) !== undefined;
  const isUp = (owner: SetOwner, pod: Pod): boolean =>
    isReady(pod) && isAvailable(pod, owner.object.spec.minReadySeconds ?? 0, clock.now());
  const isUnavailable = (owner: SetOwner, pod: Pod): boolean => !isUp(owner, pod) || isBeingDeleted(pod);

  interface Turn {
    readonly owner: SetOwner;
    readonly known: Revisions;
    readonly isOrdered: boolean;
    readonly signal: AbortSignal;
    retryMs: number | undefined;
  }

  /** Sees to one wanted ordinal; true when those after it have to wait. */
  async function keep(turn: Turn, ordinal: number, pod: SetPod | undefined): Promise<boolean> {
    const { owner, isOrdered, known } = turn;
    const set = named(owner);
    if (pod === undefined) {
      if (isClaimStale(owner, ordinal)) {
        turn.retryMs = STALE_CLAIM_MS;
        return true;
      }
      const revision = revisionFor(set, known, ordinal - firstOrdinal(set));
      await ensureClaims(owner, ordinal);
      const made = podFor(set, templateOf(revision, set.spec.template), revision.metadata.name, ordinal);
      const created = await control.create(owner, made);
      if (created === 'taken')
        throw new Error(`object is being deleted or is not ours: pods "${made.metadata.name}" already exists`);
      if (created !== 'ending') await keepOwners(owner, created.pod, ordinal);
      return isOrdered;
    }
    if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') {
      if (!isBeingDeleted(pod)) await control.remove(owner, pod);
      return true;
    }
    if (pod.status?.phase === 'Pending' && !isBeingDeleted(pod)) await ensureClaims(owner, ordinal);
    if (isOrdered && isUnavailable(owner, pod)) return true;
    await keepOwners(owner, pod, ordinal);
    if (!hasIdentity(pod) && !isBeingDeleted(pod))
      owner.pods.wrote(await client.update(PODS, withLabels(pod, identityLabels(set, ordinal))));
    return false;
  }

  /** Takes a surplus pod away; true when those below it have to wait. */
  async function condemn(turn: Turn, pod: SetPod, firstUnavailable: SetPod | undefined): Promise<boolean> {
    const { owner, isOrdered } = turn;
    await keepOwners(owner, pod, ordinalOf(owner.object, pod.metadata.name) ?? 0);
    if (isBeingDeleted(pod)) return isOrdered;
    if (isOrdered && !isUp(owner, pod) && pod !== firstUnavailable) return true;
    await control.remove(owner, pod);
    return true;
  }

  async function forEach<T>(turn: Turn, items: readonly T[], work: (item: T) => Promise<boolean>): Promise<boolean> {
    if (!turn.isOrdered) {
      await slowStart(items, AT_ONCE, turn.signal, work);
      return false;
    }
    for (const item of items) {
      if (await work(item)) return true;
      turn.signal.throwIfAborted();
    }
    return false;
  }

  async function manage(turn: Turn, pods: readonly SetPod[]): Promise<void> {
    const { owner, known } = turn;
    const set = owner.object;
    if (isBeingDeleted(set)) return;
    const { wanted, condemned } = arrange(set, pods);
    const inOrder = [...wanted.map(({ pod }) => pod), ...condemned.toReversed()];
    const firstUnavailable = inOrder.find((pod) => pod !== undefined && isUnavailable(owner, pod));
    const hasGap = wanted.some(({ pod }) => pod === undefined);
    if (await forEach(turn, wanted, ({ ordinal, pod }) => keep(turn, ordinal, pod))) return;
    if (await forEach(turn, condemned, (pod) => condemn(turn, pod, hasGap ? undefined : firstUnavailable))) return;
    if (set.spec.updateStrategy?.type === 'OnDelete') return;
    const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (const { pod } of wanted.slice(partition).toReversed()) {
      if (pod === undefined) return;
      if (revisionOf(pod) !== known.update.metadata.name && !isBeingDeleted(pod)) {
        await control.remove(owner, pod);
        return;
      }
      if (isUnavailable(owner, pod)) return;
    }
  }

  const ownPods = (owner: SetOwner): readonly SetPod[] =>
    owner.pods
      .over(options.pods.of(owner.uid))
      .filter((pod) => isControlledBy(pod, owner.object) && ordinalOf(owner.object, pod.metadata.name) !== undefined);

  return async (owner, signal) => {
    await control.settle(owner);
    const known = await revisions.construct(owner);
    await claim({
      client,
      ownerResource: STATEFUL_SETS,
      owner: owner.object,
      resource: PODS,
      children: options.pods,
      overlay: owner.pods,
      selects: selectsWith(owner.object.spec.selector),
      counts: ({ metadata }) => ordinalOf(owner.object, metadata.name) !== undefined,
      adopt: owner.adopts,
    });
    owner.adopts = false;
    const turn: Turn = { owner, known, isOrdered: !isParallel(owner.object), signal, retryMs: undefined };
    let failure: { readonly error: unknown } | undefined;
    try {
      await manage(turn, ownPods(owner));
    } catch (error) {
      signal.throwIfAborted();
      failure = { error };
    }
    const now = clock.now();
    const pods = ownPods(owner);
    const collisions = owner.collisions ?? owner.object.status?.collisionCount ?? 0;
    const { current, update } = known;
    const counted = countSet(owner.object, pods, current.metadata.name, update.metadata.name, collisions, now);
    if (!saysSame(owner.object.status, counted.status))
      owner.object = await writeStatus(client, STATEFUL_SETS, owner.object, counted.status);
    if (failure !== undefined) throw failure.error;
    await revisions.cleanUp(owner, known, new Set(pods.map(revisionOf)));
    const due = counted.nextDue === undefined ? undefined : Math.max(1, counted.nextDue - now);
    const wait = Math.min(due ?? Infinity, turn.retryMs ?? Infinity);
    return wait === Infinity ? {} : { requeueAfterMs: wait };
  };
}

function withReferences(object: Claim, references: readonly OwnerReference[]): Claim {
  const { ownerReferences: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(references.length === 0 ? {} : { ownerReferences: references }) },
  };
}
