/**
 * Creates and deletes pods, many at a time but never blindly: creation starts with one and widens while all goes well, so
 * an error that all of them would meet (a quota, a webhook) is met once. How many of a template went well at a time is
 * remembered until one does not, or every step of a rolling update would begin with one again. Answers, doubts and repeated
 * creates are the child writer's business.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { formatLabelSelector } from '../../core/kube/label-selector.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createChildWriter } from '../../machinery/children/child-writer.ts';
import { isAdoptable } from '../../machinery/children/claims.ts';
import type { Client } from '../../machinery/client/client.ts';
import { throughWindow } from '../../machinery/structures/window.ts';
import type { DaemonRegistry } from './daemon-registry.ts';
import type { DaemonPodMaker, KnownDaemon } from './known-daemon.ts';
import type { PodEvents } from './pod-events.ts';

export interface PodWriter {
  /**
   * The pods to create at these places, as they are at this moment, at most `most`; to be called where that was decided. Places
   * whose last create failed come last: a node that is refused its pod keeps no other from its own.
   */
  plan(daemon: KnownDaemon, places: readonly number[], most?: number): readonly Creation[];
  /**
   * Creates and deletes pods concurrently. Throws the first failure, after every write under way has ended. A failed create
   * holds no delete back: the new pods may need the room or the quota of those that are deleted.
   */
  write(
    daemon: KnownDaemon,
    creations: readonly Creation[],
    remove: readonly Stored<Pod>[],
    signal: AbortSignal,
  ): Promise<void>;
  remove(daemon: KnownDaemon, pods: readonly Stored<Pod>[], signal: AbortSignal): Promise<void>;
  /** Whether no create failed when pods of the present template were last created; false before the first. */
  isProven(daemon: KnownDaemon): boolean;
  /** Finds out how writes without a clear outcome ended. */
  settle(daemon: KnownDaemon, signal: AbortSignal): Promise<void>;
}

/**
 * A pod for a place. Its name follows from the pod that was there when this was decided, not from one that has come since:
 * another controller that decided the same creates the same pod, and one of the two finds it created.
 */
export interface Creation {
  readonly place: number;
  readonly predecessor: string;
}

export interface PodWriterOptions {
  readonly client: Client;
  readonly registry: DaemonRegistry;
  readonly events: PodEvents;
  /** Writes under way at a time for one DaemonSet. */
  readonly burst: number;
}

/** Names tried for one pod before it counts as not created. */
const NAMES = 3;

/** How creates with one pod maker went. */
interface Attempts {
  /** How many pods may be created at once next time; undefined before the first success and after a failure. */
  width: number | undefined;
  /** Places whose last create the server refused, the latest last. */
  readonly failed: Set<number>;
}

export function createPodWriter({ client, registry, events, burst }: PodWriterOptions): PodWriter {
  const writer = createChildWriter({ client, resource: PODS, events });
  /** A new template has a new maker, and begins anew. */
  const attempts = new WeakMap<DaemonPodMaker, Attempts>();

  function attemptsOf(maker: DaemonPodMaker): Attempts {
    let found = attempts.get(maker);
    if (found === undefined) attempts.set(maker, (found = { width: undefined, failed: new Set() }));
    return found;
  }

  async function createOne(daemon: KnownDaemon, { place, predecessor }: Creation, names = NAMES): Promise<void> {
    const { maker, object, selects } = daemon;
    const node = registry.engine.node(place);
    if (maker === undefined || node === undefined) return;
    const { name, uid = '' } = node.metadata;
    const pod = maker({ name, uid }, predecessor, node);
    if (!selects(pod.metadata.labels)) throw notSelected(daemon, `pod ${pod.metadata.name} would have`);
    const outcome = await writer.create(daemon, pod);
    if (outcome.type === 'ending') throw outcome.error;
    if (outcome.type === 'taken') {
      const { by, error } = outcome;
      // An orphan is adopted by the next reconcile. After any other pod (released, or made by hand) the own one comes, named after it.
      if (isAdoptable(by, selects)) daemon.claims.adoptable.set(by.metadata.uid, by);
      else if (names > 1) return createOne(daemon, { place, predecessor: by.metadata.uid }, names - 1);
      events.createFailed(object, error);
      throw error;
    }
    if (outcome.type === 'found' || selects(outcome.child.metadata.labels)) return;
    // A webhook, say, gave the pod other labels. It would be released and another created, and so on without end.
    await writer.remove(daemon, outcome.child);
    throw notSelected(daemon, `pod ${outcome.child.metadata.name} was given`);
  }

  function notSelected({ object }: KnownDaemon, subject: string): Error {
    const selector = formatLabelSelector(object.spec.selector);
    const error = new Error(`${subject} labels that the selector ${selector} does not match`);
    events.createFailed(object, error);
    return error;
  }

  async function create(daemon: KnownDaemon, creations: readonly Creation[], signal: AbortSignal): Promise<void> {
    const { maker } = daemon;
    if (maker === undefined) return;
    const record = attemptsOf(maker);
    const attempt = async (creation: Creation): Promise<void> => {
      try {
        await createOne(daemon, creation);
        record.failed.delete(creation.place);
      } catch (error) {
        record.failed.delete(creation.place);
        // A create that no server has answered fails at every place alike.
        if (error instanceof StatusError) record.failed.add(creation.place);
        throw error;
      }
    };
    try {
      const width = await throughWindow(creations, attempt, { first: record.width ?? 1, most: burst, signal });
      if (creations.length > 0) record.width = width;
    } catch (error) {
      record.width = undefined;
      throw error;
    }
  }

  async function remove(daemon: KnownDaemon, pods: readonly Stored<Pod>[], signal: AbortSignal): Promise<void> {
    const removeOne = async (pod: Stored<Pod>): Promise<void> => void (await writer.remove(daemon, pod));
    await throughWindow(pods, removeOne, { first: burst, most: burst, signal });
  }

  return {
    remove,
    settle: (daemon, signal) => writer.settle(daemon, signal),
    isProven: ({ maker }) => maker !== undefined && attempts.get(maker)?.width !== undefined,

    plan(daemon, places, most = places.length) {
      const view = registry.view(daemon);
      const failed = daemon.maker === undefined ? undefined : attempts.get(daemon.maker)?.failed;
      return failedLast(places, failed)
        .slice(0, most)
        .map((place) => ({ place, predecessor: view.predecessor(place) }));
    },

    async write(daemon, creations, pods, signal) {
      const outcomes = await Promise.allSettled([create(daemon, creations, signal), remove(daemon, pods, signal)]);
      signal.throwIfAborted();
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

/** Places that failed go to the end, in the order in which they did: each has its turn. */
function failedLast(places: readonly number[], failed: ReadonlySet<number> | undefined): readonly number[] {
  if (failed === undefined || failed.size === 0) return places;
  const wanted = new Set(places);
  return [...places.filter((place) => !failed.has(place)), ...[...failed].filter((place) => wanted.has(place))];
}
