/**
 * Checked expressions as closures. Every closure counts its own cost; constants are computed now, patterns compiled now,
 * and membership of constant lists becomes a look into a set, because upstream does so and prices it so.
 */
import { ACCUMULATOR, type CallExpr, type Expr, type ListExpr, type MapExpr, type StructExpr } from './ast.ts';
import { attributeEval, presenceEval, resolver, withQualifier, type Attribute } from './attributes.ts';
import type { Checked } from './checker.ts';
import { functionOverloads } from './declarations.ts';
import { equals } from './values/equality.ts';
import { charge, UNSET, type Eval } from './frame.ts';
import { bindFunction, isConversion } from './functions.ts';
import type { Fn } from './values/function-table.ts';
import { isPatchType } from './patch-types.ts';
import { planFold } from './plan-fold.ts';
import { printGo } from './values/print-go.ts';
import { callCostOf, type CallCost } from './runtime-cost.ts';
import { DYN, type CelType } from './types.ts';
import {
  ArrayList,
  CelError,
  CelList,
  CelOptional,
  CelStruct,
  CelTypeValue,
  CelUint,
  EntryMap,
  isError,
  mapKeyOf,
  NO_OVERLOAD,
  type CelValue,
  type Val,
} from './values/values.ts';

/** The program cannot be made: a constant that does not convert, an invalid pattern. Returned as a result. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

interface Planned {
  readonly evaluate: Eval;
  /** Set when the value is constant. */
  readonly constant?: CelValue;
  /** Set when the expression is a path that can be followed further. */
  readonly attribute?: Attribute;
}

export interface Plan {
  readonly evaluate: Eval;
  /** Slots of the variables that bindings fill. */
  readonly variables: ReadonlyMap<string, number>;
  readonly slots: number;
}

/** The functions of the planner that its parts use. */
export interface Planner {
  plan(expr: Expr): Planned;
  /** A slot for a variable that is visible while `body` is planned. */
  withVariable<T>(name: string, read: (slot: number) => Eval, body: (slot: number) => T): T;
}

const TYPE_VALUES: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint', 'optional_type'],
  ...['google.protobuf.Duration', 'google.protobuf.Timestamp', 'net.IP', 'net.CIDR'],
]);

const constantPlan = (value: CelValue): Planned => ({ evaluate: () => value, constant: value });

const pathPlan = (attribute: Attribute): Planned => ({ evaluate: attributeEval(attribute), attribute });

/** The attribute to extend: the operand's own path, or one that starts with the operand's value. */
const attributeOf = (planned: Planned): Attribute =>
  planned.attribute ?? { kind: 'path', start: planned.evaluate, qualifiers: [] };

