/**
 * Follows one resource of one API server: reads its state, then every change, once and in order, over any `Client`.
 * It survives everything a server does to it (expired pages and watches, broken connections, refusals), never shows
 * an empty cache in between, and deletes nothing that a newer list or a delete event did not say is gone.
 */
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { abortAfter, linkAbort, wasAborted } from '../../time/abort.ts';
import { createBackoff } from '../../time/backoff.ts';
import type { Client, Scope, WatchEvent } from '../../client/client.ts';
import type { Clock } from '../../time/clock.ts';
import { silentLogger, type Logger } from '../../logging/logger.ts';
import type { Random } from '../../random/random.ts';
import { compareResourceVersions } from '../../../core/kube/resource-version.ts';
import { afterExpiredPage, type Paging, type ReflectorState } from './reflector-state.ts';

export type ObjectEvent<T extends KubeObject> = Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' }>;

/** Where a reflector puts what it learns. Called from the reflector's own turn, never re-entered. */
export interface ReflectorSink<T extends KubeObject> {
  /** What is to be kept of an object that was just decoded: asked as they come, so that the whole of it is there only a few at a time. */
  intern?(object: Stored<T>): Stored<T>;
  /** The whole state as of this version; what is not in it is gone. */
  replace(items: readonly Stored<T>[], resourceVersion: string): void;
  /** Changes after everything said before. */
  apply(events: readonly ObjectEvent<T>[], resourceVersion: string): void;
}

/** What to follow. */
export interface ReflectorScope extends Scope {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Objects a page; 500 as client-go does. 0 reads everything at once. */
  readonly pageSize?: number;
  /** Read the state as the first events of a watch (Kubernetes 1.32 and later), which spares the server a big answer. */
  readonly streamingList?: boolean;
  /**
   * From which state a list may be answered first. `latest` (the default): the newest there is. `any`: whatever the server has
   * at hand (`resourceVersion=0`), as client-go reads, which spares etcd; later lists are never older than what was seen.
   */
  readonly startFrom?: 'latest' | 'any';
  /**
   * Watches are ended by the server after between once and twice this long, and by us half a minute later, so that a dead
   * connection is noticed. 0: never, for servers in the same process.
   */
  readonly watchTimeoutMs?: number;
}

const DEFAULT_PAGE = 500;
const DEFAULT_WATCH_TIMEOUT = 300_000;
const WATCH_GRACE = 30_000;
/** A watch that ends sooner than this and brought nothing is a failure in disguise. */
const SHORTEST_WATCH = 1_000;
const MAX_BROKEN_STREAMS = 2;
/** A server that refuses says so within this time; an attempt that has lasted longer was let pass. */
const REFUSED_WITHIN = 5_000;
/** Pages that expired were too many: the second time there are fewer. */
const LARGER = 10;

export interface Reflector {
  /** The version up to which everything has been handed on; empty at first. */
  readonly resourceVersion: string;
  readonly phase: ReflectorState<KubeObject>['phase'];
  /** The server's refusal (401, 403) of the last attempt to list or watch, until one is under way that it lets pass. */
  readonly refusal: StatusError | undefined;
  run(signal: AbortSignal): Promise<void>;
}

