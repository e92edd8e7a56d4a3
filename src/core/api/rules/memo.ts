/**
 * Work that is done once per immutable subtree. Fifty thousand pods of one template share its containers, volumes and
 * tolerations by reference, so what was found out about those parts holds for every pod that carries them.
 *
 * The rule for everything kept here: a remembered answer may depend on the subtree that is its key and on context that
 * is compared on every look-up, on nothing else. API objects are never changed in place, which is what makes identity
 * a proof of equality.
 *
 * A pod that was read from the wire is seen once and never again. Entries for such pods would only feed the garbage
 * collector, so a key is remembered from its second sighting on; a short list of the last newcomers tells the first
 * sighting from the second. Templates are known to come back: they use `keep`.
 */
export interface SubtreeMemo<K extends object, R> {
  /** The remembered answer, or undefined. */
  readonly get: (key: K) => R | undefined;
  /** Remembers the answer if the key has been offered before. */
  readonly offer: (key: K, answer: R) => void;
  /** Remembers the answer now. */
  readonly keep: (key: K, answer: R) => void;
}

const NEWCOMERS = 32;

export function subtreeMemo<K extends object, R>(): SubtreeMemo<K, R> {
  const answers = new WeakMap<K, R>();
  const newcomers: (K | undefined)[] = Array.from({ length: NEWCOMERS }, () => undefined);
  let next = 0;
  return {
    get: (key) => answers.get(key),
    offer(key, answer) {
      if (answers.has(key) || newcomers.includes(key)) {
        answers.set(key, answer);
        return;
      }
      newcomers[next] = key;
      next = (next + 1) % NEWCOMERS;
    },
    keep(key, answer) {
      answers.set(key, answer);
    },
  };
}
