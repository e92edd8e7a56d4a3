/** Calls that the parser rewrites: `has`, `all`, `exists`, `map`, `filter`, their two-variable forms, `optMap`, `sortBy`. */
import { ACCUMULATOR, type Expr } from './ast.ts';
import type { NodeFactory } from './nodes.ts';

export type Expansion = { readonly expr: Expr } | { readonly at: number; readonly error: string };

interface MacroCall {
  readonly make: NodeFactory;
  /** Offset of the call; nodes that a macro makes have no other. */
  readonly at: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

type Macro = (call: MacroCall) => Expansion;

const OVERWRITES = 'iteration variable overwrites accumulator variable';
const OLD_ACCUMULATOR = '__result__';

const arg = ({ args }: MacroCall, index: number): Expr => args[index] as Expr;
const accumulator = ({ make, at }: MacroCall): Expr => make.ident(at, ACCUMULATOR);
const operator = ({ make, at }: MacroCall, name: string, ...args: readonly Expr[]): Expr => make.call(at, name, args);

interface Loop {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

type LoopMaker = (call: MacroCall) => Loop;

const fold = (call: MacroCall, variable: string, variable2: string | undefined, loop: Loop): Expansion => ({
  expr: call.make.fold(call.at, { range: call.target as Expr, variable, variable2, accumulator: ACCUMULATOR, ...loop }),
});

/** A loop over one variable; `what` is upstream's message for an argument that is no name. */
const overOne =
  (what: string, loop: LoopMaker): Macro =>
  (call) => {
    const variable = arg(call, 0);
    if (variable.kind !== 'ident') return { at: variable.at, error: what };
    if (variable.name === ACCUMULATOR || variable.name === OLD_ACCUMULATOR)
      return { at: variable.at, error: OVERWRITES };
    return fold(call, variable.name, undefined, loop(call));
  };

/** A loop over index and element, or key and value. */
const overTwo =
  (loop: (call: MacroCall, first: string) => Loop): Macro =>
  (call) => {
    const [first, second] = [arg(call, 0), arg(call, 1)];
    const simple = 'argument must be a simple name';
    if (first.kind !== 'ident') return { at: first.at, error: simple };
    if (second.kind !== 'ident') return { at: second.at, error: simple };
    if (first.name === second.name) return { at: second.at, error: `duplicate variable name: ${first.name}` };
    for (const { name, at } of [first, second]) {
      if (name === ACCUMULATOR || name === OLD_ACCUMULATOR) return { at, error: OVERWRITES };
    }
    return fold(call, first.name, second.name, loop(call, first.name));
  };

const last = (call: MacroCall): Expr => arg(call, call.args.length - 1);

const all: LoopMaker = (call) => ({
  init: call.make.literal(call.at, true),
  condition: operator(call, '@not_strictly_false', accumulator(call)),
  step: operator(call, '_&&_', accumulator(call), last(call)),
  result: accumulator(call),
});

const exists: LoopMaker = (call) => ({
  init: call.make.literal(call.at, false),
  condition: operator(call, '@not_strictly_false', operator(call, '!_', accumulator(call))),
  step: operator(call, '_||_', accumulator(call), last(call)),
  result: accumulator(call),
});

const existsOne: LoopMaker = (call) => ({
  init: call.make.literal(call.at, 0n),
  condition: call.make.literal(call.at, true),
  step: operator(
    call,
    '_?_:_',
    last(call),
    operator(call, '_+_', accumulator(call), call.make.literal(call.at, 1n)),
    accumulator(call),
  ),
  result: operator(call, '_==_', accumulator(call), call.make.literal(call.at, 1n)),
});

/** Grows the accumulator by `added`, where a filter lets it. */
function growing(call: MacroCall, init: Expr, added: Expr, filter: Expr | undefined): Loop {
  return {
    init,
    condition: call.make.literal(call.at, true),
    step: filter ? operator(call, '_?_:_', filter, added, accumulator(call)) : added,
    result: accumulator(call),
  };
}

const appended = (call: MacroCall, element: Expr): Expr =>
  operator(call, '_+_', accumulator(call), call.make.list(call.at, [element]));

const map: LoopMaker = (call) =>
  growing(
    call,
    call.make.list(call.at, []),
    appended(call, last(call)),
    call.args.length === 3 ? arg(call, 1) : undefined,
  );

const filter: LoopMaker = (call) =>
  growing(call, call.make.list(call.at, []), appended(call, arg(call, 0)), arg(call, 1));

const filterOfFour = (call: MacroCall): Expr | undefined => (call.args.length === 4 ? arg(call, 2) : undefined);

const transformList = (call: MacroCall): Loop =>
  growing(call, call.make.list(call.at, []), appended(call, last(call)), filterOfFour(call));

const transformMap = (call: MacroCall, first: string): Loop => {
  const added = operator(call, 'cel.@mapInsert', accumulator(call), call.make.ident(call.at, first), last(call));
  return growing(call, call.make.map(call.at, []), added, filterOfFour(call));
};

const transformMapEntry = (call: MacroCall): Loop => {
  const added = operator(call, 'cel.@mapInsert', accumulator(call), last(call));
  return growing(call, call.make.map(call.at, []), added, filterOfFour(call));
};

const has: Macro = ({ make, at, args }) => {
  const field = args[0] as Expr;
  if (field.kind !== 'select') return { at: field.at, error: 'invalid argument to has() macro' };
  return { expr: make.select(at, field.operand, field.field, true) };
};

/** A loop over nothing that names a value, as `cel.bind` would. */
function bind(call: MacroCall, name: string, value: Expr, result: Expr): Expr {
  const { make, at } = call;
  return make.fold(at, {
    range: make.list(at, []),
    variable: '#unused',
    variable2: undefined,
    accumulator: name,
    init: value,
    condition: make.literal(at, false),
    step: make.ident(at, name),
    result,
  });
}

const overOptional =
  (name: string, wrap: boolean): Macro =>
  (call) => {
    const { make, at } = call;
    const variable = arg(call, 0);
    if (variable.kind !== 'ident') {
      return { at: variable.at, error: `${name}() variable name must be a simple identifier` };
    }
    const target = call.target as Expr;
    const value = make.call(at, 'value', [], make.copy(target));
    const bound = bind(call, variable.name, value, arg(call, 1));
    return {
      expr: operator(
        call,
        '_?_:_',
        make.call(at, 'hasValue', [], target),
        wrap ? operator(call, 'optional.of', bound) : bound,
        operator(call, 'optional.none'),
      ),
    };
  };

const SORTABLE: ReadonlySet<Expr['kind']> = new Set(['list', 'select', 'ident', 'fold', 'call']);
const SORT_INPUT = '@__sortBy_input__';

const sortBy: Macro = (call) => {
  const { make, at } = call;
  const target = call.target as Expr;
  if (!SORTABLE.has(target.kind)) {
    return {
      at: target.at,
      error: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    };
  }
  const keys = overOne('argument is not an identifier', map)({ ...call, target: make.ident(at, SORT_INPUT) });
  if ('error' in keys) return keys;
  const sorted = make.call(at, '@sortByAssociatedKeys', [keys.expr], make.ident(at, SORT_INPUT));
  return { expr: bind(call, SORT_INPUT, target, sorted) };
};

const SIMPLE_NAME = 'argument must be a simple name';
const NOT_IDENTIFIER = 'argument is not an identifier';

/** By name, count of arguments, and whether there is a target. */
const MACROS: ReadonlyMap<string, Macro> = new Map([
  ['has/1', has],
  ['.all/2', overOne(SIMPLE_NAME, all)],
  ['.exists/2', overOne(SIMPLE_NAME, exists)],
  ['.exists_one/2', overOne(SIMPLE_NAME, existsOne)],
  ['.map/2', overOne(NOT_IDENTIFIER, map)],
  ['.map/3', overOne(NOT_IDENTIFIER, map)],
  ['.filter/2', overOne(NOT_IDENTIFIER, filter)],
  ['.optMap/2', overOptional('optMap', true)],
  ['.optFlatMap/2', overOptional('optFlatMap', false)],
  ['.all/3', overTwo(all)],
  ['.exists/3', overTwo(exists)],
  ['.existsOne/3', overTwo(existsOne)],
  ['.exists_one/3', overTwo(existsOne)],
  ['.transformList/3', overTwo(transformList)],
  ['.transformList/4', overTwo(transformList)],
  ['.transformMap/3', overTwo(transformMap)],
  ['.transformMap/4', overTwo(transformMap)],
  ['.transformMapEntry/3', overTwo(transformMapEntry)],
  ['.transformMapEntry/4', overTwo(transformMapEntry)],
  ['.sortBy/2', sortBy],
]);

/** The expansion of a macro call; `undefined` for calls that are no macros. */
export function expandMacro(
  make: NodeFactory,
  at: number,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Expansion | undefined {
  const macro = MACROS.get(`${target ? '.' : ''}${name}/${args.length}`);
  return macro?.({ make, at, target, args });
}
