/** Runs one watch to its end: hands its events to the sink, and judges from how it ended what comes next. */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { compareResourceVersions } from '../../../core/kube/resource-version.ts';
import type { WatchEvent } from '../../client/client.ts';
import { abortAfter, linkAbort } from '../../time/abort.ts';
import { retryAfterBackoff, type Reflection } from './reflection.ts';
import { isExpired, isUnsupportedStream } from './reflector-errors.ts';
import type { ObjectEvent } from './reflector-options.ts';
import type { Position } from './reflector-state.ts';

const WATCH_GRACE = 30_000;
/** A watch that ends sooner than this without an event is a failure in disguise. */
const SHORTEST_WATCH = 1_000;
const MAX_BROKEN_STREAMS = 2;

/** Returns the position that follows the watch. With `initial`, the watch streams the whole state into it first. */
export async function runWatch<T extends KubeObject>(
  reflection: Reflection<T>,
  initial: Map<string, Stored<T>> | undefined,
  stop: AbortSignal,
): Promise<Position<T>> {
  const { client, resource, scope, clock, random, watchTimeoutMs, state } = reflection;
  const began = clock.monotonic();
  const timeoutMs = watchTimeoutMs === 0 ? 0 : watchTimeoutMs * (1 + random.next());
  using link = timeoutMs === 0 ? linkAbort(stop) : abortAfter(clock, timeoutMs + WATCH_GRACE, stop);
  let gathering = initial;
  let received = 0;
  try {
    const stream = client.watch(resource, {
      ...scope,
      signal: link.signal,
      allowWatchBookmarks: true,
      ...(gathering === undefined ? { resourceVersion: state.lastVersion } : { sendInitialEvents: true }),
      ...(timeoutMs === 0 ? {} : { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
    });
    for await (const batch of stream) {
      received += batch.length;
      state.expiredAtOnce = 0;
      if (gathering === undefined) {
        applyFresh(reflection, batch);
        continue;
      }
      const rest = gather(gathering, batch, reflection.intern);
      const end = batch[batch.length - rest.length - 1];
      if (end?.type !== 'BOOKMARK' || !end.initialEventsEnd) continue;
      replaceWithStreamed(reflection, gathering, end.resourceVersion);
      gathering = undefined;
      if (rest.length > 0) applyFresh(reflection, rest);
    }
    stop.throwIfAborted();
    if (gathering !== undefined) {
      return afterBrokenStream(reflection, new Error('the watch ended before its initial state was complete'));
    }
    if (received > 0 || clock.monotonic() - began >= SHORTEST_WATCH) return { phase: 'watching' };
    return retryAfterBackoff(reflection, new Error('the watch ended at once, without events'), { phase: 'watching' });
  } catch (error) {
    if (stop.aborted) throw error;
    const isTimedOut = link.signal.aborted;
    return gathering === undefined
      ? afterFailedWatch(reflection, error, isTimedOut, received)
      : afterFailedStream(reflection, error, isTimedOut);
  }
}

/** Hands a batch to the sink without the events that are not newer than the last version. */
function applyFresh<T extends KubeObject>({ state, sink }: Reflection<T>, batch: readonly WatchEvent<T>[]): void {
  let fresh: ObjectEvent<T>[] | undefined;
  let version = state.lastVersion;
  for (let i = 0; i < batch.length; i += 1) {
    const event = batch[i] as WatchEvent<T>;
    if (event.type === 'BOOKMARK') {
      if (!isOlder(event.resourceVersion, version)) version = event.resourceVersion;
      continue;
    }
    const eventVersion = event.object.metadata.resourceVersion;
    const order = compareResourceVersions(eventVersion, version);
    if (order !== undefined && order <= 0) continue;
    version = eventVersion;
    fresh ??= [];
    fresh.push(event);
  }
  state.lastVersion = version;
  if (fresh !== undefined) sink.apply(fresh, version);
}

/** Puts events into the gathered state until the bookmark that ends it; returns the events after that. */
function gather<T extends KubeObject>(
  gathered: Map<string, Stored<T>>,
  batch: readonly WatchEvent<T>[],
  intern: (object: Stored<T>) => Stored<T>,
): readonly WatchEvent<T>[] {
  for (let i = 0; i < batch.length; i += 1) {
    const event = batch[i] as WatchEvent<T>;
    if (event.type === 'BOOKMARK') {
      if (event.initialEventsEnd) return batch.slice(i + 1);
      continue;
    }
    const { namespace = '', name } = event.object.metadata;
    const key = `${namespace}/${name}`;
    if (event.type === 'DELETED') gathered.delete(key);
    else gathered.set(key, intern(event.object));
  }
  return [];
}

/** The initial state is complete; the same watch goes on with changes. */
function replaceWithStreamed<T extends KubeObject>(
  { state, sink, backoff }: Reflection<T>,
  gathered: Map<string, Stored<T>>,
  resourceVersion: string,
): void {
  state.lastVersion = resourceVersion;
  sink.replace([...gathered.values()], resourceVersion);
  state.brokenStreams = 0;
  state.position = { phase: 'watching' };
  backoff.reset();
}

const startOver = <T extends KubeObject>({ state }: Reflection<T>): Position<T> => ({
  phase: 'empty',
  paging: state.paging,
});

/** Some servers, or proxies on the way to them, cut off a stream that is long; pages get through. */
function afterBrokenStream<T extends KubeObject>(reflection: Reflection<T>, error: unknown): Position<T> {
  const { state } = reflection;
  state.brokenStreams += 1;
  if (state.brokenStreams >= MAX_BROKEN_STREAMS) state.paging = reflection.listPaging;
  return retryAfterBackoff(reflection, error, startOver(reflection));
}

/** A streaming list failed before its initial state was complete. */
function afterFailedStream<T extends KubeObject>(
  reflection: Reflection<T>,
  error: unknown,
  isTimedOut: boolean,
): Position<T> {
  // A server without streaming lists ignores the option: it sends its objects, and never the bookmark that ends them.
  if (!isTimedOut && !isUnsupportedStream(error)) return afterBrokenStream(reflection, error);
  reflection.state.paging = reflection.listPaging;
  return startOver(reflection);
}

function afterFailedWatch<T extends KubeObject>(
  reflection: Reflection<T>,
  error: unknown,
  isTimedOut: boolean,
  received: number,
): Position<T> {
  const { state, expiryBackoff } = reflection;
  if (isExpired(error)) {
    state.expiredAtOnce = received > 0 ? 0 : state.expiredAtOnce + 1;
    if (state.expiredAtOnce <= 1) return startOver(reflection);
    return { phase: 'waiting', delayMs: expiryBackoff.next(), error, next: startOver(reflection) };
  }
  // The reflector's own deadline, for a connection that went silent. Nothing failed on the server: no backoff.
  if (isTimedOut) return { phase: 'watching' };
  return retryAfterBackoff(reflection, error, { phase: 'watching' });
}

const isOlder = (a: string, b: string): boolean => (compareResourceVersions(a, b) ?? 0) < 0;