export function planExpression(expr: Expr, checked: Checked): Plan {
  const variables = new Map<string, number>();
  const locals = new Map<string, Eval[]>();
  let slots = 0;

  const planner: Planner = {
    plan,
    withVariable: (name, read, body) => {
      const slot = slots++;
      const stack = locals.get(name) ?? [];
      locals.set(name, stack);
      stack.push(read(slot));
      const result = body(slot);
      stack.pop();
      return result;
    },
  };

  function readVariable(name: string): Eval {
    const local = locals.get(name)?.at(-1);
    if (local) return local;
    const slot = variables.get(name) ?? slots++;
    variables.set(name, slot);
    const missing = new CelError(`no such attribute(s): ${name}`);
    return ({ slots: values }) => {
      const value = values[slot];
      return value === UNSET || value === undefined ? missing : value;
    };
  }

  function plan(node: Expr): Planned {
    switch (node.kind) {
      case 'literal':
        return constantPlan(node.value);
      case 'ident':
        return planName(node);
      case 'select': {
        if (checked.references[node.id]) return planName(node);
        const attribute = withQualifier(attributeOf(plan(node.operand)), {
          key: { constant: node.field },
          optional: false,
          test: node.test,
        });
        return node.test ? { evaluate: presenceEval(attribute), attribute } : pathPlan(attribute);
      }
      case 'call':
        return planCall(node);
      case 'list':
        return planList(node);
      case 'map':
        return planMap(node);
      case 'struct':
        return { evaluate: charged(planStruct(node), 40) };
      case 'fold':
        return { evaluate: planFold(planner, node) };
    }
  }

  function planName(node: Expr): Planned {
    const reference = checked.references[node.id];
    if (reference?.kind === 'type') {
      // The checker knows more types than there are type values.
      if (!TYPE_VALUES.has(reference.name)) throw new PlanError(`reference to undefined type: ${reference.name}`);
      return constantPlan(new CelTypeValue(reference.name));
    }
    const name = reference?.kind === 'variable' ? reference.name : ACCUMULATOR;
    return pathPlan({ kind: 'path', start: readVariable(name), qualifiers: [] });
  }

  function planCall(node: CallExpr): Planned {
    const reference = checked.references[node.id];
    const name = reference?.kind === 'function' ? reference.name : node.name;
    const target = reference?.kind === 'function' && reference.qualified ? undefined : node.target;
    const nodes = target ? [target, ...node.args] : node.args;
    const args = nodes.map(plan);
    const [first, second, third] = args as [Planned, Planned, Planned];
    switch (name) {
      case '_&&_':
        return { evaluate: planLogical(first.evaluate, second.evaluate, false) };
      case '_||_':
        return { evaluate: planLogical(first.evaluate, second.evaluate, true) };
      case '_?_:_':
        return pathPlan({
          kind: 'condition',
          condition: first.evaluate,
          yes: attributeOf(second),
          no: attributeOf(third),
        });
      case '_==_':
      case '_!=_':
        return { evaluate: planEquality(first.evaluate, second.evaluate, name) };
      case '_[_]':
        return planIndex(first, second, false);
      case '_[?_]':
      case '_?._':
        return planIndex(first, second, true);
      case 'or':
      case 'orValue':
        return { evaluate: planOr(first.evaluate, second.evaluate, name === 'orValue') };
      default:
        break;
    }
    const overload =
      reference?.kind === 'function' && reference.overloads.length === 1 ? (reference.overloads[0] ?? '') : '';
    if (overload === 'in_list' && second.constant instanceof CelList) {
      const membership = planMembership(first.evaluate, second.constant);
      if (membership) return membership;
    }
    const types = nodes.map(({ id }) => checked.types[id] ?? DYN);
    return planFunction(name, overload, args, types);
  }

  function planFunction(name: string, overload: string, args: readonly Planned[], types: readonly CelType[]): Planned {
    const constants = args.map(({ constant }) => constant);
    const bound = bindFunction(name, overload, functionOverloads(name) ?? [], types, constants);
    if ('problem' in bound) throw new PlanError(bound.problem);
    const [only] = constants;
    if (isConversion(name) && args.length === 1 && only !== undefined) {
      const value = bound.fn(only, null, null, null);
      if (isError(value)) throw new PlanError(value.message);
      return constantPlan(value);
    }
    const cost = callCostOf(name, overload);
    const evaluates = args.map(({ evaluate }) => evaluate);
    return { evaluate: planArguments(bound.fn, cost, evaluates, bound.lenient, bound.early) };
  }

  function planIndex(operand: Planned, key: Planned, optional: boolean): Planned {
    const { constant, attribute } = key;
    const resolved =
      constant !== undefined ? { constant } : { resolve: attribute ? resolver(attribute) : key.evaluate };
    return pathPlan(withQualifier(attributeOf(operand), { key: resolved, optional, test: false }));
  }

  function planList(node: ListExpr): Planned {
    const elements = node.elements.map(plan);
    const evaluates = elements.map(({ evaluate }) => evaluate);
    const optionals = node.elements.map((_, index) => node.optionals.has(index));
    const build: Eval = (frame) => {
      const items: CelValue[] = [];
      for (let i = 0; i < evaluates.length; i++) {
        const value = (evaluates[i] as Eval)(frame);
        if (isError(value)) return value;
        if (optionals[i] !== true) items.push(value);
        else if (!(value instanceof CelOptional)) {
          return new CelError(`cannot initialize optional list element from non-optional value ${printGo(value)}`);
        } else if (value.value !== undefined) items.push(value.value);
      }
      return new ArrayList(items);
    };
    if (elements.every(({ constant }) => constant !== undefined)) return foldConstant(build);
    return { evaluate: charged(build, 10) };
  }

  function planMap(node: MapExpr): Planned {
    const entries = node.entries.map(({ key, value, optional }) => ({ key: plan(key), value: plan(value), optional }));
    const build: Eval = (frame) => {
      const map = new Map<string, readonly [CelValue, CelValue]>();
      for (const { key, value, optional } of entries) {
        const keyValue = key.evaluate(frame);
        if (isError(keyValue)) return keyValue;
        const held = value.evaluate(frame);
        if (isError(held)) return held;
        const text = mapKeyOf(keyValue);
        if (text === undefined) return new CelError(`unsupported key type: ${printGo(keyValue)}`);
        if (!optional) map.set(text, [keyValue, held]);
        else if (!(held instanceof CelOptional)) {
          const [k, v] = [printGo(keyValue), printGo(held)];
          return new CelError(`cannot initialize optional entry '${k}' from non-optional value ${v}`);
        } else if (held.value === undefined) map.delete(text);
        else map.set(text, [keyValue, held.value]);
      }
      return new EntryMap(map);
    };
    const constant = entries.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined);
    return constant ? foldConstant(build) : { evaluate: charged(build, 30) };
  }

  /** Only patch types can be built; expressions have no values of other types. */
  function planStruct(node: StructExpr): Eval {
    const type = checked.types[node.id]?.name ?? node.name;
    if (!isPatchType(type)) {
      const unknown = new CelError(`unknown type '${node.name}'`);
      return () => unknown;
    }
    const fields = node.fields.map(({ name, value, optional }) => ({ name, evaluate: plan(value).evaluate, optional }));
    return (frame) => {
      const members = new Map<string, CelValue>();
      for (const { name, evaluate, optional } of fields) {
        const value = evaluate(frame);
        if (isError(value)) return value;
        if (!optional) members.set(name, value);
        else if (!(value instanceof CelOptional)) {
          return new CelError(`cannot initialize optional entry '${name}' from non-optional value ${printGo(value)}`);
        } else if (value.value !== undefined) members.set(name, value.value);
      }
      return new CelStruct(type, members);
    };
  }

  const planned = plan(expr);
  return { evaluate: planned.evaluate, variables, slots };
}

