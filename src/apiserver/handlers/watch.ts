/**
 * A watch: what is there (when asked for), then every committed change that concerns the selection, in revision
 * order. An object that enters the selection is ADDED, one that leaves it DELETED, whatever really happened to it.
 */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { StatusError, expired, internalError, invalidObject } from '../../core/kube/status-error.ts';
import { invalid } from '../../core/kube/field-errors.ts';
import type { Timer } from '../../machinery/time/clock.ts';
import type { ApiWatchEvent, WatchHandle, WatchRequest, WatchSink } from '../contract/request.ts';
import type { CollectionKey, StoreEvent } from '../store/store.ts';
import { type HandlerContext, kindOf, requireVerb } from './steps/context.ts';
import { checkWatchOptions } from './steps/list-options.ts';
import { atRevision } from './steps/metadata.ts';
import { invalidVersionText, readRevision, tooLargeResourceVersion } from './steps/resource-version.ts';
import { type Selection, narrowedNamespace } from './steps/selection.ts';

const BOOKMARK_EVERY_MS = 60_000;
/** Initial state is handed over in pieces, so that a sink can write one while the next is made. */
const INITIAL_BATCH = 1000;
/** For sinks that wait between batches: objects may be large. */
const SMALL_BATCH = 4;
/** Objects that are looked at before such a sink is asked again, even where few match the selection. */
const MOST_SKIPPED = 64;
const MOST_GATHERED = 100_000;

const WATCH_TOO_OLD = 'too old resource version';

interface Start {
  /** Events after this revision are sent. */
  readonly since: number;
  readonly initial: boolean;
}

export function watch(context: HandlerContext, request: WatchRequest, sink: WatchSink): WatchHandle {
  const { options, target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'watch');
  checkWatchOptions(options);
  const selection = context.selections.compile(kind, options.labelSelector, options.fieldSelector);
  const collection = { tenant: target.tenant, group: kind.group, resource: kind.resource };
  const namespace = kind.namespaced ? narrowedNamespace(selection, target.namespace) : '';
  const start = whereToStart(context, kind, options);
  return openWatch(context, { collection, namespace, selection, start, options }, sink);
}

function whereToStart(context: HandlerContext, kind: KindDefinition, options: WatchRequest['options']): Start {
  const version = options.resourceVersion ?? '';
  const current = context.store.revision;
  const wanted = version === '' ? 0 : readRevision(version);
  if (wanted === undefined) {
    const detail = invalidVersionText(version).split(': ').slice(4).join(': ');
    throw invalidObject({ group: kind.group, kind: kind.resource }, '', [invalid('resourceVersion', version, detail)]);
  }
  if (options.sendInitialEvents === true) {
    if (wanted > current) throw tooLargeResourceVersion(wanted, current);
    return { since: current, initial: true };
  }
  if (wanted === 0) return { since: current, initial: options.sendInitialEvents === undefined };
  return { since: wanted, initial: false };
}

interface OpenWatch {
  readonly collection: CollectionKey;
  readonly namespace: string;
  readonly selection: Selection;
  readonly start: Start;
  readonly options: WatchRequest['options'];
}

