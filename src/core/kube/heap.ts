/** An entry of a `Heap`. The heap keeps `heapIndex` so that any entry can be taken out in O(log n). */
export interface HeapEntry {
  /** Index in the heap's array, -1 while the entry is in no heap. Written by the heap alone. */
  heapIndex: number;
}

export interface Heap<T extends HeapEntry> {
  readonly size: number;
  peek(): T | undefined;
  push(entry: T): void;
  pop(): T | undefined;
  /** Takes an entry out, wherever it is. False if the heap does not hold the entry. */
  remove(entry: T): boolean;
  /** Restores the order after the entry's key changed. */
  update(entry: T): void;
}

/** A binary min-heap. `before` must be a strict total order if the order of equals matters. */
export function createHeap<T extends HeapEntry>(before: (a: T, b: T) => boolean): Heap<T> {
  const entries: T[] = [];

  const place = (entry: T, index: number): void => {
    entries[index] = entry;
    entry.heapIndex = index;
  };

  const siftUp = (entry: T, from: number): void => {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex] as T;
      if (!before(entry, parent)) break;
      place(parent, index);
      index = parentIndex;
    }
    place(entry, index);
  };

  const siftDown = (entry: T, from: number): void => {
    const half = entries.length >> 1;
    let index = from;
    while (index < half) {
      let childIndex = 2 * index + 1;
      let child = entries[childIndex] as T;
      const right = entries[childIndex + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        childIndex += 1;
      }
      if (!before(child, entry)) break;
      place(child, index);
      index = childIndex;
    }
    place(entry, index);
  };

  const removeAt = (index: number): T => {
    const entry = entries[index] as T;
    const last = entries.pop() as T;
    if (last !== entry) {
      siftDown(last, index);
      if (last.heapIndex === index) siftUp(last, index);
    }
    entry.heapIndex = -1;
    return entry;
  };

  return {
    get size() {
      return entries.length;
    },
    peek: () => entries[0],
    push(entry) {
      entries.push(entry);
      siftUp(entry, entries.length - 1);
    },
    pop: () => (entries.length === 0 ? undefined : removeAt(0)),
    remove(entry) {
      if (entry.heapIndex < 0 || entries[entry.heapIndex] !== entry) return false;
      removeAt(entry.heapIndex);
      return true;
    },
    update(entry) {
      siftDown(entry, entry.heapIndex);
      siftUp(entry, entry.heapIndex);
    },
  };
}
