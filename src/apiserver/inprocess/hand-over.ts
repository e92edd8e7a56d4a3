/**
 * Objects that a caller hands over to a server in its own process. They must be plain JSON values, and must not change
 * afterwards. The outer levels of an object are frozen, which costs little and catches the usual slip; tests that want
 * certainty freeze all of it in the store's `inspect`.
 *
 * Parts that come again and again (the containers of a template) are looked at twice at most. The object itself and its
 * sections differ every time: they are not remembered, for weak tables are dear to the garbage collector.
 */
import { NotJsonError, assertJson, isJson } from '../../core/kube/json-check.ts';
import { badRequest } from '../../core/kube/status-error.ts';

/** Parts found to be JSON that were handed over more than once. */
const known = new WeakSet<object>();

/** How deep parts are frozen: the object, its sections (spec), and their members (containers, volumes). */
const SHARED_DEPTH = 2;

export function handedOver<T>(value: T): T {
  if (accept(value, 0)) return value;
  try {
    assertJson(value);
  } catch (error) {
    if (error instanceof NotJsonError) throw badRequest(error.message);
    throw error;
  }
  throw badRequest('the object cannot be written as JSON');
}

function accept(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      return depth > SHARED_DEPTH ? isJson(value) : acceptPart(value, depth);
    case 'undefined':
    case 'function':
    case 'symbol':
      return false;
  }
}

function acceptPart(value: object, depth: number): boolean {
  const isShared = depth === SHARED_DEPTH;
  if (isShared && known.has(value)) return true;
  const before = Object.isFrozen(value);
  if (!acceptMembers(value, depth + 1)) return false;
  if (!before) Object.freeze(value);
  // Frozen already: the value has been here before, or belongs to an object that a server handed out.
  else if (isShared) known.add(value);
  return true;
}

function acceptMembers(value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!accept(value[at], depth)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return isJson(value);
  const bag = value as { readonly [key: string]: unknown };
  for (const key in bag) {
    const member = bag[key];
    if (member !== undefined && !accept(member, depth)) return false;
  }
  return true;
}
