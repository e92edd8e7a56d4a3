/**
 * Creates and deletes pods, many at a time but never blindly: creation starts with one and widens while all goes well, so
 * an error that all of them would meet (a quota, a webhook) is met once. How many of a template went well at a time is
 * remembered until one does not, or every step of a rolling update would begin with one again. What a write answers is taken in
 * at once; a write without a clear outcome is remembered as a doubt and asked about before the next decision.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { formatLabelSelector } from '../../core/kube/label-selector.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf, isControlledBy } from '../../core/kube/owner-references.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import { throughWindow } from '../../machinery/structures/window.ts';
import type { DaemonWorld } from './daemon-registry.ts';
import type { KnownDaemon } from './known-daemon.ts';
import type { PodEvents } from './pod-events.ts';

export interface PodWriter {
  /**
   * What to create at these places, as they are at this moment, and at most so many; to be called where that was decided. Places
   * where it went wrong come last: a node that is refused its pod keeps no other from its own.
   */
  plan(daemon: KnownDaemon, places: readonly number[], most?: number): readonly Creation[];
  /**
   * Creates these pods and deletes those, beside each other. Throws what went wrong, after every write under way has ended.
   * Nothing is deleted less because something could not be created: what goes may be what the new ones need the room or
   * the quota of.
   */
  write(
    daemon: KnownDaemon,
    creations: readonly Creation[],
    remove: readonly Stored<Pod>[],
    signal: AbortSignal,
  ): Promise<void>;
  remove(daemon: KnownDaemon, pods: readonly Stored<Pod>[], signal: AbortSignal): Promise<void>;
  /** Whether all went well when pods of the present template were last created; known from the first that was. */
  isProven(daemon: KnownDaemon): boolean;
  /** Finds out how writes without a clear outcome ended. */
  settleDoubts(daemon: KnownDaemon, signal: AbortSignal): Promise<void>;
}

/**
 * A pod for a place. Its name follows from the pod that was there when this was decided, not from what has come since:
 * somebody else who decided the same makes the same pod, and one of the two finds it made.
 */
export interface Creation {
  readonly place: number;
  readonly predecessor: string;
}

export interface PodWriterOptions {
  readonly client: Client;
  readonly world: DaemonWorld;
  readonly events: PodEvents;
  /** Writes under way at a time for one DaemonSet. */
  readonly burst: number;
}

/** Names tried for one pod before it counts as not created. */
const NAMES = 3;

