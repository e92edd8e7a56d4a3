/** Copies that happen only where something changes, so that unchanged parts keep their identity. */

/** The list itself when no element changed. */
export function mapShared<T>(list: readonly T[], change: (element: T, index: number) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const element = list[index] as T;
    const changed = change(element, index);
    if (copy !== undefined) copy.push(changed);
    else if (changed !== element) {
      copy = list.slice(0, index);
      copy.push(changed);
    }
  }
  return copy ?? list;
}

/** `mapShared` for a list that may be missing. */
export function mapIfAny<T>(list: readonly T[] | undefined, change: (element: T) => T): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? list : mapShared(list, change);
}