function openWatch(context: HandlerContext, open: OpenWatch, sink: WatchSink): WatchHandle {
  const { clock, store } = context;
  const { collection, namespace, options, selection, start } = open;
  const timers: Timer[] = [];
  let bookmarkTimer: Timer | undefined;
  let stopped = false;
  /** Everything up to here has been seen by the sink. */
  let seen = start.since;
  let bookmarked = start.since;

  const isStopped = (): boolean => stopped;

  const finish = (error?: StatusError): void => {
    if (stopped) return;
    stop();
    sink.ended(error);
  };
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    for (const timer of timers) timer.cancel();
    bookmarkTimer?.cancel();
    subscription?.stop();
  };

  const deliver = (events: readonly StoreEvent[]): void => {
    if (stopped) return;
    const batch = selection.everything
      ? eventsAfter(events, start.since)
      : selectEvents(events, selection, start.since);
    const last = events.at(-1);
    if (last !== undefined && last.revision > seen) seen = last.revision;
    if (batch.length > 0) sink.events(batch);
  };

  // The state is read now, at the revision the subscription starts from; it is delivered later, before any event.
  const initial = start.initial ? [...store.list(collection, namespace === '' ? {} : { namespace })] : [];
  let pending: StoreEvent[] | undefined = [];
  const subscription = subscribe();

  function subscribe(): { stop(): void } | undefined {
    try {
      return store.watch(
        collection,
        { since: start.since, ...(namespace === '' ? {} : { namespace }) },
        {
          events: (events) => (pending === undefined ? deliver(events) : gather(pending, events)),
          // While the initial state is pending, the sink has seen nothing, however far the store has come.
          progress: (revision) => {
            if (pending === undefined && revision > seen) seen = revision;
          },
          closed: (reason) => finish(closingError(reason)),
        },
      );
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // A version that is too old is reported in the stream, as Kubernetes does: clients look for the error there.
      const text = `${WATCH_TOO_OLD}: ${start.since} (${store.compactedRevision})`;
      timers.push(clock.after(0, () => finish(error.code === 410 ? expired(text) : error)));
      return undefined;
    }
  }

  /** A watcher whose initial state takes so long that this many events have gathered does better to begin again. */
  const gather = (into: StoreEvent[], events: readonly StoreEvent[]): void => {
    for (const event of events) into.push(event);
    if (into.length > MOST_GATHERED) finish(expired(WATCH_TOO_OLD));
  };

  const bookmark = (initialEventsEnd: boolean): void => {
    bookmarked = seen;
    sink.events([{ type: 'BOOKMARK', resourceVersion: String(seen), initialEventsEnd }]);
  };

  if (subscription !== undefined) {
    const size = sink.readyForMore === undefined ? INITIAL_BATCH : SMALL_BATCH;
    const deliverInitial = (from: number): void => {
      let batch: ApiWatchEvent[] = [];
      for (let at = from; at < initial.length;) {
        const object = initial[at] as Stored;
        if (selection.everything || selection.matches(object)) batch.push({ type: 'ADDED', object });
        at += 1;
        if (batch.length < size && (sink.readyForMore === undefined || at % MOST_SKIPPED !== 0)) continue;
        // The sink may have had enough.
        if (isStopped()) return;
        if (batch.length > 0) sink.events(batch);
        batch = [];
        const waiting = at < initial.length ? sink.readyForMore?.() : undefined;
        if (waiting !== undefined) {
          void waiting.then(() => deliverInitial(at));
          return;
        }
      }
      if (!isStopped() && batch.length > 0) sink.events(batch);
      if (isStopped()) return;
      if (start.initial && options.allowWatchBookmarks === true) bookmark(true);
      const gathered = pending ?? [];
      pending = undefined;
      if (gathered.length > 0) deliver(gathered);
    };
    timers.push(clock.after(0, () => deliverInitial(0)));
  }

  const tick = (): void => {
    if (stopped) return;
    if (seen > bookmarked && pending === undefined) bookmark(false);
    bookmarkTimer = clock.after(BOOKMARK_EVERY_MS, tick);
  };
  if (options.allowWatchBookmarks === true) bookmarkTimer = clock.after(BOOKMARK_EVERY_MS, tick);
  const { timeoutSeconds } = options;
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) {
    timers.push(clock.after(timeoutSeconds * 1000, () => finish()));
  }
  return { stop };
}

/** Store events are watch events already; the batch itself is shared unless some of it was seen before. */
function eventsAfter(events: readonly StoreEvent[], since: number): readonly StoreEvent[] {
  const first = events[0];
  return first === undefined || first.revision > since ? events : events.filter((event) => event.revision > since);
}

function selectEvents(events: readonly StoreEvent[], selection: Selection, since: number): readonly ApiWatchEvent[] {
  const selected: ApiWatchEvent[] = [];
  for (const event of events) {
    if (event.revision <= since) continue;
    const seen = selectEvent(event, selection);
    if (seen !== undefined) selected.push(seen);
  }
  return selected;
}

function selectEvent(event: StoreEvent, selection: Selection): ApiWatchEvent | undefined {
  const { object, previous, type } = event;
  const was = previous !== undefined && selection.matches(previous);
  if (type === 'DELETED') return was || (previous === undefined && selection.matches(object)) ? event : undefined;
  const is = selection.matches(object);
  if (is) return was === (type === 'MODIFIED') ? event : { type: was ? 'MODIFIED' : 'ADDED', object };
  return was ? { type: 'DELETED', object: leaving(previous, event.revision) } : undefined;
}

/** The last state a watcher saw of an object that left its selection, at the revision where the object left. */
const leaving = (previous: Stored, revision: number): Stored => atRevision(previous, revision);

/** A store that shuts down, or that had to drop a slow watcher, ends the stream in good order: the client resumes. */
function closingError(reason: Error): StatusError | undefined {
  if (reason instanceof StatusError) return reason;
  return 'code' in reason ? undefined : internalError(reason);
}
