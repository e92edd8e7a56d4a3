/** The most recently used values, up to a limit: using a value makes it the youngest, and the oldest is forgotten. */
export interface Memory<V> {
  get(key: string): V | undefined;
  /** The value under the key, made if need be. */
  recall(key: string, make: () => V): V;
  forget(key: string): void;
}

export function createMemory<V>(limit: number): Memory<V> {
  /** Oldest first. */
  const values = new Map<string, V>();
  /**
   * Stands before the oldest: every key it has passed is gone from the map. A new iterator each time would begin by walking over
   * all entries that were deleted since the map last grew.
   */
  let oldest = values.keys();

  function forgetOldest(): void {
    let next = oldest.next();
    if (next.done === true) {
      oldest = values.keys();
      next = oldest.next();
    }
    if (next.done !== true) values.delete(next.value);
  }

  return {
    get: (key) => values.get(key),
    recall(key, make) {
      const known = values.get(key);
      const value = known ?? make();
      if (known !== undefined) values.delete(key);
      values.set(key, value);
      if (values.size > limit) forgetOldest();
      return value;
    },
    forget: (key) => void values.delete(key),
  };
}