const NO_FRAME = { slots: [], cost: 0, limit: Infinity };

function foldConstant(build: Eval): Planned {
  const value = build(NO_FRAME);
  return isError(value) ? { evaluate: () => value } : constantPlan(value);
}

const charged =
  (evaluate: Eval, cost: number): Eval =>
  (frame) => {
    const value = evaluate(frame);
    charge(frame, cost);
    return value;
  };

/** `&&` ends at false, `||` at true; errors count only when the other side does not decide. */
function planLogical(left: Eval, right: Eval, decisive: boolean): Eval {
  return (frame) => {
    const a = left(frame);
    if (a === decisive) return decisive;
    const b = right(frame);
    if (b === decisive) return decisive;
    if (typeof a !== 'boolean') return isError(a) ? a : NO_OVERLOAD;
    if (typeof b !== 'boolean') return isError(b) ? b : NO_OVERLOAD;
    return !decisive;
  };
}

function planEquality(left: Eval, right: Eval, name: '_==_' | '_!=_'): Eval {
  const negative = name === '_!=_';
  const cost = callCostOf(name, negative ? 'not_equals' : 'equals') as { before: (args: readonly Val[]) => number };
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    // Integers cost one step; asking for their sizes would cost more than comparing them.
    charge(frame, typeof a === 'bigint' && typeof b === 'bigint' ? 1 : cost.before([a, b]));
    if (isError(a)) return a;
    if (isError(b)) return b;
    const equal = equals(a, b);
    return negative ? equal !== true : equal;
  };
}

/** `or` and `orValue` look at the right side only when the left has nothing. */
function planOr(left: Eval, right: Eval, unwrap: boolean): Eval {
  return (frame) => {
    const a = left(frame);
    if (!(a instanceof CelOptional)) return a;
    if (a.value === undefined) return right(frame);
    return unwrap ? a.value : a;
  };
}

/** Equal numbers are the same member whatever their type. */
function memberKey(value: Val): string | undefined {
  if (typeof value === 'number' && !Number.isInteger(value)) return `d${value}`;
  return isError(value) ? undefined : mapKeyOf(value);
}

const isPrimitive = (value: Val): boolean =>
  (typeof value !== 'object' && typeof value !== 'symbol') || value instanceof CelUint;

function planMembership(element: Eval, list: CelList): Planned | undefined {
  if (list.size === 0) return constantPlan(false);
  const members = new Set<string>();
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    const key = memberKey(item);
    if (!isPrimitive(item) || key === undefined) return undefined;
    members.add(key);
  }
  return {
    evaluate: (frame) => {
      const value = element(frame);
      if (isError(value)) return value;
      const key = memberKey(value);
      return key !== undefined && members.has(key);
    },
  };
}

/**
 * A call. `lenient` functions get errors as arguments too; `early` ones evaluate no further argument after an error,
 * and then cost nothing.
 */
function planArguments(fn: Fn, cost: CallCost, args: readonly Eval[], lenient: boolean, early: boolean): Eval {
  const fixed = typeof cost === 'number' ? cost : 0;
  const before = typeof cost === 'object' && 'before' in cost ? cost.before : undefined;
  const after = typeof cost === 'object' && 'after' in cost ? cost.after : undefined;
  const [first, second] = args;
  if (first && !second) {
    return (frame) => {
      const a = first(frame);
      charge(frame, before ? before([a]) : fixed);
      if (isError(a) && !lenient) {
        if (after) charge(frame, after(a));
        return a;
      }
      const result = fn(a as CelValue, null, null, null);
      if (after) charge(frame, after(result));
      return result;
    };
  }
  if (first && second && args.length === 2 && !early) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      charge(frame, before ? before([a, b]) : fixed);
      const result = isError(a) ? a : isError(b) ? b : fn(a, b, null, null);
      if (after) charge(frame, after(result));
      return result;
    };
  }
  return (frame) => {
    const values: Val[] = [];
    let failed: CelError | undefined;
    for (const evaluate of args) {
      const value = evaluate(frame);
      values.push(value);
      if (!isError(value)) continue;
      if (values.length < args.length) return value;
      failed = value;
    }
    charge(frame, before ? before(values) : fixed);
    const [a = null, b = null, c = null, d = null] = values as CelValue[];
    const result = failed ?? fn(a, b, c, d);
    if (after) charge(frame, after(result));
    return result;
  };
}
