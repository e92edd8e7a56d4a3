/** One evaluation: its variables and its cost so far. */
import { OutOfBudget } from './values/work.ts';
import type { Val } from './values/values.ts';

/** A variable without a binding; also an accumulator that was not read yet. */
export const UNSET = Symbol('unset');

export interface Frame {
  readonly slots: (Val | typeof UNSET)[];
  cost: number;
  readonly limit: number;
}

export type Eval = (frame: Frame) => Val;

export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new OutOfBudget();
}
