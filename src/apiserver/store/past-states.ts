/**
 * States a collection had at earlier revisions, for reading page after page of one consistent list. A snapshot taken
 * for the first page is remembered; without one, the state is rebuilt by undoing held events. Nothing is remembered
 * past the history, so a snapshot keeps no object alive that the history would not.
 */
import { OrderedObjects } from './collection.ts';
import type { Collection, CollectionSnapshot } from './collection.ts';
import { tooOld } from './errors.ts';
import type { CollectionLog } from './history.ts';

const MOST_REMEMBERED = 8;

interface Remembered {
  /** The collection had this state from this revision until its next change. */
  readonly revision: number;
  readonly snapshot: CollectionSnapshot;
}

export class PastStates {
  readonly #collection: Collection;
  readonly #log: CollectionLog;
  /** Least recently used first. */
  #remembered: Remembered[] = [];

  constructor(collection: Collection, log: CollectionLog) {
    this.#collection = collection;
    this.#log = log;
  }

  /** The state at `revision`, which must not be in the future. Throws 410 when the history does not reach so far. */
  at(revision: number): CollectionSnapshot {
    const log = this.#log;
    if (revision >= log.lastRevision) return this.#remember(log.lastRevision, this.#collection.snapshot());
    if (revision < log.compactedThrough) throw tooOld(revision, log.compactedThrough);
    const firstUndone = log.firstAfter(revision);
    const since = firstUndone === 0 ? log.compactedThrough : log.at(firstUndone - 1).revision;
    let nearest: Remembered | undefined;
    for (const candidate of this.#remembered) {
      if (candidate.revision < since) continue;
      if (nearest === undefined || candidate.revision < nearest.revision) nearest = candidate;
    }
    if (nearest?.revision === since) return this.#remember(since, nearest.snapshot);
    return this.#remember(since, this.#undo(firstUndone, nearest));
  }

  #undo(firstUndone: number, from: Remembered | undefined): CollectionSnapshot {
    const log = this.#log;
    const objects = new OrderedObjects(from?.snapshot ?? this.#collection.snapshot());
    const end = from === undefined ? log.length : log.firstAfter(from.revision);
    for (let i = end - 1; i >= firstUndone; i--) {
      const { namespace, name, previous } = log.at(i);
      if (previous === undefined) objects.remove(namespace, name);
      else objects.put(namespace, name, previous);
    }
    return objects.snapshot();
  }

  #remember(revision: number, snapshot: CollectionSnapshot): CollectionSnapshot {
    const oldest = this.#log.compactedThrough;
    const kept = this.#remembered.filter((r) => r.revision !== revision && r.revision >= oldest);
    kept.push({ revision, snapshot });
    if (kept.length > MOST_REMEMBERED) kept.shift();
    this.#remembered = kept;
    this.#log.onDropped = () => this.#forgetCompacted();
    return snapshot;
  }

  #forgetCompacted(): void {
    const oldest = this.#log.compactedThrough;
    if (this.#remembered.every((r) => r.revision >= oldest)) return;
    this.#remembered = this.#remembered.filter((r) => r.revision >= oldest);
    if (this.#remembered.length === 0) this.#log.onDropped = undefined;
  }
}