export function createReflector<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  scope: ReflectorScope,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
): Reflector {
  const { clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const pageSize = options.pageSize ?? DEFAULT_PAGE;
  const watchTimeout = options.watchTimeoutMs ?? DEFAULT_WATCH_TIMEOUT;
  const intern = sink.intern ?? ((object: Stored<T>): Stored<T> => object);
  const backoff = createBackoff(clock, random);
  /** Its own, because a list that succeeds settles the other: "list, watch expired, list, …" must slow down too. */
  const expiryBackoff = createBackoff(clock, random);

  const inLists: Paging = pageSize === 0 ? 'whole' : 'pages';
  let preferred: Paging = options.streamingList === true ? 'stream' : inLists;
  let state: ReflectorState<T> = { phase: 'empty', paging: preferred };
  let lastVersion = '';
  /** The server does not have our last version, or not yet: the next list takes the newest, whatever that costs it. */
  let mustBeLatest = options.startFrom !== 'any';
  /** Streams in a row that broke off before all was there. */
  let brokenStreams = 0;
  /** Watches in a row that were refused as expired before they brought anything. */
  let expiredAtOnce = 0;
  /** The refusal of the attempt before the one that began at `at`. */
  let refused: { readonly error: StatusError; readonly at: number } | undefined;

  const wait = (error: unknown, next: ReflectorState<T>): ReflectorState<T> => ({
    phase: 'waiting',
    delayMs: backoff.next(),
    error,
    next,
  });
  /** Some servers, or something on the way to them, cut off a stream that is long; pages get through. */
  const streamBroke = (): void => {
    brokenStreams += 1;
    if (brokenStreams >= MAX_BROKEN_STREAMS) preferred = inLists;
  };
  const startOver = (): ReflectorState<T> => ({ phase: 'empty', paging: preferred });

  const fromVersion = (): { readonly resourceVersion?: string } =>
    mustBeLatest ? {} : { resourceVersion: lastVersion === '' ? '0' : lastVersion };

  async function readPage(
    paging: Paging,
    gathered: Stored<T>[],
    continueToken: string,
    signal: AbortSignal,
  ): Promise<ReflectorState<T>> {
    try {
      const page = await client.list(resource, {
        ...scope,
        signal,
        ...(paging === 'whole' ? {} : { limit: paging === 'restarted' ? LARGER * pageSize : pageSize }),
        // A token carries its own version.
        ...(continueToken === '' ? fromVersion() : { continue: continueToken }),
      });
      // One by one: spreading a large page would overflow the stack.
      for (const item of page.items) gathered.push(intern(item));
      return page.continue === undefined || page.continue === ''
        ? { phase: 'listed', items: gathered, resourceVersion: page.resourceVersion }
        : { phase: 'listing', paging, gathered, continue: page.continue };
    } catch (error) {
      if (continueToken !== '' && isExpired(error)) return { phase: 'empty', paging: afterExpiredPage(paging) };
      if (!mustBeLatest && (isExpired(error) || isTooNew(error))) {
        mustBeLatest = true;
        return { phase: 'empty', paging };
      }
      // The pages so far are still good: the server judges by the token whether they can be continued.
      return wait(
        error,
        continueToken === ''
          ? { phase: 'empty', paging }
          : { phase: 'listing', paging, gathered, continue: continueToken },
      );
    }
  }

  /** Takes a watch's batches, in which duplicates of what was already handed on do not count. */
  function handOn(batch: readonly WatchEvent<T>[]): void {
    let fresh: ObjectEvent<T>[] | undefined;
    let version = lastVersion;
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
    lastVersion = version;
    if (fresh !== undefined) sink.apply(fresh, version);
  }

  /** Runs one watch to its end. Returns the state that follows. `initial` gathers the whole state first. */
  async function follow(initial: Map<string, Stored<T>> | undefined, stop: AbortSignal): Promise<ReflectorState<T>> {
    const began = clock.monotonic();
    const timeoutMs = watchTimeout === 0 ? 0 : watchTimeout * (1 + random.next());
    using link = timeoutMs === 0 ? linkAbort(stop) : abortAfter(clock, timeoutMs + WATCH_GRACE, stop);
    let gathering = initial;
    let received = 0;
    try {
      const stream = client.watch(resource, {
        ...scope,
        signal: link.signal,
        allowWatchBookmarks: true,
        ...(gathering === undefined ? { resourceVersion: lastVersion } : { sendInitialEvents: true }),
        ...(timeoutMs === 0 ? {} : { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
      });
      for await (const batch of stream) {
        received += batch.length;
        expiredAtOnce = 0;
        const rest: readonly WatchEvent<T>[] = gathering === undefined ? batch : gather(gathering, batch, intern);
        if (gathering !== undefined) {
          const end = batch[batch.length - rest.length - 1];
          if (end?.type !== 'BOOKMARK' || !end.initialEventsEnd) continue;
          lastVersion = end.resourceVersion;
          sink.replace([...gathering.values()], lastVersion);
          gathering = undefined;
          brokenStreams = 0;
          state = { phase: 'watching' };
          backoff.reset();
        }
        if (rest.length > 0) handOn(rest);
      }
      stop.throwIfAborted();
      if (gathering !== undefined) {
        streamBroke();
        return wait(new Error('the watch ended before its initial state was complete'), startOver());
      }
      const next: ReflectorState<T> = { phase: 'watching' };
      if (received > 0 || clock.monotonic() - began >= SHORTEST_WATCH) return next;
      return wait(new Error('the watch ended at once, without events'), next);
    } catch (error) {
      if (stop.aborted) throw error;
      if (gathering !== undefined) {
        // A server that knows nothing of this sends its objects and never says that these were all.
        const isUnsupported = isUnsupportedStream(error) || link.signal.aborted;
        if (isUnsupported) preferred = inLists;
        else streamBroke();
        return isUnsupported ? startOver() : wait(error, startOver());
      }
      if (isExpired(error)) {
        expiredAtOnce = received > 0 ? 0 : expiredAtOnce + 1;
        if (expiredAtOnce <= 1) return startOver();
        return { phase: 'waiting', delayMs: expiryBackoff.next(), error, next: startOver() };
      }
      const next: ReflectorState<T> = { phase: 'watching' };
      // Our own deadline: a connection that went silent. Nothing failed on the server, so no penalty.
      if (link.signal.aborted) return next;
      return wait(error, next);
    }
  }

  function step(signal: AbortSignal): Promise<ReflectorState<T>> | ReflectorState<T> {
    switch (state.phase) {
      case 'empty':
        if (state.paging === 'stream') return { phase: 'streaming', gathered: new Map() };
        return readPage(state.paging, [], '', signal);
      case 'streaming':
        return follow(state.gathered, signal);
      case 'listing':
        return readPage(state.paging, state.gathered, state.continue, signal);
      case 'listed':
        lastVersion = state.resourceVersion;
        mustBeLatest = options.startFrom !== 'any';
        sink.replace(state.items, lastVersion);
        backoff.reset();
        return { phase: 'watching' };
      case 'watching':
        return follow(undefined, signal);
      case 'waiting': {
        const { next } = state;
        logger.warn('Following a resource failed, trying again', {
          resource: resource.resource,
          group: resource.group,
          retryMs: Math.round(state.delayMs),
          error: state.error,
        });
        const { error } = state;
        return clock.sleep(state.delayMs, signal).then(() => {
          refused = isRefusal(error) ? { error, at: clock.monotonic() } : undefined;
          return next;
        });
      }
    }
  }

  return {
    get resourceVersion() {
      return lastVersion;
    },
    get phase() {
      return state.phase;
    },
    get refusal() {
      if (state.phase === 'waiting') return isRefusal(state.error) ? state.error : undefined;
      return refused !== undefined && clock.monotonic() - refused.at < REFUSED_WITHIN ? refused.error : undefined;
    },
    async run(signal) {
      try {
        while (!signal.aborted) state = await step(signal);
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      }
    },
  };
}

const isOlder = (a: string, b: string): boolean => (compareResourceVersions(a, b) ?? 0) < 0;

const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && (error.code === 401 || error.code === 403);

const isExpired = (error: unknown): boolean => error instanceof StatusError && error.code === 410;

/** The server is behind the version that was asked for, and did not catch up in time. */
const isTooNew = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false);

/** Servers that cannot stream a list refuse the option as invalid. */
const isUnsupportedStream = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 400 || error.code === 403 || error.code === 422);

/** Puts events into the gathered state until the bookmark that ends it; answers the events after that. */
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
