/** Waits until a DaemonSet is rolled out, and reports on the way its progress and the reasons of delays by node. */
import { CONTROLLER_REVISIONS, DAEMON_SETS, EVENTS, NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { ManagedFieldsEntry } from '../../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { linkAbort, wasAborted } from '../../../machinery/time/abort.ts';
import type { Timer } from '../../../machinery/time/clock.ts';
import { createInformer, type Informer } from '../../../machinery/cache/informer.ts';
import type { ReflectorScope } from '../../../machinery/cache/reflector/reflector-options.ts';
import { createCalls, type Calls } from './calls.ts';
import { ComponentApplyError } from './errors.ts';
import { refOf, refText, type ObjectRef } from './object-ref.ts';
import { managedFieldsOf } from './ownership.ts';
import type { ApplyContext } from './rendered.ts';
import { createScrubber, type Scrubber } from './secrets.ts';
import { followPresence } from './presence.ts';
import { rolloutSnapshot, type RolloutSnapshot, type SnapshotFacts } from '../rollout/snapshot.ts';

export interface WaitOptions {
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs?: number;
  /** Labels of nodes that make groups; else the usual ones. */
  readonly groupBy?: readonly string[];
  /** The least time between two snapshots (default: a quarter of a second). */
  readonly everyMs?: number;
  readonly mostLagging?: number;
  /** Removes secret values from messages of the cluster. */
  readonly scrubber?: Scrubber;
  /**
   * The DaemonSet as the server answered the write whose rollout this is; absent: the rollout of the newest template.
   */
  readonly written?: Stored<DaemonSet>;
}

export type RolloutOutcome =
  | { readonly outcome: 'complete' | 'on-delete'; readonly snapshot: RolloutSnapshot }
  /** `away`: the server gave no answer at the end, and why. */
  | { readonly outcome: 'timeout'; readonly snapshot: RolloutSnapshot; readonly away?: string }
  /** Another client has written another template since, and nodes get that one. `by`: its field manager, where managedFields show it. */
  | { readonly outcome: 'superseded'; readonly snapshot: RolloutSnapshot; readonly by?: string }
  /** The DaemonSet was deleted, or replaced by another of its name. */
  | { readonly outcome: 'deleted' }
  /** The server was away, and the one that answers now does not have the DaemonSet. */
  | { readonly outcome: 'other-cluster'; readonly why: string };

const DEFAULT_EVERY_MS = 250;
/** A snapshot of fifty thousand nodes takes a while: of every five parts of the time they take at most one. */
const SHARE = 5;
const GRACE_MS = 1000;

/** Rejects with the signal's reason when that fires. */
export async function waitForRollout(context: ApplyContext, options: WaitOptions): Promise<RolloutOutcome> {
  const { clock } = context;
  const { namespace, name, everyMs = DEFAULT_EVERY_MS, written } = options;
  const scrubber = options.scrubber ?? createScrubber();
  const ref = refOf(DAEMON_SETS, namespace, name);
  const calls = createCalls(context, scrubber);
  const found = await calls.find<DaemonSet>(ref);
  if (found === undefined) throw new ComponentApplyError('EN_COMPONENT_APPLY_NOT_FOUND', `there is no ${refText(ref)}`);
  if (written !== undefined && written.metadata.uid !== found.metadata.uid) return { outcome: 'deleted' };

  using link = linkAbort(context.signal);
  const sources = await openSources(context, found);
  const done = Promise.withResolvers<RolloutOutcome>();
  let next: Timer | undefined;
  let limit: Timer | undefined;
  let last: RolloutSnapshot | undefined;
  let pauseMs = everyMs;
  let completeAt: number | undefined;
  let pending = false;
  let isOver = false;
  let isLate = false;
  let away: string | undefined;

  const finish = (outcome: RolloutOutcome): void => {
    isOver = true;
    done.resolve(outcome);
  };
  const look = (): RolloutSnapshot | undefined => {
    const set = sources.set.lister.get(name, namespace);
    if (set === undefined || set.metadata.uid !== found.metadata.uid) return undefined;
    return scrubbed(rolloutSnapshot(factsOf(sources, set, clock.now(), options)), scrubber);
  };
  const evaluate = (): void => {
    pending = false;
    if (isOver) return;
    const began = clock.monotonic();
    const snapshot = look();
    pauseMs = Math.max(everyMs, SHARE * (clock.monotonic() - began));
    if (snapshot === undefined) {
      // After an absence it is for the next look to say whether it was deleted or this is another server.
      if (away === undefined) finish({ outcome: 'deleted' });
      return;
    }
    const set = sources.set.lister.get(name, namespace);
    const age = written === undefined || set === undefined ? 'same' : compareTemplates(set, written);
    // A server that lags behind still shows the former template; the change itself brings the next snapshot.
    if (age === 'older') return;
    if (age === 'newer') {
      finish({ outcome: 'superseded', snapshot });
      return;
    }
    if (!deepEqual(snapshot, last)) context.onProgress?.({ type: 'rollout', snapshot });
    last = snapshot;
    if (snapshot.state !== 'complete' && snapshot.state !== 'on-delete') {
      completeAt = undefined;
      return;
    }
    // The DaemonSet may be seen before its last pod is: a moment later the picture is whole.
    completeAt ??= began;
    const isWhole = snapshot.state === 'on-delete' || snapshot.lagging.length === 0;
    if (isWhole || isLate || began - completeAt >= GRACE_MS) finish({ outcome: snapshot.state, snapshot });
    else changed();
  };
  const changed = (): void => {
    if (pending || isOver) return;
    pending = true;
    next = clock.after(last === undefined ? 0 : pauseMs, evaluate);
  };

  if (options.timeoutMs !== undefined)
    limit = clock.after(options.timeoutMs, () => {
      isLate = true;
      if (last !== undefined) evaluate();
      const snapshot = last ?? rolloutSnapshot({ set: found, now: clock.now() });
      if (!isOver) finish({ outcome: 'timeout', snapshot, ...(away === undefined ? {} : { away }) });
    });
  const onAbort = (): void => done.reject(link.signal.reason as Error);
  link.signal.addEventListener('abort', onAbort, { once: true });
  if (link.signal.aborted) onAbort();

  const presence = followPresence(
    context,
    { ref, uid: found.metadata.uid },
    {
      away(reason) {
        away = scrubber.scrub(reason);
        context.onProgress?.({ type: 'note', message: `the server cannot be reached (${away}); trying again` });
      },
      back() {
        away = undefined;
        changed();
        context.onProgress?.({ type: 'note', message: 'the server can be reached again' });
      },
      lost: (why) => finish({ outcome: 'other-cluster', why }),
    },
    link.signal,
  );
  const runs = [presence, ...sources.all.map((informer) => informer.run(link.signal))];
  try {
    // The reasons come with the first snapshot, so everything is there before it.
    const filled = Promise.all(sources.all.map((informer) => informer.synced(link.signal)));
    filled.then(
      () => {
        for (const informer of sources.all) informer.addHandler({ batch: changed });
        changed();
      },
      () => undefined,
    );
    const outcome = await done.promise;
    return outcome.outcome === 'superseded' ? { ...outcome, ...(await writerOf(calls, ref, written)) } : outcome;
  } finally {
    isOver = true;
    next?.cancel();
    limit?.cancel();
    link.abort();
    await Promise.allSettled(runs);
  }
}

/** Other changes than those of the template (bounds of the update, labels) make no other revision. */
function compareTemplates(set: Stored<DaemonSet>, written: Stored<DaemonSet>): 'same' | 'older' | 'newer' {
  const [now = 0, then = 0] = [set.metadata.generation, written.metadata.generation];
  if (now === then || deepEqual(set.spec.template, written.spec.template)) return 'same';
  return now < then ? 'older' : 'newer';
}

/** Field managers that have written fields of the template since the apply. */
async function writerOf(
  calls: Calls,
  ref: ObjectRef,
  written: Stored<DaemonSet> | undefined,
): Promise<{ readonly by?: string }> {
  const live = await calls.find<DaemonSet>(ref).catch(() => undefined);
  const before = written === undefined ? [] : managedFieldsOf(written);
  // Times are of whole seconds: an entry that was there before tells nothing, however young it is.
  const entries = (live === undefined ? [] : managedFieldsOf(live)).filter(
    (entry) => ownsTemplate(entry) && !before.some((each) => deepEqual(each, entry)),
  );
  const latest = entries.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return latest?.manager === undefined ? {} : { by: latest.manager };
}

const ownsTemplate = ({ fieldsV1 }: ManagedFieldsEntry): boolean => {
  const spec = (fieldsV1 as { readonly 'f:spec'?: object } | undefined)?.['f:spec'];
  return spec !== undefined && 'f:template' in spec;
};

/** The snapshot of all that may be read: a user without the right to list nodes still sees the counts. */
interface Sources {
  readonly set: Informer<DaemonSet>;
  readonly pods: Informer<NonNullable<(typeof PODS)['objectType']>> | undefined;
  readonly nodes: Informer<NonNullable<(typeof NODES)['objectType']>> | undefined;
  readonly revisions: Informer<NonNullable<(typeof CONTROLLER_REVISIONS)['objectType']>> | undefined;
  readonly events: Informer<NonNullable<(typeof EVENTS)['objectType']>> | undefined;
  readonly all: readonly Informer<KubeObject>[];
}

async function openSources(context: ApplyContext, set: Stored<DaemonSet>): Promise<Sources> {
  const { client, clock, random } = context;
  const { namespace = '', name } = set.metadata;
  const all: Informer<KubeObject>[] = [];
  const follow = <T extends KubeObject>(resource: Resource<T>, scope: ReflectorScope): Informer<T> => {
    const informer = createInformer(client, resource, scope, { clock, random, dropManagedFields: true });
    all.push(informer);
    return informer;
  };
  const mayRead = async (resource: Resource, scope: ReflectorScope): Promise<boolean> => {
    const signal = context.signal === undefined ? {} : { signal: context.signal };
    try {
      await client.list(resource, { ...scope, limit: 1, ...signal });
      return true;
    } catch (error) {
      if (wasAborted(error, context.signal)) throw error;
      // Anything but a plain no is for the informer to overcome.
      return !(error instanceof StatusError && (error.code === 403 || error.code === 404 || error.code === 400));
    }
  };
  const optional = async <T extends KubeObject>(
    resource: Resource<T>,
    scope: ReflectorScope,
  ): Promise<Informer<T> | undefined> => ((await mayRead(resource, scope)) ? follow(resource, scope) : undefined);

  const own = { namespace, labelSelector: formatLabelSelector(set.spec.selector) };
  const [pods, nodes, revisions, events] = await Promise.all([
    optional(PODS, own),
    optional(NODES, {}),
    optional(CONTROLLER_REVISIONS, own),
    optional(EVENTS, { namespace, fieldSelector: 'type=Warning' }),
  ]);
  return {
    set: follow(DAEMON_SETS, { namespace, fieldSelector: `metadata.name=${name}` }),
    pods,
    nodes,
    revisions,
    events,
    all,
  };
}

function factsOf(sources: Sources, set: Stored<DaemonSet>, now: number, options: WaitOptions): SnapshotFacts {
  const { pods, nodes, revisions, events } = sources;
  return {
    set,
    now,
    ...(pods === undefined ? {} : { pods: pods.lister.list() }),
    ...(nodes === undefined ? {} : { nodes: [...nodes.lister.list()] }),
    ...(revisions === undefined ? {} : { revisions: revisions.lister.list() }),
    ...(events === undefined ? {} : { events: events.lister.list() }),
    ...(options.groupBy === undefined ? {} : { groupBy: options.groupBy }),
    ...(options.mostLagging === undefined ? {} : { mostLagging: options.mostLagging }),
  };
}

export function scrubbed(snapshot: RolloutSnapshot, { scrub }: Scrubber): RolloutSnapshot {
  return {
    ...snapshot,
    lagging: snapshot.lagging.map((lag) => ({ ...lag, message: scrub(lag.message) })),
    reasons: snapshot.reasons.map((reason) => ({ ...reason, message: scrub(reason.message) })),
  };
}
