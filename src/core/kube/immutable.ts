/**
 * Values that never change and share what they have in common. Everything that moves through the house is JSON that
 * nobody mutates; these helpers compare such values and make one from another.
 */
type Members = { readonly [key: string]: unknown };

/** The own member; inherited things such as `__proto__` are not data. */
export const ownMember = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Members)[key] : undefined;

/**
 * The member, faster. Everything inherited from Object.prototype but `__proto__` is a function, which equals no JSON
 * value, so only that one name needs the careful look.
 */
const member = (object: Members, key: string): unknown => (key === '__proto__' ? ownMember(object, key) : object[key]);

/** Sets a member as plain data, whatever its name. */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as { [key: string]: unknown })[key] = value;
  }
}

/** Equality of JSON values. A member that is `undefined` counts as absent; the order of members does not count. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && arraysEqual(a, b);
  return !Array.isArray(b) && objectsEqual(a as Members, b as Members);
}

function arraysEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function objectsEqual(a: Members, b: Members): boolean {
  let inA = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    inA++;
    const other = member(b, key);
    if (value !== other && !deepEqual(value, other)) return false;
  }
  return inA === definedMembers(b);
}

function definedMembers(object: Members): number {
  let count = 0;
  for (const key in object) if (object[key] !== undefined) count++;
  return count;
}

/**
 * `next`, with every part that equals the corresponding part of `old` replaced by that part; `old` itself when all is
 * equal. A value that came over the wire then costs only its new parts.
 */
export function share<T>(old: unknown, next: T): T {
  return shareAny(old, next) as T;
}

function shareAny(old: unknown, next: unknown): unknown {
  if (old === next || typeof old !== 'object' || typeof next !== 'object' || old === null || next === null) return next;
  if (Array.isArray(next)) return Array.isArray(old) ? shareArrays(old, next) : next;
  return Array.isArray(old) ? next : shareObjects(old as Members, next as Members);
}

function shareArrays(old: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  // After an insertion or a removal, the tail of one list still corresponds to the tail of the other.
  const shift = old.length - next.length;
  let result: unknown[] | undefined;
  let isOld = shift === 0;
  let aligned = true;
  for (let i = 0; i < next.length; i++) {
    const before = next[i];
    let after = shareAny(old[i], before);
    if (shift !== 0 && after !== old[i]) aligned = false;
    if (!aligned && after !== old[i]) after = shareAny(old[i + shift], before);
    if (isOld && after !== old[i]) isOld = false;
    if (after !== before) {
      result ??= next.slice();
      result[i] = after;
    }
  }
  return isOld ? old : (result ?? next);
}

function shareObjects(old: Members, next: Members): Members {
  let result: { [key: string]: unknown } | undefined;
  let isOld = true;
  let defined = 0;
  for (const key in next) {
    const before = next[key];
    if (before === undefined) continue;
    defined++;
    const was = member(old, key);
    const after = shareAny(was, before);
    if (after !== was) isOld = false;
    if (after !== before) {
      result ??= { ...next };
      setOwn(result, key, after);
    }
  }
  if (isOld && defined === definedMembers(old)) return old;
  return result ?? next;
}

/** Freezes a value and everything in it. A frozen value is taken to be frozen all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of members) deepFreeze(item);
  return Object.freeze(value);
}

/** A copy with one member changed; the same object when it already has that value. `undefined` removes the member. */
export function withMember<T extends object, K extends keyof T & string>(
  object: T,
  key: K,
  value: T[K] | undefined,
): T {
  if (deepEqual(ownMember(object, key), value)) return object;
  const copy = { ...object };
  if (value === undefined) delete copy[key];
  else setOwn(copy, key, value);
  return copy;
}

/** As `withMember`, for an object's metadata. */
export function withMetadata<T extends { readonly metadata: object }, K extends keyof T['metadata'] & string>(
  object: T,
  key: K,
  value: T['metadata'][K] | undefined,
): T {
  return withMember(object, 'metadata', withMember(object.metadata as T['metadata'], key, value));
}