export function createPodWriter({ client, world, events, burst }: PodWriterOptions): PodWriter {
  /** How many pods of a template may be tried at once next time; absent after a failure. */
  const proven = new WeakMap<NonNullable<KnownDaemon['maker']>, number>();
  /** Where the last attempt to create a pod of a template went wrong, the latest last. */
  const failedAt = new WeakMap<NonNullable<KnownDaemon['maker']>, Set<number>>();

  /** Those that failed go to the end, in the order in which they did: each has its turn. */
  function inTurn({ maker }: KnownDaemon, places: readonly number[]): readonly number[] {
    const failed = maker === undefined ? undefined : failedAt.get(maker);
    if (failed === undefined || failed.size === 0) return places;
    const wanted = new Set(places);
    return [...places.filter((place) => !failed.has(place)), ...[...failed].filter((place) => wanted.has(place))];
  }

  async function createOne(daemon: KnownDaemon, { place, predecessor }: Creation, names = NAMES): Promise<void> {
    const { maker, set } = daemon;
    const node = world.engine.node(place);
    if (maker === undefined || node === undefined) return;
    const { name, uid = '' } = node.metadata;
    const pod = maker({ name, uid }, predecessor, node);
    if (!daemon.selects(pod.metadata.labels)) throw notSelected(daemon, `pod ${pod.metadata.name} would have`);
    let created: Stored<Pod>;
    try {
      created = await client.create(PODS, pod);
    } catch (error) {
      if (isNamespaceTerminating(error)) throw error;
      if (isStatus(error, 'AlreadyExists')) {
        const present = await meet(pod);
        if (present !== undefined && isControlledBy(present, set)) return world.wrote(daemon, present);
        if (present !== undefined && isAdoptable(daemon, present)) daemon.adoptable.set(present.metadata.uid, present);
        else if (present !== undefined && names > 1)
          return createOne(daemon, { place, predecessor: present.metadata.uid }, names - 1);
      }
      if (isUnclear(error)) daemon.doubts.add(pod.metadata.name);
      events.createFailed(set, error);
      throw error;
    }
    world.wrote(daemon, created);
    events.created(set, created.metadata.name);
    if (daemon.selects(created.metadata.labels)) return;
    // Somebody on the way gave it other labels, a webhook, say. It would be let go and another made, and so on without end.
    await removeOne(daemon, created);
    throw notSelected(daemon, `pod ${created.metadata.name} was given`);
  }

  function notSelected({ set }: KnownDaemon, who: string): Error {
    const selector = formatLabelSelector(set.spec.selector);
    const error = new Error(`${who} labels that the selector ${selector} does not match`);
    events.createFailed(set, error);
    return error;
  }

  /**
   * The pod that has this name. Our own: made by an earlier attempt whose answer was lost. Somebody else's (one that was
   * let go, or put there by hand): ours comes after it, and is named after it. Nobody's: it is taken in at the next attempt.
   */
  const meet = ({ metadata: { namespace = '', name } }: Pod): Promise<Stored<Pod> | undefined> =>
    client.get(PODS, { namespace, name }).catch(() => undefined);

  async function removeOne(daemon: KnownDaemon, pod: Stored<Pod>): Promise<void> {
    try {
      const answer = await client.delete(PODS, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
      // Pods that nothing runs are gone at once; the others linger until their node has stopped them.
      if (isPod(answer) && answer.metadata.deletionTimestamp !== undefined) world.wrote(daemon, answer);
      else world.vanished(daemon, pod);
      events.deleted(daemon.set, pod.metadata.name);
    } catch (error) {
      if (isStatus(error, 'NotFound')) return world.vanished(daemon, pod);
      // Most likely another one of that name has come since.
      if (isStatus(error, 'Conflict')) return settle(daemon, pod.metadata.name);
      if (isUnclear(error)) daemon.doubts.add(pod.metadata.name);
      events.deleteFailed(daemon.set, error);
      throw error;
    }
  }

  /** Takes in what the server has under this name now. */
  async function settle(daemon: KnownDaemon, name: string): Promise<void> {
    const { namespace = '' } = daemon.set.metadata;
    const present = await client.get(PODS, { namespace, name }).catch((error: unknown) => {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    });
    for (const pod of world.view(daemon).allChildren())
      if (pod.metadata.name === name && pod.metadata.uid !== present?.metadata.uid) world.vanished(daemon, pod);
    if (present !== undefined && isControlledBy(present, daemon.set)) world.wrote(daemon, present);
  }

  async function create(daemon: KnownDaemon, creations: readonly Creation[], signal: AbortSignal): Promise<void> {
    const { maker } = daemon;
    if (maker === undefined) return;
    const first = proven.get(maker) ?? 1;
    const failed = failedAt.get(maker) ?? new Set<number>();
    failedAt.set(maker, failed);
    const attempt = async (creation: Creation): Promise<void> => {
      try {
        await createOne(daemon, creation);
        failed.delete(creation.place);
      } catch (error) {
        failed.delete(creation.place);
        // What no server has answered is wrong with all of them alike.
        if (error instanceof StatusError) failed.add(creation.place);
        throw error;
      }
    };
    const width = await throughWindow(creations, attempt, { first, most: burst, signal }).catch((error: unknown) => {
      proven.delete(maker);
      throw error;
    });
    if (creations.length > 0) proven.set(maker, width);
  }

  async function remove(daemon: KnownDaemon, pods: readonly Stored<Pod>[], signal: AbortSignal): Promise<void> {
    await throughWindow(pods, (pod) => removeOne(daemon, pod), { first: burst, most: burst, signal });
  }

  return {
    remove,
    isProven: ({ maker }) => maker !== undefined && proven.has(maker),

    plan(daemon, places, most = places.length) {
      const view = world.view(daemon);
      return inTurn(daemon, places)
        .slice(0, most)
        .map((place) => ({ place, predecessor: view.predecessor(place) }));
    },

    async write(daemon, creations, pods, signal) {
      const outcomes = await Promise.allSettled([create(daemon, creations, signal), remove(daemon, pods, signal)]);
      signal.throwIfAborted();
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },

    async settleDoubts(daemon, signal) {
      for (const name of [...daemon.doubts]) {
        await settle(daemon, name);
        daemon.doubts.delete(name);
        signal.throwIfAborted();
      }
    },
  };
}

const isAdoptable = (daemon: KnownDaemon, pod: Stored<Pod>): boolean =>
  controllerOf(pod) === undefined &&
  pod.metadata.deletionTimestamp === undefined &&
  daemon.selects(pod.metadata.labels);

const isPod = (answer: object): answer is Stored<Pod> => (answer as { readonly kind?: string }).kind === 'Pod';

/** A namespace on its way out takes nothing new; the DaemonSet goes with it. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/** The server said neither yes nor no: the write may have happened. */
export const isUnclear = (error: unknown): boolean =>
  !(error instanceof StatusError) || error.code >= 500 || isStatus(error, 'Timeout');

/** The server will not have it: asking again as it is will not help. */
export const isRefused = (error: unknown): boolean =>
  (isStatus(error, 'Invalid') || isStatus(error, 'Forbidden')) && !isNamespaceTerminating(error);
