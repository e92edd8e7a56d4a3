/**
 * The committed objects of one tenant and resource. Lookups go through a hash map per namespace; order comes from a
 * copy-on-write tree, so that a list keeps seeing its revision while commits go on.
 */
import type { Stored } from '../../core/kube/objects.ts';
import { emptyNames, iterateNames, putName, removeName, thawNames } from './ordered-names.ts';
import type { OrderedNames } from './ordered-names.ts';

/** An unchanging state of a whole collection. Namespaces are in key order. */
export type CollectionSnapshot = readonly OrderedNames[];

export interface Position {
  readonly namespace: string;
  readonly name: string;
}

/** Order of namespaces as etcd sees them: keys are `namespace/name`, so `a-b/` comes before `a/`. */
export function compareNamespaces(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return -1;
  if (b === '') return 1;
  return `${a}/` < `${b}/` ? -1 : 1;
}

/** Index of the first namespace that is not before `namespace`. */
function namespaceSlot(shelves: CollectionSnapshot, namespace: string): number {
  let low = 0;
  let high = shelves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNamespaces((shelves[middle] as OrderedNames).namespace, namespace) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ordered part alone: enough to rebuild an older state from a snapshot. */
export class OrderedObjects {
  /** Grows with every snapshot; parts of an older epoch belong to snapshots and are copied before they change. */
  #epoch = 0;
  #shelves: OrderedNames[];
  /** `#shelves` itself is shared with a snapshot. */
  #shared: boolean;

  constructor(base?: CollectionSnapshot) {
    // A fork of a snapshot: its parts carry epochs of another tree, so all of them must count as old.
    this.#shelves = base === undefined ? [] : base.slice();
    this.#shared = false;
    if (base !== undefined) for (const shelf of base) this.#epoch = Math.max(this.#epoch, newestEpoch(shelf) + 1);
  }

  snapshot(): CollectionSnapshot {
    if (!this.#shared) {
      this.#shared = true;
      this.#epoch++;
    }
    return this.#shelves;
  }

  put(namespace: string, name: string, object: Stored): void {
    putName(this.#thawed(namespace, true) as OrderedNames, name, object);
  }

  remove(namespace: string, name: string): void {
    const shelf = this.#thawed(namespace, false);
    if (shelf === undefined) return;
    removeName(shelf, name);
    if (shelf.leaves.length === 0) this.#shelves.splice(namespaceSlot(this.#shelves, namespace), 1);
  }

  #thawed(namespace: string, create: boolean): OrderedNames | undefined {
    const at = namespaceSlot(this.#shelves, namespace);
    const found = this.#shelves[at];
    const present = found !== undefined && found.namespace === namespace;
    if (!present && !create) return undefined;
    if (this.#shared) {
      this.#shelves = this.#shelves.slice();
      this.#shared = false;
    }
    if (!present) {
      const made = emptyNames(namespace, this.#epoch);
      this.#shelves.splice(at, 0, made);
      return made;
    }
    const thawed = thawNames(found, this.#epoch);
    if (thawed !== found) this.#shelves[at] = thawed;
    return thawed;
  }
}

const newestEpoch = (shelf: OrderedNames): number => {
  let newest = shelf.epoch;
  for (const leaf of shelf.leaves) if (leaf.epoch > newest) newest = leaf.epoch;
  return newest;
};

/** Changed names are put in order this many at a time: objects change several times soon after they are made. */
const MOST_UNORDERED = 1024;

export class Collection {
  readonly #index = new Map<string, Map<string, Stored>>();
  /** The order as of the last snapshot, or a little later: names that changed since are in `#unordered`. */
  readonly #ordered = new OrderedObjects();
  readonly #unordered = new Map<string, Set<string>>();
  #unorderedCount = 0;
  #size = 0;

  get(namespace: string, name: string): Stored | undefined {
    return this.#index.get(namespace)?.get(name);
  }

  count(namespace?: string): number {
    if (namespace === undefined || namespace === '') return this.#size;
    return this.#index.get(namespace)?.size ?? 0;
  }

  put(namespace: string, name: string, object: Stored): void {
    let names = this.#index.get(namespace);
    if (names === undefined) this.#index.set(namespace, (names = new Map<string, Stored>()));
    const before = names.size;
    names.set(name, object);
    this.#size += names.size - before;
    this.#changed(namespace, name);
  }

  remove(namespace: string, name: string): void {
    const names = this.#index.get(namespace);
    if (names === undefined || !names.delete(name)) return;
    if (names.size === 0) this.#index.delete(namespace);
    this.#size--;
    this.#changed(namespace, name);
  }

  #changed(namespace: string, name: string): void {
    let names = this.#unordered.get(namespace);
    if (names === undefined) this.#unordered.set(namespace, (names = new Set<string>()));
    names.add(name);
    this.#unorderedCount++;
    if (this.#unorderedCount >= MOST_UNORDERED) this.#putInOrder();
  }

  #putInOrder(): void {
    for (const [namespace, names] of this.#unordered) {
      const objects = this.#index.get(namespace);
      for (const name of names) {
        const object = objects?.get(name);
        if (object === undefined) this.#ordered.remove(namespace, name);
        else this.#ordered.put(namespace, name, object);
      }
    }
    this.#unordered.clear();
    this.#unorderedCount = 0;
  }

  /** The present state. Costs in proportion to the changes since the last snapshot, and is cheap for later writes. */
  snapshot(): CollectionSnapshot {
    this.#putInOrder();
    return this.#ordered.snapshot();
  }
}

/** Objects in order, of one namespace or of all, strictly after a position when given. */
export function* iterateSnapshot(
  snapshot: CollectionSnapshot,
  namespace: string,
  after?: Position,
): Generator<Stored, void, undefined> {
  if (namespace !== '') {
    const shelf = snapshot[namespaceSlot(snapshot, namespace)];
    if (shelf === undefined || shelf.namespace !== namespace) return;
    const side = after === undefined ? -1 : compareNamespaces(after.namespace, namespace);
    if (side <= 0) yield* iterateNames(shelf, side === 0 ? after?.name : undefined);
    return;
  }
  let at = after === undefined ? 0 : namespaceSlot(snapshot, after.namespace);
  for (; at < snapshot.length; at++) {
    const shelf = snapshot[at] as OrderedNames;
    yield* iterateNames(shelf, shelf.namespace === after?.namespace ? after.name : undefined);
  }
}
