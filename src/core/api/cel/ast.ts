/** Expressions after parsing, macros already expanded. Every node has an id (for types and references) and a place. */
import type { CelUint } from './values/values.ts';

export type Literal = null | boolean | bigint | number | string | CelUint | Uint8Array;

interface Node {
  readonly id: number;
  /** Offset in the source, in UTF-16 units. */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly value: Literal;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly test: boolean;
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Indexes of elements written `?x`. */
  readonly optionals: ReadonlySet<number>;
}

export interface Entry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** The loop every macro becomes: fold `range` into `accumulator`. */
export interface FoldExpr extends Node {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  /** Set for loops over index and element, or key and value. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr;

/** The name of the accumulator in macros; no expression can spell it. */
export const ACCUMULATOR = '@result';

/** Direct children, in the order they are written; a fold's in the order of its parts. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return expr.fields.map((field) => field.value);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

/** `a.b.c` as a name; undefined if the expression is more than names. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
