/** Makes nodes and numbers them. */
import type {
  CallExpr,
  Entry,
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  Literal,
  LiteralExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
  StructField,
} from './ast.ts';

/** A macro may copy its arguments, so that nested macros could grow without end. */
const MAX_NODES = 200_000;

/** Caught by the parser, and reported as an issue of the expression. */
export class TooManyNodes extends Error {
  override readonly name = 'TooManyNodes';
}

const NO_OPTIONALS: ReadonlySet<number> = new Set();

type FoldParts = Omit<FoldExpr, 'id' | 'at' | 'kind'>;

export interface NodeFactory {
  readonly literal: (at: number, value: Literal) => LiteralExpr;
  readonly ident: (at: number, name: string) => IdentExpr;
  readonly select: (at: number, operand: Expr, field: string, test?: boolean) => SelectExpr;
  readonly call: (at: number, name: string, args: readonly Expr[], target?: Expr) => CallExpr;
  readonly list: (at: number, elements: readonly Expr[], optionals?: ReadonlySet<number>) => ListExpr;
  readonly map: (at: number, entries: readonly Entry[]) => MapExpr;
  readonly struct: (at: number, name: string, fields: readonly StructField[]) => StructExpr;
  readonly field: (at: number, name: string, value: Expr, optional: boolean) => StructField;
  readonly fold: (at: number, parts: FoldParts) => FoldExpr;
  readonly copy: (expr: Expr) => Expr;
  readonly count: () => number;
}

export function nodeFactory(): NodeFactory {
  let count = 0;
  const next = (): number => {
    if (count >= MAX_NODES) throw new TooManyNodes(`expression is too large: more than ${MAX_NODES} nodes`);
    return count++;
  };
  const factory: NodeFactory = {
    literal: (at, value) => ({ kind: 'literal', id: next(), at, value }),
    ident: (at, name) => ({ kind: 'ident', id: next(), at, name }),
    select: (at, operand, field, test = false) => ({ kind: 'select', id: next(), at, operand, field, test }),
    call: (at, name, args, target) => ({ kind: 'call', id: next(), at, name, args, target }),
    list: (at, elements, optionals = NO_OPTIONALS) => ({ kind: 'list', id: next(), at, elements, optionals }),
    map: (at, entries) => ({ kind: 'map', id: next(), at, entries }),
    struct: (at, name, fields) => ({ kind: 'struct', id: next(), at, name, fields }),
    field: (at, name, value, optional) => ({ id: next(), at, name, value, optional }),
    fold: (at, parts) => ({ kind: 'fold', id: next(), at, ...parts }),
    copy: (expr) => copyOf(factory, expr),
    count: () => count,
  };
  return factory;
}

function copyOf(make: NodeFactory, expr: Expr): Expr {
  const copy = (inner: Expr): Expr => copyOf(make, inner);
  const { at } = expr;
  switch (expr.kind) {
    case 'literal':
      return make.literal(at, expr.value);
    case 'ident':
      return make.ident(at, expr.name);
    case 'select':
      return make.select(at, copy(expr.operand), expr.field, expr.test);
    case 'call':
      return make.call(at, expr.name, expr.args.map(copy), expr.target && copy(expr.target));
    case 'list':
      return make.list(at, expr.elements.map(copy), expr.optionals);
    case 'map':
      return make.map(
        at,
        expr.entries.map(({ key, value, optional }) => ({ key: copy(key), value: copy(value), optional })),
      );
    case 'struct':
      return make.struct(
        at,
        expr.name,
        expr.fields.map((field) => make.field(field.at, field.name, copy(field.value), field.optional)),
      );
    case 'fold':
      return make.fold(at, {
        range: copy(expr.range),
        variable: expr.variable,
        variable2: expr.variable2,
        accumulator: expr.accumulator,
        init: copy(expr.init),
        condition: copy(expr.condition),
        step: copy(expr.step),
        result: copy(expr.result),
      });
  }
}
