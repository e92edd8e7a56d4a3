/** Makes a value immutable for good. Nothing stored may change under those who share it. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
    return;
  }
  const bag = value as { readonly [key: string]: unknown };
  for (const key in bag) deepFreeze(bag[key]);
}
