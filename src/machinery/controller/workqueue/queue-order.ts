/** Which of the waiting keys comes next. A key is pushed at most once before it is popped. */
export interface QueueOrder<K> {
  readonly length: number;
  push(key: K): void;
  pop(): K | undefined;
}

/** First come, first served. */
export function createFifoOrder<K>(): QueueOrder<K> {
  /** A ring whose size is a power of two; between `head` and `tail` lie the waiting keys. */
  let ring: (K | undefined)[] = Array.from({ length: 16 });
  let head = 0;
  let tail = 0;

  const grow = (): void => {
    const larger: (K | undefined)[] = Array.from({ length: ring.length * 2 });
    const count = tail - head;
    for (let i = 0; i < count; i += 1) larger[i] = ring[(head + i) & (ring.length - 1)];
    ring = larger;
    head = 0;
    tail = count;
  };

  return {
    get length() {
      return tail - head;
    },
    push(key) {
      if (tail - head === ring.length) grow();
      ring[tail & (ring.length - 1)] = key;
      tail += 1;
    },
    pop() {
      if (head === tail) return undefined;
      const at = head & (ring.length - 1);
      const key = ring[at];
      ring[at] = undefined;
      head += 1;
      return key;
    },
  };
}

/**
 * Groups take turns, first come, first served within one: a namespace or tenant that floods the queue delays itself
 * and adds at most one key to the wait of every other.
 */
export function createFairOrder<K>(groupOf: (key: K) => string): QueueOrder<K> {
  /** Only groups with waiting keys. */
  const groups = new Map<string, QueueOrder<K>>();
  /** Their names in the order of their turns, each once. */
  const turns = createFifoOrder<string>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(key) {
      const name = groupOf(key);
      let group = groups.get(name);
      if (group === undefined) {
        groups.set(name, (group = createFifoOrder<K>()));
        turns.push(name);
      }
      group.push(key);
      length += 1;
    },
    pop() {
      const name = turns.pop();
      if (name === undefined) return undefined;
      const group = groups.get(name);
      const key = group?.pop();
      length -= 1;
      if (group === undefined || group.length === 0) groups.delete(name);
      else turns.push(name);
      return key;
    },
  };
}

/** Higher priority first, first come first served within one. Priorities are few (user change, resync), so a list of them does. */
export function createPriorityOrder<K>(priorityOf: (key: K) => number): QueueOrder<K> {
  const levels = new Map<number, QueueOrder<K>>();
  /** The priorities with waiting keys, highest first. */
  let ranks: number[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(key) {
      const priority = priorityOf(key);
      let level = levels.get(priority);
      if (level === undefined) levels.set(priority, (level = createFifoOrder<K>()));
      if (level.length === 0) ranks = [...ranks, priority].toSorted((a, b) => b - a);
      level.push(key);
      length += 1;
    },
    pop() {
      const [highest] = ranks;
      if (highest === undefined) return undefined;
      const level = levels.get(highest);
      const key = level?.pop();
      length -= 1;
      if (level === undefined || level.length === 0) ranks = ranks.slice(1);
      return key;
    },
  };
}
