/** Functions by name and overload, and how a call finds the overload of its arguments. */
import type { Overload } from './declarations.ts';
import { convert, type ConversionName } from './values/convert.ts';
import type { Fn } from './values/function-table.ts';
import * as operators from './values/operators.ts';
import { AUTHORIZER_FUNCTIONS } from './library/authorizer.ts';
import { FORMAT_FUNCTIONS } from './library/formats.ts';
import { LIST_FUNCTIONS, sortByKeys, sortList } from './library/lists.ts';
import { NET_FUNCTIONS } from './library/net.ts';
import { OPTIONAL_FUNCTIONS } from './library/optionals.ts';
import { QUANTITY_FUNCTIONS } from './library/quantities.ts';
import { compiledPattern, matches, REGEX_FUNCTIONS, withPattern } from './library/regex.ts';
import { SEMVER_FUNCTIONS } from './library/semver.ts';
import { STRING_FUNCTIONS } from './library/strings.ts';
import { TIME_FUNCTIONS } from './library/time.ts';
import { URL_FUNCTIONS } from './library/urls.ts';
import { isDyn, type CelType } from './types.ts';
import {
  CelError,
  CelList,
  CelMap,
  CelTypeValue,
  isError,
  typeNameOf,
  type CelValue,
  type Val,
} from './values/values.ts';

const CONVERSIONS: readonly ConversionName[] = [
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'string',
  'timestamp',
  'uint',
];

/** Functions that check the types of their arguments themselves. */
const SINGLETONS: ReadonlyMap<string, Fn> = new Map<string, Fn>([
  ['_+_', operators.add],
  ['_-_', operators.subtract],
  ['_*_', operators.multiply],
  ['_/_', operators.divide],
  ['_%_', operators.modulo],
  ['-_', operators.negate],
  ['!_', operators.not],
  ['_<_', operators.less],
  ['_<=_', operators.lessOrEqual],
  ['_>_', operators.greater],
  ['_>=_', operators.greaterOrEqual],
  ['@in', operators.isIn],
  ['size', operators.size],
  ['matches', matches],
  ['type', (value) => new CelTypeValue(typeNameOf(value))],
  ['dyn', (value) => value],
  ['sort', sortList],
  ['@sortByAssociatedKeys', sortByKeys],
]);

const notStrictlyFalse = ((value: Val): Val => (typeof value === 'boolean' ? value : true)) as Fn;

const IMPLEMENTATIONS: ReadonlyMap<string, Fn> = new Map<string, Fn>([
  ...STRING_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...OPTIONAL_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...NET_FUNCTIONS,
  ...QUANTITY_FUNCTIONS,
  ...SEMVER_FUNCTIONS,
  ...FORMAT_FUNCTIONS,
  ...AUTHORIZER_FUNCTIONS,
]);

/** Functions whose implementations report unsuitable arguments themselves. */
const UNGUARDED: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'flatten']);

/** Bound upstream as functions of many arguments: arguments after an error are not evaluated. */
const EARLY: ReadonlySet<string> = new Set(['string_format', 'list_flatten_int']);

const FOLDED: ReadonlySet<string> = new Set([...CONVERSIONS, 'dyn', 'type']);
export const isConversion = (name: string): boolean => FOLDED.has(name);

export type Bound =
  | { readonly fn: Fn; readonly lenient: boolean; readonly early: boolean }
  | { readonly problem: string };

const bound = (fn: Fn, early = false): Bound => ({ fn, lenient: false, early });

/** The function of a call. `overload` is empty when the checker left several. */
export function bindFunction(
  name: string,
  overload: string,
  overloads: readonly Overload[],
  types: readonly CelType[],
  constants: readonly (CelValue | undefined)[],
): Bound {
  if (name === '@not_strictly_false') return { fn: notStrictlyFalse, lenient: true, early: false };
  const pattern = constants[1];
  if (typeof pattern === 'string' && (name === 'matches' || name === 'find' || name === 'findAll')) {
    const compiled = compiledPattern(pattern);
    return 'problem' in compiled ? compiled : bound(withPattern(name, compiled.pattern), true);
  }
  const singleton = SINGLETONS.get(name);
  if (singleton) return bound(singleton);
  const conversion = CONVERSIONS.find((candidate) => candidate === name);
  if (conversion !== undefined && !overload.startsWith('ip_') && !overload.startsWith('cidr_')) {
    return bound(
      guarded(name, overloads, overload, types, (value) => convert(value, conversion)),
      overload === '',
    );
  }
  const only = overloads.length === 1 ? overloads[0]?.id : overload === '' ? undefined : overload;
  const fn =
    only === undefined
      ? undefined
      : only === 'ip_to_string' || only === 'cidr_to_string'
        ? (((value) => convert(value, 'string')) as Fn)
        : IMPLEMENTATIONS.get(only);
  if (only !== undefined && fn) return bound(guarded(name, overloads, only, types, fn), EARLY.has(only));
  return bound(dispatch(name, overloads), true);
}

/** Checks arguments whose types the checker did not know. */
function guarded(
  name: string,
  overloads: readonly Overload[],
  overload: string,
  types: readonly CelType[],
  fn: Fn,
): Fn {
  if (UNGUARDED.has(name) || types.every((type) => !mentionsDyn(type))) return fn;
  const candidates = overload === '' ? overloads : overloads.filter(({ id }) => id === overload);
  const count = types.length;
  return (a, b, c, d) => {
    const args = [a, b, c, d].slice(0, count);
    return candidates.some((candidate) => accepts(candidate, args)) ? fn(a, b, c, d) : noOverload(name, args);
  };
}

const mentionsDyn = (type: CelType): boolean =>
  isDyn(type) || type.kind === 'param' || type.kind === 'error' || type.parameters.some(mentionsDyn);

const noOverload = (name: string, args: readonly CelValue[]): CelError =>
  new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);

function dispatch(name: string, overloads: readonly Overload[]): Fn {
  return (a, b, c, d) => {
    const all = [a, b, c, d];
    for (const overload of overloads) {
      const args = all.slice(0, overload.args.length);
      if (all.slice(args.length).some((extra) => extra !== null) || !accepts(overload, args)) continue;
      const fn = IMPLEMENTATIONS.get(overload.id);
      if (fn) return fn(a, b, c, d);
    }
    const count = Math.max(1, 4 - all.toReversed().findIndex((value) => value !== null));
    return noOverload(name, all.slice(0, count > 4 ? 1 : count));
  };
}

const accepts = (overload: Overload, args: readonly CelValue[]): boolean =>
  overload.args.length === args.length && overload.args.every((type, index) => isA(args[index] ?? null, type));

/** Whether a value is of a type, as far as its first elements tell. */
function isA(value: Val, type: CelType): boolean {
  if (isError(value)) return false;
  if (isDyn(type) || type.kind === 'param') return true;
  if (typeNameOf(value) !== type.name) return false;
  const [first, second] = type.parameters;
  if (value instanceof CelList) return value.size === 0 || !first || isA(value.at(0), first);
  if (!(value instanceof CelMap) || value.size === 0 || !first || !second) return true;
  const [key] = value.keys();
  return key === undefined || (isA(key, first) && isA(value.find(key) ?? null, second));
}
