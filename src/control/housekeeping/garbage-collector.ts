/**
 * Deletes objects that have lost their owners. An object names its owners; when the last of them is gone it goes too.
 * An owner's finalizers say how its dependents are treated: `foregroundDeletion` (they go first) or `orphan` (they
 * stay, without the owner).
 *
 * The graph (owner-graph.ts) is fed by informers and says which objects to reconcile; a reconcile reads the newest
 * state known and writes under its resourceVersion, so a quicker writer wins and the reconcile is repeated.
 */
import { FOREGROUND_FINALIZER, hasFinalizer, isBeingDeleted, ORPHAN_FINALIZER } from '../../core/kube/finalizers.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { DeleteOptions } from '../../machinery/client/client.ts';
import { createController, NO_KEYS, type ReconcileResult } from '../../machinery/controller/controller.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import { createExponentialLimiter } from '../../machinery/controller/workqueue/rate-limiter.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { type ChangingKinds, createKindFollower } from './changing-kinds.ts';
import { forEachBounded } from './for-each-bounded.ts';
import {
  abandonsDependents,
  awaitsDependents,
  createOwnerGraph,
  ownersOf,
  type GraphNode,
  type OwnerGraph,
} from './owner-graph.ts';
import { createOwnerLookup, type OwnerState } from './owner-lookup.ts';

export interface GarbageCollectorOptions extends Surroundings {
  /** Kinds whose objects own or are owned. An owner of any other kind is never believed to be gone. */
  readonly resources: readonly Resource[];
  /** Kinds that come and go: custom resources. */
  readonly changing?: ChangingKinds;
  /** Objects reconciled at the same time. */
  readonly concurrency?: number;
}

const CONCURRENCY = 32;
/** Dependents that one owner lets go of at the same time. */
const ORPHANS_AT_ONCE = 32;
const LONGEST_BACKOFF_MS = 60_000;
/** Owners of kinds that are not served may be served some day. */
const UNKNOWN_AGAIN_MS = 300_000;

