/** Ranges of sizes and costs. They stop at 2^64, where upstream's integers end. */
import type { Expr } from './ast.ts';
import type { CelCost } from './model.ts';
import type { CelType } from './types.ts';

export interface Size {
  readonly min: number;
  readonly max: number;
}

/** A node as estimates of single functions see it. */
export interface EstimateNode {
  readonly expr: Expr;
  readonly type: CelType | undefined;
  readonly path: readonly string[];
  readonly size: Size | undefined;
  /** Size of the value at another path, by the schema. */
  readonly itemSize: (path: readonly string[]) => Size | undefined;
}

export interface CallEstimate {
  readonly cost: CelCost;
  /** Size of the result, where it can be estimated. */
  readonly size: Size | undefined;
}

export const MAX_COST = 2 ** 64;

const costOf = (value: number): number => Math.min(value, MAX_COST);
export const fixed = (value: number): Size => ({ min: value, max: value });
export const UNKNOWN_SIZE: Size = { min: 0, max: MAX_COST };

/** The product modulo 2^64, where upstream multiplies without a check for overflow. */
export function wrapped(size: number, factor: bigint, more: bigint): number {
  const exact = size >= MAX_COST ? 0xffffffffffffffffn : BigInt(size);
  return Number(BigInt.asUintN(64, exact * factor + more));
}

export const add = (a: Size, b: Size): Size => ({ min: costOf(a.min + b.min), max: costOf(a.max + b.max) });
export const times = (a: Size, b: Size): Size => ({ min: costOf(a.min * b.min), max: costOf(a.max * b.max) });
export const union = (a: Size, b: Size): Size => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const costUnion = (a: CelCost, b: CelCost): CelCost => union(a, b);

/** The size multiplied by a factor and rounded up. */
export const scale = (size: Size, factor: number): Size => ({
  min: costOf(Math.ceil(size.min * factor)),
  max: costOf(Math.ceil(size.max * factor)),
});
