/** An object without the members that are undefined. Zero, false and the empty text are values and stay. */
export function present<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  const object: { [key: string]: unknown } = {};
  for (const key in members) if (members[key] !== undefined) object[key] = members[key];
  return object as T;
}

/** The list, or nothing if it is empty. */
export const unlessEmpty = <T>(items: readonly T[] | undefined): readonly T[] | undefined =>
  items === undefined || items.length === 0 ? undefined : items;

/** The map, or nothing if it is empty. */
export const unlessBare = <T extends object>(members: T | undefined): T | undefined =>
  members === undefined || Object.keys(members).length === 0 ? undefined : members;
