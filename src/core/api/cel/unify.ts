/** Assignability with type variables: the checker's unification, as cel-go does it. */
import { DYN, isDyn, isDynOrError, parameter, sameType, type CelType } from './types.ts';

/**
 * The types that type variables stand for, by their names. One map serves a whole check: bindings of a failed attempt
 * are undone, so that large expressions do not copy the map for every call.
 */
export class Substitutions {
  readonly #bound = new Map<string, CelType>();
  #trail: [string, CelType | undefined][] = [];

  get(name: string): CelType | undefined {
    return this.#bound.get(name);
  }

  set(name: string, type: CelType): void {
    this.#trail.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  /** Keeps the attempt's bindings if it succeeds, and undoes them otherwise. */
  attempt(unification: () => boolean): boolean {
    this.#trail = [];
    if (unification()) return true;
    for (const [name, before] of this.#trail.toReversed()) {
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }
}

/** Whether `from` is assignable to `to`; if so, type variables are bound accordingly. */
export const unify = (known: Substitutions, from: CelType, to: CelType): boolean =>
  known.attempt(() => assignable(known, from, to));

export const unifyAll = (known: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean =>
  known.attempt(() => allAssignable(known, from, to));

const allAssignable = (known: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean =>
  from.length === to.length && from.every((type, index) => assignable(known, type, to[index] ?? DYN));

function assignable(known: Substitutions, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const found = substituted(known, a, b);
    if (found.valid) return true;
    if (found.bound) return false;
  }
  if (a.kind === 'param') return substituted(known, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null_type') return nullable(b);
  if (b.kind === 'null_type') return nullable(a);
  if (a.kind !== b.kind) return false;
  return a.kind === 'type' || (a.name === b.name && allAssignable(known, a.parameters, b.parameters));
}

/** Whether `variable` may stand for `type`, and whether it already stood for something. */
function substituted(known: Substitutions, type: CelType, variable: CelType): { valid: boolean; bound: boolean } {
  if (sameType(type, variable)) return { valid: true, bound: true };
  const key = variable.name;
  const bound = known.get(key);
  if (bound) {
    if (sameType(type, bound)) return { valid: true, bound: true };
    if (!assignable(known, type, bound)) return { valid: false, bound: true };
    const general = mostGeneral(type, bound);
    if (absentFrom(known, variable, general)) known.set(key, general);
    return { valid: true, bound: true };
  }
  if (!absentFrom(known, variable, type)) return { valid: false, bound: false };
  known.set(key, type);
  return { valid: true, bound: false };
}

const NULLABLE: ReadonlySet<string> = new Set(['opaque', 'struct', 'any', 'duration', 'timestamp', 'null_type']);
const nullable = (type: CelType): boolean => NULLABLE.has(type.kind);

export const mostGeneral = (a: CelType, b: CelType): CelType => (equalOrLessSpecific(a, b) ? a : b);

function equalOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((p, index) => equalOrLessSpecific(p, parameter(b, index)))
  );
}

/** The occurs check: a variable may not stand for something that contains it. */
function absentFrom(known: Substitutions, variable: CelType, within: CelType): boolean {
  if (sameType(variable, within)) return false;
  if (within.kind === 'param') {
    const bound = known.get(within.name);
    return bound === undefined || absentFrom(known, variable, bound);
  }
  return within.parameters.every((p) => absentFrom(known, variable, p));
}

/** Replaces variables by their types; free ones become dyn with `freeToDyn`. */
export function substitute(known: Pick<Substitutions, 'get'>, type: CelType, freeToDyn: boolean): CelType {
  const bound = type.kind === 'param' ? known.get(type.name) : undefined;
  if (bound) return substitute(known, bound, freeToDyn);
  if (type.kind === 'param') return freeToDyn ? DYN : type;
  if (type.parameters.length === 0) return type;
  let changed = false;
  const parameters = type.parameters.map((p) => {
    const replaced = substitute(known, p, freeToDyn);
    changed ||= replaced !== p;
    return replaced;
  });
  return changed ? { kind: type.kind, name: type.name, parameters } : type;
}
