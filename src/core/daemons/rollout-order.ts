/**
 * In which order a rollout goes through nodes: by group if a label is named for it (zone by zone), by name within one. The
 * order is the same however often the rollout is begun, interrupted or retried, so a person can say where it is.
 */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';

export interface RolloutOrder {
  /** Puts places in line. */
  add(places: Iterable<number>): void;
  clear(): void;
  /**
   * The first so many places that still pass the test and whose turn it may be, in order. They stay in line, as do those
   * that must wait; those that fail the test leave.
   */
  first(count: number, isCandidate: (place: number) => boolean, mayGo?: (place: number) => boolean): readonly number[];
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

interface Entry {
  readonly key: string;
  readonly place: number;
}

const isBefore = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined && b !== undefined && a.key < b.key;

export function createRolloutOrder(nodes: NodeNames, groupLabel?: string): RolloutOrder {
  /** A heap; places may be in it twice, or no longer be candidates: that is found out when their turn comes. */
  const heap: Entry[] = [];

  function push(entry: Entry): void {
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent])) break;
      heap[at] = heap[parent] as Entry;
      at = parent;
    }
    heap[at] = entry;
  }

  function pop(): Entry | undefined {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
    return top;
  }

  return {
    add(places) {
      for (const place of places) push({ key: orderKey(nodes, place, groupLabel), place });
    },
    clear: () => void heap.splice(0),
    first(count, isCandidate, mayGo) {
      const taken = new Map<number, Entry>();
      const waiting = new Map<number, Entry>();
      while (taken.size < count) {
        const entry = pop();
        if (entry === undefined) break;
        const { place } = entry;
        if (!isCandidate(place)) continue;
        // Its label has changed, or the place was given to another node: it goes to where it belongs by now.
        const key = orderKey(nodes, place, groupLabel);
        if (key !== entry.key) push({ key, place });
        else if (mayGo === undefined || mayGo(place)) taken.set(place, entry);
        else waiting.set(place, entry);
      }
      for (const entry of waiting.values()) push(entry);
      for (const entry of taken.values()) push(entry);
      return [...taken.keys()];
    },
  };
}
