/**
 * Remembers lists that were checked, by identity. Pods of one template share their lists, and every one after the second
 * is not walked again. A list enters the weak table only when it is seen twice: otherwise every list that comes once
 * would leave an entry behind, and weak tables are dear to the garbage collector.
 */
export interface Seen {
  /** The result for a list that was checked before. */
  find(list: object): object | undefined;
  add(list: object, result: object): void;
}

/** Lists that came once are forgotten after this many others. */
const ONCE = 1024;

export function rememberSeen(): Seen {
  const results = new WeakMap<object, object>();
  let younger = new Set<object>();
  let older = new Set<object>();
  return {
    find: (list) => results.get(list),
    add(list, result) {
      if (younger.has(list) || older.has(list)) {
        results.set(list, result);
        results.set(result, result);
        return;
      }
      if (younger.size >= ONCE / 2) {
        older = younger;
        younger = new Set();
      }
      younger.add(list);
    },
  };
}
