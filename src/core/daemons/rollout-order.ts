/**
 * In which order a rollout goes through nodes: by group if a label is named for it (zone by zone), by name within one. The
 * order is the same however often the rollout is begun, interrupted or retried, so a person can say where it is.
 */
import type { Node } from '../api/types/core-v1.ts';
import { createHeap, type Heap, type HeapEntry } from '../kube/heap.ts';
import { labelOf } from '../kube/labels.ts';

export interface RolloutOrder {
  /** Adds places to the candidates of `first`. */
  add(places: Iterable<number>): void;
  /** Removes all candidates. */
  clear(): void;
  /**
   * The first `count` places, in order, that pass `isCandidate` and `mayGo`. Places that fail `isCandidate` leave the
   * candidates; all others stay, chosen or not.
   */
  first(count: number, isCandidate: (place: number) => boolean, mayGo?: (place: number) => boolean): readonly number[];
  /** Any places, candidates or not, in the order in which `first` would choose them. */
  sorted(places: ReadonlySet<number>): readonly number[];
}

export interface NodeNames {
  node(place: number): Node | undefined;
  nodeName(place: number): string;
}

/** The text by which nodes are put in order. A control character sorts before everything a name or label may hold. */
function orderKey(nodes: NodeNames, place: number, groupLabel: string | undefined): string {
  const name = nodes.nodeName(place);
  if (groupLabel === undefined) return name;
  return `${labelOf(nodes.node(place)?.metadata.labels, groupLabel) ?? '\u007f'}\u0001${name}`;
}

interface Entry extends HeapEntry {
  /** The place's `orderKey` when the entry was made; outdated once the node's label or the place's node changes. */
  readonly key: string;
  readonly place: number;
}

/** The one comparator: candidates leave the heap by it, and `sorted` sorts by it. */
const isBefore = (a: Entry, b: Entry): boolean => a.key < b.key;

export function createRolloutOrder(nodes: NodeNames, groupLabel?: string): RolloutOrder {
  /** A place may have several entries, outdated ones among them: `first` drops those when they come to the top. */
  let heap: Heap<Entry> = createHeap(isBefore);
  const entryAt = (place: number): Entry => ({ key: orderKey(nodes, place, groupLabel), place, heapIndex: -1 });

  return {
    add(places) {
      for (const place of places) heap.push(entryAt(place));
    },
    clear: () => void (heap = createHeap(isBefore)),
    first(count, isCandidate, mayGo) {
      const taken = new Map<number, Entry>();
      const waiting = new Map<number, Entry>();
      while (taken.size < count) {
        const entry = heap.pop();
        if (entry === undefined) break;
        const { place } = entry;
        if (!isCandidate(place)) continue;
        const key = orderKey(nodes, place, groupLabel);
        if (key !== entry.key) heap.push({ key, place, heapIndex: -1 });
        else if (mayGo === undefined || mayGo(place)) taken.set(place, entry);
        else waiting.set(place, entry);
      }
      for (const entry of waiting.values()) heap.push(entry);
      for (const entry of taken.values()) heap.push(entry);
      return [...taken.keys()];
    },
    sorted(places) {
      if (places.size < 2) return [...places];
      const entries = Array.from(places, entryAt);
      return entries.sort((a, b) => (isBefore(a, b) ? -1 : 1)).map(({ place }) => place);
    },
  };
}
