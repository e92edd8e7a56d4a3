/**
 * The watchers of one collection. A watcher first replays held events, a bounded piece at a time, and goes live when
 * all committed events are delivered; both happen on one thread between commits, so there is neither gap nor repeat.
 * Live watchers of all namespaces are handed the very same array; those of one namespace only pay for it.
 */
import type { Clock } from '../../machinery/time/clock.ts';
import { tooOld, watcherFailed } from './errors.ts';
import type { CollectionLog } from './history.ts';
import type { StoreEvent, StoreWatcher, StoreWatchOptions } from './store.ts';

/** Events looked at in one turn of a replay: a long one must not hold up the loop. */
const REPLAY_SCAN = 2_000;

interface Watching {
  readonly watcher: StoreWatcher;
  /** Empty: all. */
  readonly namespace: string;
  /** Everything up to here was delivered, or is not wanted. */
  position: number;
  /** `replaying` until all committed events were handed over; a live watcher misses nothing after its position. */
  state: 'replaying' | 'live' | 'stopped';
}

export class WatchHub {
  readonly #log: CollectionLog;
  readonly #clock: Clock;
  readonly #all = new Set<Watching>();
  readonly #byNamespace = new Map<string, Set<Watching>>();
  readonly #replaying = new Set<Watching>();

  constructor(log: CollectionLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#byNamespace.size === 0 && this.#replaying.size === 0;
  }

  watch(options: StoreWatchOptions, watcher: StoreWatcher, committed: () => number): { stop(): void } {
    const { since, namespace = '' } = options;
    if (since < this.#log.compactedThrough) throw tooOld(since, this.#log.compactedThrough);
    const watching: Watching = { watcher, namespace, position: since, state: 'replaying' };
    if (since >= this.#log.lastRevision) this.#goLive(watching);
    else this.#replaying.add(watching);
    queueMicrotask(() => {
      if (watching.state === 'replaying') this.#replay(watching, committed);
      else if (watching.state === 'live') this.#tellProgress(watching, committed());
    });
    return { stop: () => this.#stop(watching) };
  }

  /** Hands one commit's events to every live watcher. The array is never changed afterwards. */
  deliver(events: readonly StoreEvent[]): void {
    for (const watching of this.#all) this.#hand(watching, events);
    if (this.#byNamespace.size === 0) return;
    const wanted = new Map<string, StoreEvent[]>();
    for (const event of events) {
      if (!this.#byNamespace.has(event.namespace)) continue;
      const some = wanted.get(event.namespace);
      if (some === undefined) wanted.set(event.namespace, [event]);
      else some.push(event);
    }
    for (const [namespace, some] of wanted) {
      for (const watching of this.#byNamespace.get(namespace) ?? []) this.#hand(watching, some);
    }
  }

  /** Tells every live watcher that it has seen all there is up to `revision`. */
  progress(revision: number): void {
    for (const some of [this.#all, ...this.#byNamespace.values()]) {
      for (const watching of some) if (revision > watching.position) this.#tellProgress(watching, revision);
    }
  }

  close(reason: Error): void {
    const everyone = [...this.#all, ...this.#replaying, ...[...this.#byNamespace.values()].flatMap((s) => [...s])];
    for (const watching of everyone) this.#end(watching, reason);
  }

  #hand(watching: Watching, events: readonly StoreEvent[]): void {
    const last = events[events.length - 1];
    if (last === undefined || last.revision <= watching.position) return;
    // Only a watcher that asked for a future revision is ever ahead of the first event.
    const first = events[0] as StoreEvent;
    const fresh = first.revision > watching.position ? events : events.filter((e) => e.revision > watching.position);
    watching.position = last.revision;
    try {
      watching.watcher.events(fresh);
    } catch (cause) {
      this.#end(watching, watcherFailed(cause));
    }
  }

  #tellProgress(watching: Watching, revision: number): void {
    if (watching.watcher.progress === undefined || revision < watching.position) return;
    watching.position = revision;
    try {
      watching.watcher.progress(revision);
    } catch (cause) {
      this.#end(watching, watcherFailed(cause));
    }
  }

  #replay(watching: Watching, committed: () => number): void {
    if (watching.state !== 'replaying') return;
    const log = this.#log;
    if (watching.position < log.compactedThrough) {
      this.#end(watching, tooOld(watching.position, log.compactedThrough));
      return;
    }
    const from = log.firstAfter(watching.position);
    const end = Math.min(log.length, from + REPLAY_SCAN);
    const events: StoreEvent[] = [];
    for (let i = from; i < end; i++) {
      const event = log.at(i);
      if (watching.namespace === '' || event.namespace === watching.namespace) events.push(event);
    }
    const reached = end > from ? log.at(end - 1).revision : watching.position;
    const caughtUp = end === log.length;
    this.#hand(watching, events);
    watching.position = Math.max(watching.position, reached);
    // The handler may have stopped the watch; nothing can have been committed meanwhile.
    if (!isReplaying(watching)) return;
    if (caughtUp) {
      this.#replaying.delete(watching);
      this.#goLive(watching);
      this.#tellProgress(watching, committed());
    } else {
      this.#clock.after(0, () => this.#replay(watching, committed));
    }
  }

  #goLive(watching: Watching): void {
    watching.state = 'live';
    if (watching.namespace === '') {
      this.#all.add(watching);
      return;
    }
    const some = this.#byNamespace.get(watching.namespace);
    if (some === undefined) this.#byNamespace.set(watching.namespace, new Set([watching]));
    else some.add(watching);
  }

  #stop(watching: Watching): void {
    watching.state = 'stopped';
    this.#all.delete(watching);
    this.#replaying.delete(watching);
    const some = this.#byNamespace.get(watching.namespace);
    if (some?.delete(watching) === true && some.size === 0) this.#byNamespace.delete(watching.namespace);
  }

  #end(watching: Watching, reason: Error): void {
    if (watching.state === 'stopped') return;
    this.#stop(watching);
    try {
      watching.watcher.closed(reason);
    } catch {
      // The watcher has been cut off already; an error that it throws now concerns no other watcher.
    }
  }
}

/** A function, since the compiler does not know that a handler may change the state. */
const isReplaying = (watching: Watching): boolean => watching.state === 'replaying';