export function createGarbageCollector(options: GarbageCollectorOptions): Actor {
  const { client, informers, clock, random, resources } = options;
  const logger = options.logger ?? silentLogger;
  const controller = createController<string>({
    name: 'garbage-collector',
    reconcile: lookAt,
    clock,
    random,
    logger,
    concurrency: options.concurrency ?? CONCURRENCY,
    limiter: createExponentialLimiter<string>({ maxMs: LONGEST_BACKOFF_MS }),
    describe: (uid) => describe(graph, uid),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  });
  const graph = createOwnerGraph((uid) => controller.queue.add(uid));
  const follower =
    options.changing === undefined
      ? undefined
      : createKindFollower(
          client,
          options.changing,
          (resource, change) => graph.note(resource, change),
          ({ group, kind }) => graph.doubtOwners(group, kind),
          { clock, random, logger },
        );
  const lookUp = createOwnerLookup(client, graph, resources, follower);
  for (const resource of resources) {
    controller.watch(informers.for(resource), (_object, change) => {
      // An update is delivered twice, for the old and the new object; the graph needs it once.
      if (_object === change.object) graph.note(resource, change);
      return NO_KEYS;
    });
  }

  async function lookAt(uid: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const node = graph.get(uid);
    if (node === undefined) return;
    const { object } = node;
    if (abandonsDependents(object)) return orphan(node, signal);
    if (awaitsDependents(object)) return finishForeground(node, signal);
    const owners = ownersOf(object);
    if (isBeingDeleted(object) || owners.length === 0) return;

    const states = await Promise.all(owners.map((reference) => lookUp(reference, object, signal)));
    const count = (state: OwnerState): number => states.filter((each) => each === state).length;
    if (count('present') + count('unknown') > 0) {
      const isKept = (_: OwnerReference, i: number): boolean => states[i] === 'present' || states[i] === 'unknown';
      if (count('absent') + count('waiting') > 0) await patchOwners(node, object, owners.filter(isKept), signal);
      return count('unknown') > 0 ? { requeueAfterMs: UNKNOWN_AGAIN_MS } : undefined;
    }
    if (count('waiting') > 0 && graph.dependentsOf(uid).size > 0) {
      await breakCircle(node, object, signal);
      return remove(node, object, { propagationPolicy: 'Foreground', preconditions: { uid } }, signal);
    }
    const { resourceVersion } = object.metadata;
    const propagationPolicy = policyOf(object);
    return remove(node, object, { propagationPolicy, preconditions: { uid, resourceVersion } }, signal);
  }

  async function remove(node: GraphNode, object: Stored, how: DeleteOptions, signal: AbortSignal): Promise<void> {
    await unlessGone(client.delete(node.resource, keyOf(object), { ...how, signal }));
  }

  /** Removes the finalizer once no blocking dependent is left; each dependent that goes enqueues the owner again. */
  async function finishForeground({ uid, resource, object }: GraphNode, signal: AbortSignal): Promise<void> {
    for (const dependent of graph.dependentsOf(uid)) if (isBlocking(dependent.object, uid)) return;
    await patchMeta(resource, object, { finalizers: finalizersWithout(object, FOREGROUND_FINALIZER) }, signal);
  }

  /** Every dependent first forgets the owner, then the owner may go. */
  async function orphan({ uid, resource, object }: GraphNode, signal: AbortSignal): Promise<void> {
    await forEachBounded([...graph.dependentsOf(uid)], ORPHANS_AT_ONCE, async (dependent) => {
      const remaining = ownersOf(dependent.object).filter((reference) => reference.uid !== uid);
      await patchOwners(dependent, dependent.object, remaining, signal);
    });
    await patchMeta(resource, object, { finalizers: finalizersWithout(object, ORPHAN_FINALIZER) }, signal);
  }

  /** Dependents that wait for their own dependents may form a circle; then this object no longer blocks its owners. */
  async function breakCircle(node: GraphNode, object: Stored, signal: AbortSignal): Promise<void> {
    const dependents = graph.dependentsOf(node.uid).values();
    if (!dependents.some((dependent) => awaitsDependents(dependent.object))) return;
    const owners = ownersOf(object);
    if (!owners.some((reference) => reference.blockOwnerDeletion === true)) return;
    const freed = owners.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    await patchOwners(node, object, freed, signal);
  }

  function patchOwners(node: GraphNode, object: Stored, owners: readonly OwnerReference[], signal: AbortSignal) {
    const ownerReferences = owners.length === 0 ? null : owners.map((reference) => ({ ...reference }));
    return patchMeta(node.resource, object, { ownerReferences }, signal);
  }

  async function patchMeta(
    resource: Resource,
    { metadata: { uid, resourceVersion, name, namespace } }: Stored,
    change: MetaPatch,
    signal: AbortSignal,
  ): Promise<void> {
    const key = namespace === undefined ? { name } : { namespace, name };
    const body = { metadata: { uid, resourceVersion, ...change } };
    await unlessGone(client.patch(resource, key, { type: 'merge', body }, { signal }));
  }

  if (follower === undefined) return controller;
  return {
    name: controller.name,
    start: async (signal) => void (await Promise.all([controller.start(signal), follower.start(signal)])),
  };
}

type MetaPatch =
  | { readonly finalizers: string[] | null }
  | { readonly ownerReferences: { readonly [key in keyof OwnerReference]: OwnerReference[key] & {} }[] | null };

async function unlessGone(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
  }
}

const isBlocking = (dependent: KubeObject, owner: string): boolean =>
  ownersOf(dependent).some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true);

function finalizersWithout(object: KubeObject, finalizer: string): string[] | null {
  const kept = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return kept.length === 0 ? null : kept;
}

/** The propagation policy for the object's dependents, by its finalizers. */
function policyOf(object: KubeObject): 'Orphan' | 'Foreground' | 'Background' {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

function describe(graph: OwnerGraph, uid: string) {
  const node = graph.get(uid);
  if (node === undefined) return { uid };
  const { namespace = '', name } = node.object.metadata;
  return { uid, resource: node.resource.resource, namespace, name };
}
