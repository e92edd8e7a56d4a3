/**
 * A guard beside the cost that is counted as upstream counts it. Upstream prices an operation after it ran and some by
 * their outermost size only, so nested or multiplied values could keep it busy for hours. Loops inside functions count
 * their steps here, and texts their length before they are built; an evaluation that takes too many steps ends as if it
 * had run out of budget.
 */
import { codePointLength } from './source.ts';

/** Ends an evaluation and becomes its result; caught within this room. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Steps for every unit of cost; operations that upstream prices fairly take fewer. */
const STEPS_PER_COST = 3;
const MAX_TEXT = 1 << 26;

// Evaluation is synchronous, so one counter serves all evaluations; it starts anew with each.
let steps = 0;
let mostSteps = Infinity;

export function startWork(costLimit: number): void {
  steps = 0;
  mostSteps = costLimit * STEPS_PER_COST;
}

export function work(count: number): void {
  steps += count;
  if (steps > mostSteps) throw new OutOfBudget();
}

/** Code points of a text. They must be counted one by one, which upstream's price does not cover. */
export function textLength(text: string): number {
  work(text.length >> 6);
  return codePointLength(text);
}

/** To be called before a text of this length is built. */
export function workText(length: number): void {
  if (length > MAX_TEXT) throw new OutOfBudget();
  work(length >> 6);
}
