/**
 * Refuses what could not cross JSON unchanged: undefined in a list, NaN, dates, functions, class instances, cycles and
 * absurd depth. In one process nothing is written as JSON; this keeps code honest that must also work across two.
 */
import { MAX_JSON_DEPTH, type Json } from './json.ts';

export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError';
  readonly code = 'EN_KUBE_NOT_JSON';
  /** Where in the value, as `.spec.containers[0].image`; empty for the value itself. */
  readonly path: string;

  constructor(what: string, path: string) {
    super(`${path === '' ? 'the value' : path} is ${what}, which cannot be written as JSON`);
    this.path = path;
  }
}

/** Throws `NotJsonError`. A frozen value of some size is checked once and remembered. */
export function assertJson(value: unknown): asserts value is Json {
  if (size(value, 0) === 0) throw locate(value, '', 0) ?? new NotJsonError('not JSON', '');
}

export const isJson = (value: unknown): value is Json => size(value, 0) !== 0;

/** Frozen values known to be JSON. Only large ones: an entry for every leaf would cost more than a second check. */
const known = new WeakSet<object>();
const WORTH_REMEMBERING = 16;

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A prototype without a prototype is another realm's Object.prototype.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** How many values there are; negative when some of them is not frozen, 0 when some of them is not JSON. */
function size(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return 1;
    case 'number':
      return Number.isFinite(value) ? 1 : 0;
    case 'object':
      if (value === null) return 1;
      if (depth >= MAX_JSON_DEPTH) return 0;
      return sizeOfStructure(value, depth);
    case 'undefined':
    case 'function':
    case 'symbol':
      return 0;
  }
}

function sizeOfStructure(value: object, depth: number): number {
  if (known.has(value)) return WORTH_REMEMBERING;
  let total = 1;
  let frozen = Object.isFrozen(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const part = size(value[i], depth + 1);
      if (part === 0) return 0;
      if (part < 0) frozen = false;
      total += Math.abs(part);
    }
  } else {
    if (!isPlain(value)) return 0;
    // Plain objects inherit nothing that is enumerable.
    for (const key in value) {
      const member = (value as { readonly [key: string]: unknown })[key];
      // JSON leaves out members that are undefined; nothing is lost.
      if (member === undefined) continue;
      const part = size(member, depth + 1);
      if (part === 0) return 0;
      if (part < 0) frozen = false;
      total += Math.abs(part);
    }
  }
  if (!frozen) return -total;
  if (total >= WORTH_REMEMBERING) known.add(value);
  return total;
}

/** Finds the value that `size` rejected; a function of its own, so that the usual pass builds no paths. */
function locate(value: unknown, path: string, depth: number): NotJsonError | undefined {
  if (typeof value !== 'object' || value === null) {
    return size(value, depth) === 0 ? new NotJsonError(describe(value), path) : undefined;
  }
  if (depth >= MAX_JSON_DEPTH) return new NotJsonError('nested too deep or contains itself', `${path.slice(0, 40)}…`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = locate(value[i], `${path}[${i}]`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isPlain(value)) return new NotJsonError(describe(value), path);
  for (const [key, member] of Object.entries(value)) {
    const found = member === undefined ? undefined : locate(member, `${path}.${key}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `an instance of ${value.constructor.name}`;
}
