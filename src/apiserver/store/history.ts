/**
 * Recent events, bounded in count and bytes over all collections together. Each collection keeps its own
 * events, so a replay never wades through those of others, and a quiet collection can be resumed from long ago even
 * when a busy one has pushed the shared bound forward.
 */
import { Deque } from './deque.ts';
import { retainedBytes } from './retained-bytes.ts';
import type { StoreEvent } from './store.ts';

export interface HistoryLimits {
  /** Most events held, over all collections. */
  readonly events: number;
  /** Most heap (approximately) that replaced objects may keep alive, over all collections. */
  readonly bytes: number;
}

export const DEFAULT_HISTORY: HistoryLimits = { events: 100_000, bytes: 64 * 1024 * 1024 };

/** Measuring every event would cost more than storing it; one in this many stands for its neighbours. */
const SAMPLE_EVERY = 16;

export class CollectionLog {
  readonly #events = new Deque<StoreEvent>();
  /** Every event of this collection after this revision is held. */
  compactedThrough: number;
  /** Revision of the collection's newest change; its state is the same at every revision from here on. */
  lastRevision: number;
  /** Estimated bytes of the next events, refreshed by sampling. */
  bytesPerEvent = 0;
  untilSample = 0;
  /** Called when an event was dropped; set by caches of past states, which must not outlive their events. */
  onDropped: (() => void) | undefined = undefined;

  constructor(startRevision: number) {
    this.compactedThrough = startRevision;
    this.lastRevision = startRevision;
  }

  get length(): number {
    return this.#events.length;
  }

  /** Undefined where no event is held. */
  get oldestRevision(): number | undefined {
    return this.#events.first?.revision;
  }

  at(index: number): StoreEvent {
    return this.#events.at(index);
  }

  /** Index of the first held event strictly after `revision`. */
  firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events.at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    this.lastRevision = event.revision;
  }

  dropOldest(): number {
    const revision = this.#events.shift()?.revision ?? this.compactedThrough;
    this.compactedThrough = revision;
    this.onDropped?.();
    return revision;
  }
}

export class History {
  readonly #limits: HistoryLimits;
  /** The owners of all held events, oldest first, and the bytes that each event was estimated to retain. */
  readonly #owners = new Deque<CollectionLog>();
  readonly #bytes = new Deque<number>();
  #totalBytes = 0;
  /** From here every collection can be resumed; older revisions only where nothing was dropped since. */
  compactedRevision: number;

  constructor(limits: HistoryLimits, startRevision: number) {
    this.#limits = limits;
    this.compactedRevision = startRevision;
  }

  get length(): number {
    return this.#owners.length;
  }

  get approximateBytes(): number {
    return this.#totalBytes;
  }

  record(log: CollectionLog, event: StoreEvent): void {
    if (log.untilSample === 0) {
      log.untilSample = SAMPLE_EVERY;
      log.bytesPerEvent = retainedBytes(event);
    }
    log.untilSample--;
    log.append(event);
    this.#owners.push(log);
    this.#bytes.push(log.bytesPerEvent);
    this.#totalBytes += log.bytesPerEvent;
    while (this.#owners.length > this.#limits.events || this.#totalBytes > this.#limits.bytes) {
      if (!this.#dropOldest()) return;
    }
  }

  /** Drops events up to this revision, oldest first, until no more than `keepBytes` are held. Returns the bytes freed. */
  trim(through: number, keepBytes: number): number {
    const before = this.#totalBytes;
    while (this.#totalBytes > keepBytes && (this.#owners.first?.oldestRevision ?? Infinity) <= through)
      this.#dropOldest();
    return before - this.#totalBytes;
  }

  #dropOldest(): boolean {
    const owner = this.#owners.shift();
    if (owner === undefined) return false;
    this.#totalBytes -= this.#bytes.shift() ?? 0;
    this.compactedRevision = owner.dropOldest();
    return true;
  }
}
