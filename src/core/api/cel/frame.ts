/** One evaluation: its variables and what it has spent. */
import { OutOfBudget } from './values/work.ts';
import type { Val } from './values/values.ts';

/** A variable that no binding was given for; also an accumulator that nobody has asked for yet. */
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
