/** Small moves on immutable objects that strategies are made of. */

/** The object without some members; itself when it has none of them. */
export function withoutFields<T extends object>(object: T, ...keys: readonly (keyof T)[]): T {
  if (!keys.some((key) => object[key] !== undefined)) return object;
  const rest = { ...(object as { [key: PropertyKey]: unknown }) };
  for (const key of keys) delete rest[key];
  return rest as T;
}

/** The list with every element mapped; itself when none changed. */
export function mapped<T>(list: readonly T[], map: (element: T) => T): readonly T[] {
  let result: T[] | undefined;
  for (const [index, element] of list.entries()) {
    const next = map(element);
    if (next === element) continue;
    result ??= [...list];
    result[index] = next;
  }
  return result ?? list;
}

/** A plain object built from keys of unknown origin: `__proto__` is data like any other. */
export function fromEntries<V>(entries: Iterable<readonly [string, V]>): { readonly [key: string]: V } {
  const result: { [key: string]: V } = {};
  for (const [key, value] of entries) {
    if (key === '__proto__')
      Object.defineProperty(result, key, { value, enumerable: true, writable: true, configurable: true });
    else result[key] = value;
  }
  return result;
}
