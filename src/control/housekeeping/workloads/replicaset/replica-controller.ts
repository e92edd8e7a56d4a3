/**
 * replicaset/ — a number of pods of one template: ReplicaSets, and the ReplicationControllers they came from.
 *
 * A reconcile counts the active pods that the object controls, as the cache and the answers to own writes show them, creates
 * missing pods or deletes surplus ones (`pod-rank.ts` says which), and reports (`replica-status.ts`).
 */
import { PODS } from '../../../../core/api/registry/resources.ts';
import type { Pod, PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { ObjectMeta } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerOf, isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isTerminal } from '../../../../core/placement/pod-record.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { claimChildren, createClaims } from '../../../../machinery/children/claims.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren, indexPods } from '../../../../machinery/children/child-index.ts';
import { inBatches, slowStart } from '../../../../machinery/children/write-outcomes.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newPodOwner, type PodOwner } from '../../../../machinery/children/owners.ts';
import { createChildWriter } from '../../../../machinery/children/child-writer.ts';
import { createNames } from '../../../../machinery/children/child-names.ts';
import { EMPTY_SPEC, podOf, podPrefix, sharedMeta } from '../common/pod-template.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { writeStatus } from '../../../../machinery/children/write-status.ts';
import { createOwnerLoop, createTeller, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { isActive } from '../common/pod-state.ts';
import { podEvents } from '../common/tell.ts';
import { together } from '../../keeper.ts';
import { podsToDelete } from '../common/pod-rank.ts';
import type { ReplicaKind, ReplicaObject } from './replica-kind.ts';
import { countStatus, saysSame } from './replica-status.ts';

/** Pods created or deleted before the status is written and other objects are reconciled. */
const BURST = 500;
/** Writes under way at a time for one object. */
const AT_ONCE = 250;
/** Names given lately that are remembered, so that they are not given again. */
const REMEMBERED_NAMES = 1000;

interface ReplicaOwner<O extends ReplicaObject> extends PodOwner<O> {
  /** The metadata that pods of this template share; replaced with the template. */
  shared: { readonly template: PodTemplateSpec | undefined; readonly meta: Omit<ObjectMeta, 'name'> } | undefined;
  /** The names given last, oldest first; at most `REMEMBERED_NAMES`. */
  readonly given: Set<string>;
}

export function createReplicaController<O extends ReplicaObject>(
  kind: ReplicaKind<O>,
  options: WorkloadOptions,
): Actor {
  const { client, informers, clock } = options;
  const { resource } = kind;
  const objects = informers.for(resource);
  const pods = informers.for(PODS);
  const index = indexPods(pods);
  const siblings = indexChildren(objects);
  const { actors, tell } = createTeller(options, kind.component);
  const events = podEvents<O>(tell, (object) => withType(resource, object));
  const writer = createChildWriter({ client, resource: PODS, events });
  const owners = createOwners<O, ReplicaOwner<O>>((key, object) => ({
    ...newPodOwner(key, object, new Overlay<Pod>(pods)),
    shared: undefined,
    given: new Set(),
  }));
  const selects = (object: O) => selectsWith(kind.selectorOf(object));

  function sharedBy(owner: ReplicaOwner<O>): Omit<ObjectMeta, 'name'> {
    const { template } = owner.object.spec;
    if (owner.shared === undefined || owner.shared.template !== template) {
      const generateName = podPrefix(owner.object.metadata.name);
      const meta = sharedMeta(withType(resource, owner.object) as Stored<O>, template, { generateName });
      owner.shared = { template, meta };
    }
    return owner.shared.meta;
  }

  async function create(
    owner: ReplicaOwner<O>,
    count: number,
    all: readonly Stored<Pod>[],
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, namespace = '' } = owner.object.metadata;
    const shared = sharedBy(owner);
    const spec = owner.object.spec.template?.spec ?? EMPTY_SPEC;
    const isTaken = (name: string): boolean => owner.given.has(name) || pods.lister.get(name, namespace) !== undefined;
    const names = createNames(shared.generateName ?? '', [uid], all, isTaken);
    const make = async (): Promise<void> => {
      for (;;) {
        const name = names.next();
        const outcome = await writer.create(owner, podOf(name, shared, spec));
        remember(owner.given, name);
        if (outcome.type !== 'taken') return;
      }
    };
    await slowStart(Array.from({ length: count }), AT_ONCE, signal, make);
  }

  async function remove(
    owner: ReplicaOwner<O>,
    active: readonly Stored<Pod>[],
    count: number,
    signal: AbortSignal,
  ): Promise<void> {
    const doomed = podsToDelete(active, count < active.length ? related(owner.object) : [], count, clock.now());
    await inBatches(doomed, AT_ONCE, signal, (pod) => writer.remove(owner, pod));
  }

  /** Active pods of every ReplicaSet that has the same controller, this one's among them. */
  function related(object: Stored<O>): readonly Pod[] {
    const controller = controllerOf(object)?.uid;
    const found: Pod[] = [];
    for (const each of controller === undefined ? [object] : siblings.of(controller))
      for (const pod of index.of(each.metadata.uid)) if (isActive(pod)) found.push(pod);
    return found;
  }

  async function sync(owner: ReplicaOwner<O>, signal: AbortSignal): Promise<ReconcileResult> {
    await writer.settle(owner, signal);
    const { object } = owner;
    const own = await claimChildren({
      claims: createClaims(client, resource, object),
      resource: PODS,
      index,
      overlay: owner.children,
      selects: selects(object),
      counts: isActive,
      adopt: owner.adopts,
    });
    owner.adopts = false;
    const { active, terminating } = sortOut(own);
    const surplus = active.length - (object.spec.replicas ?? 1);
    const mayManage = !isBeingDeleted(object) && surplus !== 0;
    let failure: { readonly error: unknown } | undefined;
    if (mayManage) {
      try {
        if (surplus < 0) await create(owner, Math.min(-surplus, BURST), own, signal);
        else await remove(owner, active, Math.min(surplus, BURST), signal);
      } catch (error) {
        signal.throwIfAborted();
        failure = { error };
      }
    }
    const now = clock.now();
    // With the answers to the writes above: the status never counts fewer pods than there are.
    const isOwn = (pod: Stored<Pod>): boolean => isControlledBy(pod, object) && selects(object)(pod.metadata.labels);
    const after = mayManage ? sortOut(owner.children.over(index.of(owner.uid)).filter(isOwn)) : { active, terminating };
    const { status, nextDue } = countStatus({
      object,
      active: after.active,
      terminating: kind.countsTerminating ? after.terminating : undefined,
      failure,
      now,
    });
    if (!saysSame(object.status, status)) owner.object = await writeStatus(client, resource, object, () => status);
    if (failure !== undefined) throw failure.error;
    if (Math.abs(surplus) > BURST && mayManage) return { requeueAfterMs: 0 };
    return nextDue === undefined ? {} : { requeueAfterMs: Math.max(1, nextDue - now) };
  }

  const controller = createOwnerLoop(options, {
    name: kind.name,
    informer: objects,
    owners,
    children: ({ uid }) => index.of(uid).size,
    sync,
  });
  createFeed({ controller, clock, resource, informer: objects, owners, selects }).follow(pods, true);
  return together(`${kind.name}-controller`, [controller, ...actors]);
}

/** One pass: there may be thousands of pods. */
function sortOut(pods: readonly Stored<Pod>[]): {
  readonly active: readonly Stored<Pod>[];
  readonly terminating: number;
} {
  const active: Stored<Pod>[] = [];
  let terminating = 0;
  for (const pod of pods) {
    if (isActive(pod)) active.push(pod);
    else if (isBeingDeleted(pod) && !isTerminal(pod)) terminating += 1;
  }
  return { active, terminating };
}

function remember(names: Set<string>, name: string): void {
  names.add(name);
  if (names.size <= REMEMBERED_NAMES) return;
  const [oldest] = names;
  if (oldest !== undefined) names.delete(oldest);
}
