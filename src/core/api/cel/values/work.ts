/**
 * A guard beside the cost that is counted as upstream counts it. Upstream prices an operation after it ran and some by
 * their outermost size only, so nested or multiplied values could keep it busy for hours. Loops inside functions count
 * their steps here, and texts their length before they are built; whoever takes too many ends like one who ran out of
 * budget.
 */
import { codePointLength } from './source.ts';

/** Ends an evaluation and becomes its result; it does not leave the room. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Steps for every unit of cost; what upstream prices fairly takes fewer. */
const STEPS_PER_COST = 3;
const MAX_TEXT = 1 << 26;

// Evaluation never waits, so one counter serves whoever is evaluating; it starts anew with every evaluation.
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

/** Code points of a text, which must be counted one by one though upstream's price is that of a glance. */
export function textLength(text: string): number {
  work(text.length >> 6);
  return codePointLength(text);
}

/** To be asked before a text of this length is made. */
export function workText(length: number): void {
  if (length > MAX_TEXT) throw new OutOfBudget();
  work(length >> 6);
}
