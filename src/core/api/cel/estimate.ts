/**
 * Estimated costs of expressions, from the bounds in the schema: cel-go's estimate with Kubernetes' additions. The
 * numbers decide which CRDs are accepted, so they follow upstream step by step, its odd steps included.
 */
import { ACCUMULATOR, type CallExpr, type Expr, type FoldExpr } from './ast.ts';
import type { CelCost } from './model.ts';
import type { Checked } from './checker.ts';
import type { DeclType } from './decl-types.ts';
import { estimateCall } from './estimate-calls.ts';
import {
  add,
  costUnion,
  fixed,
  MAX_COST,
  scale,
  times,
  union,
  UNKNOWN_SIZE,
  wrapped,
  type CallEstimate,
  type EstimateNode,
  type Size,
} from './estimate-math.ts';
import { codePointLength } from './values/source.ts';
import type { CelType } from './types.ts';

/** Sizes of the entries of a list or map. */
interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Size | undefined;
  readonly entrySize: EntrySize | undefined;
}

const NO_PATH: readonly string[] = [];
const SELECT: CelCost = fixed(1);
const NOTHING: CelCost = fixed(0);
const LIST_COST = fixed(10);
const MAP_COST = fixed(30);
const STRUCT_COST = fixed(40);

/** `root` is the type whose schema bounds sizes: that of `self`. */
export function estimateCost(expr: Expr, checked: Checked, root: DeclType | undefined): CelCost {
  const sizes = new Map<number, Size>();
  const entrySizes = new Map<number, EntrySize>();
  const paths = new Map<number, readonly string[]>();
  const locals = new Map<string, LocalVariable[]>();

  const typeOf = (node: Expr): CelType | undefined => checked.types[node.id];
  const peek = (name: string): LocalVariable | undefined => locals.get(name)?.at(-1);
  const push = (name: string, variable: LocalVariable): void => {
    const stack = locals.get(name);
    if (stack) stack.push(variable);
    else locals.set(name, [variable]);
  };
  const pop = (name: string): void => {
    locals.get(name)?.pop();
  };

  const pathOf = (node: Expr): readonly string[] =>
    (node.kind === 'ident' ? peek(identName(node))?.path : undefined) ?? paths.get(node.id) ?? NO_PATH;

  function identName(node: Expr): string {
    const reference = checked.references[node.id];
    if (reference?.kind === 'variable') return reference.name;
    return node.kind === 'ident' ? node.name : '';
  }

  /**
   * The largest size that the schema allows for the value at a path. Every path is taken to start at the root, whatever
   * variable it started from; so does upstream.
   */
  function schemaSize(path: readonly string[]): Size | undefined {
    if (path.length === 0) return undefined;
    let decl = root;
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') decl = decl?.element;
      else if (step === '@keys') decl = decl?.key;
      else decl = decl?.fields?.get(step);
      if (!decl) return undefined;
    }
    return decl && { min: 0, max: decl.maxElements < 0 ? MAX_COST : decl.maxElements };
  }

  function sizeOf(node: Expr): Size | undefined {
    const known = sizes.get(node.id) ?? literalSize(node);
    if (known) return known;
    const estimated = schemaSize(pathOf(node));
    if (estimated) {
      sizes.set(node.id, estimated);
      return estimated;
    }
    if (isScalar(typeOf(node))) return fixed(1);
    return node.kind === 'ident' ? peek(identName(node))?.size : undefined;
  }

  const sizeOrUnknown = (node: Expr): Size => sizeOf(node) ?? UNKNOWN_SIZE;

  const entrySizeOf = (node: Expr): EntrySize | undefined =>
    entrySizes.get(node.id) ?? (node.kind === 'ident' ? peek(identName(node))?.entrySize : undefined);

  function setSize(node: Expr, size: Size | undefined): void {
    if (size) sizes.set(node.id, size);
  }

  function setEntrySize(node: Expr, size: EntrySize | undefined): void {
    if (size) entrySizes.set(node.id, size);
  }

  function cost(node: Expr): CelCost {
    switch (node.kind) {
      case 'literal':
        return NOTHING;
      case 'ident':
        return identCost(node);
      case 'select': {
        const reference = checked.references[node.id];
        if (reference) return identCost(node);
        const operand = cost(node.operand);
        if (node.test) return operand;
        paths.set(node.id, [...pathOf(node.operand), node.field]);
        const kind = typeOf(node.operand)?.kind;
        return kind === 'map' || kind === 'struct' || kind === 'param' ? add(operand, SELECT) : operand;
      }
      case 'call':
        return callCost(node);
      case 'list':
        return listCost(node);
      case 'map':
        return mapCost(node);
      case 'struct':
        return node.fields.reduce((sum, field) => add(sum, cost(field.value)), STRUCT_COST);
      case 'fold':
        return isBinding(node) ? bindingCost(node) : foldCost(node);
    }
  }

  function identCost(node: Expr): CelCost {
    const name = identName(node);
    paths.set(node.id, peek(name)?.path ?? [name]);
    return SELECT;
  }

  function listCost(node: Extract<Expr, { kind: 'list' }>): CelCost {
    let value: Size = { min: node.elements.length === 0 ? 0 : MAX_COST, max: 0 };
    let sum = NOTHING;
    for (const element of node.elements) {
      sum = add(sum, cost(element));
      value = union(value, sizeOrUnknown(element));
    }
    setEntrySize(node, { container: 'list', key: fixed(1), value });
    return add(sum, LIST_COST);
  }

  function mapCost(node: Extract<Expr, { kind: 'map' }>): CelCost {
    const least = node.entries.length === 0 ? 0 : MAX_COST;
    let key: Size = { min: least, max: 0 };
    let value: Size = { min: least, max: 0 };
    let sum = NOTHING;
    for (const entry of node.entries) {
      sum = add(sum, add(cost(entry.key), cost(entry.value)));
      key = union(key, sizeOrUnknown(entry.key));
      value = union(value, sizeOrUnknown(entry.value));
    }
    setEntrySize(node, { container: 'map', key, value });
    return add(sum, MAP_COST);
  }

  function estimateNode(node: Expr): EstimateNode {
    const path = pathOf(node);
    return {
      expr: node,
      type: typeOf(node),
      // The schema has no path for accumulators.
      path: path[0] === ACCUMULATOR || path[0] === '__result__' ? NO_PATH : path,
      size: sizeOf(node),
      itemSize: (items) => schemaSize(items),
    };
  }

  function callCost(node: CallExpr): CelCost {
    const reference = checked.references[node.id];
    const name = reference?.kind === 'function' ? reference.name : node.name;
    if (name === 'dyn') {
      const argument = node.args[0] as Expr;
      const argumentCost = cost(argument);
      setSize(node, sizeOf(argument));
      setEntrySize(node, entrySizeOf(argument));
      return add(SELECT, argumentCost);
    }
    const costs = node.args.map(cost);
    const args = node.args.map(estimateNode);
    if (reference?.kind !== 'function') return NOTHING;
    const target = reference.qualified ? undefined : node.target;
    const targetCost = target ? cost(target) : NOTHING;
    const targetNode = target && estimateNode(target);
    let total: CelCost = { min: MAX_COST, max: 0 };
    let size: Size | undefined;
    for (const overload of reference.overloads) {
      const estimate = overloadCost(node, name, overload, targetNode, args, costs);
      total = costUnion(total, estimate.cost);
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      if (overload === 'index_list' || overload === 'index_map') {
        const container = node.args[0] as Expr;
        size = entrySizeOf(container)?.value;
        paths.set(node.id, [...pathOf(container), overload === 'index_list' ? '@items' : '@values']);
      }
      size ??= sizeOf(node);
    }
    setSize(node, size);
    return add(targetCost, total);
  }

  function overloadCost(
    node: CallExpr,
    name: string,
    overload: string,
    target: EstimateNode | undefined,
    args: readonly EstimateNode[],
    costs: readonly CelCost[],
  ): CallEstimate {
    const argumentCosts = costs.reduce(add, NOTHING);
    const special = estimateCall(name, overload, target, args);
    if (special) return { cost: add(special.cost, argumentCosts), size: special.size };
    const own = builtInCost(node, overload, target, args, costs);
    return own ?? { cost: add(fixed(1), argumentCosts), size: undefined };
  }

  const known = (node: EstimateNode | undefined): Size => node?.size ?? UNKNOWN_SIZE;

  function builtInCost(
    node: CallExpr,
    overload: string,
    target: EstimateNode | undefined,
    args: readonly EstimateNode[],
    costs: readonly CelCost[],
  ): CallEstimate | undefined {
    const sum = costs.reduce(add, NOTHING);
    const withArguments = (cost: CelCost, size?: Size): CallEstimate => ({ cost: add(cost, sum), size });
    const [first, second, third] = args;
    switch (overload) {
      case 'string_format':
        return withArguments(scale(known(target), 0.1));
      case 'string_to_bytes': {
        const size = known(first);
        return withArguments(scale(size, 0.1), { min: size.min, max: wrapped(size.max, 4n, 0n) });
      }
      case 'bytes_to_string': {
        const size = known(first);
        return withArguments(scale(size, 0.1), { min: Math.floor(size.min / 4), max: size.max });
      }
      case 'strings_quote': {
        const size = known(first);
        return withArguments(scale(size, 0.1), { min: wrapped(size.min, 1n, 2n), max: wrapped(size.max, 2n, 2n) });
      }
      case 'starts_with_string':
      case 'ends_with_string':
        return withArguments(scale(known(first), 0.1));
      case 'in_list':
        return withArguments(scale(known(second), 1));
      case 'matches_string': {
        if (!target) return undefined;
        const text = scale(add(known(target), fixed(1)), 0.1);
        return withArguments(times(text, scale(known(first), 0.25)));
      }
      case 'contains_string':
        return withArguments(times(scale(known(target), 0.1), scale(known(first), 0.1)));
      case 'logical_or':
      case 'logical_and': {
        const [left = NOTHING, right = NOTHING] = costs;
        return { cost: { min: left.min, max: add(left, right).max }, size: undefined };
      }
      case 'conditional':
        return conditionalCost(node, known(second), known(third), costs);
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = add(known(first), known(second));
        setEntrySize(node, entryUnion(entrySizeOf(node.args[0] as Expr), entrySizeOf(node.args[1] as Expr)));
        return withArguments(overload === 'add_list' ? fixed(1) : scale(size, 0.1), size);
      }
      default:
        return COMPARING.has(overload) ? withArguments(comparingCost(known(first), known(second))) : undefined;
    }
  }

  function conditionalCost(node: CallExpr, yes: Size, no: Size, costs: readonly CelCost[]): CallEstimate {
    const [condition = NOTHING, ifTrue = NOTHING, ifFalse = NOTHING] = costs;
    setEntrySize(node, entryUnion(entrySizeOf(node.args[1] as Expr), entrySizeOf(node.args[2] as Expr)));
    return { cost: add(condition, costUnion(ifTrue, ifFalse)), size: union(yes, no) };
  }

  function foldCost(node: FoldExpr): CelCost {
    let sum = add(cost(node.range), cost(node.init));
    push(node.accumulator, { path: pathOf(node.init), size: sizeOf(node.init), entrySize: entrySizeOf(node.init) });
    pushLoopVariables(node);
    const condition = cost(node.condition);
    const step = cost(node.step);
    pop(node.variable);
    if (node.variable2 !== undefined) pop(node.variable2);
    sum = add(sum, cost(node.result));
    pop(node.accumulator);
    const count = sizeOrUnknown(node.range);
    sum = add(sum, times(count, add(step, condition)));
    if (node.init.kind === 'literal') setSize(node, sizeOf(node.init));
    else if (node.init.kind === 'list' || node.init.kind === 'map') {
      setSize(node, count);
      setEntrySize(node, entrySizeOf(node.step));
    }
    return sum;
  }

  function pushLoopVariables(node: FoldExpr): void {
    const entry = entrySizeOf(node.range);
    const container = entry?.container ?? typeOf(node.range)?.kind;
    const path = pathOf(node.range);
    const list = container === 'list';
    const variable = (subpath: string, size: Size | undefined): LocalVariable => ({
      path: [...path, subpath],
      size,
      entrySize: undefined,
    });
    const value = variable(list ? '@items' : '@values', entry?.value);
    if (node.variable2 === undefined) {
      push(node.variable, list ? value : variable('@keys', entry?.key));
      return;
    }
    push(node.variable, variable(list ? '@indices' : '@keys', entry?.key));
    push(node.variable2, value);
  }

  function bindingCost(node: FoldExpr): CelCost {
    const sum = add(cost(node.range), cost(node.init));
    push(node.accumulator, { path: pathOf(node.init), size: sizeOf(node.init), entrySize: entrySizeOf(node.init) });
    const result = cost(node.result);
    pop(node.accumulator);
    setSize(node, sizeOf(node.result));
    setEntrySize(node, entrySizeOf(node.result));
    return add(sum, result);
  }

  return cost(expr);
}

const COMPARING: ReadonlySet<string> = new Set(
  ['less', 'greater', 'less_equals', 'greater_equals']
    .flatMap((name) => [`${name}_string`, `${name}_bytes`])
    .concat('equals', 'not_equals'),
);

function comparingCost(left: Size, right: Size): CelCost {
  const most = Math.min(left.max, right.max);
  return scale({ min: most > 0 ? 1 : 0, max: most }, 0.1);
}

function entryUnion(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(node: Expr): Size | undefined {
  if (node.kind === 'list') return fixed(node.elements.length);
  if (node.kind === 'map') return fixed(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  if (typeof node.value === 'string') return fixed(codePointLength(node.value));
  return fixed(node.value instanceof Uint8Array ? node.value.length : 1);
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType | undefined): boolean {
  if (!type) return false;
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.parameters[0]);
  return SCALARS.has(type.kind);
}

/** `cel.bind`, which macros of optionals and `sortBy` use. */
const isBinding = (node: FoldExpr): boolean =>
  node.range.kind === 'list' &&
  node.range.elements.length === 0 &&
  node.condition.kind === 'literal' &&
  node.condition.value === false &&
  node.accumulator !== '__result__';
