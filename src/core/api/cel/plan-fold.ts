/** Loops, to which macros expand. */
import type { FoldExpr } from './ast.ts';
import { goTypeName } from './attributes.ts';
import { UNSET, type Eval, type Frame } from './frame.ts';
import type { Planner } from './plan.ts';
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  EntryMap,
  GrowingList,
  GrowingMap,
  isError,
  type Val,
} from './values/values.ts';

interface Parts {
  readonly range: Eval;
  readonly condition: Eval;
  readonly step: Eval;
  readonly result: Eval;
  readonly accumulator: number;
  readonly variable: number;
  readonly variable2: number;
}

const readSlot =
  (slot: number): Eval =>
  ({ slots }) =>
    slots[slot] as Val;

export function planFold(planner: Planner, node: FoldExpr): Eval {
  const range = planner.plan(node.range).evaluate;
  const init = planner.plan(node.init).evaluate;
  // Only lists and maps that the macro itself creates may grow in place.
  const growing =
    (node.init.kind === 'list' && node.init.elements.length === 0 && 'list') ||
    (node.init.kind === 'map' && node.init.entries.length === 0 && 'map');
  /** The accumulator is initialized when it is first read. */
  const readAccumulator =
    (slot: number): Eval =>
    (frame) => {
      const value = frame.slots[slot];
      if (value !== UNSET && value !== undefined) return value;
      const started = init(frame);
      const first = isError(started) || !growing ? started : growing === 'list' ? new GrowingList() : new GrowingMap();
      frame.slots[slot] = first;
      return first;
    };
  return planner.withVariable(node.accumulator, readAccumulator, (accumulator) => {
    const loop = planner.withVariable(node.variable, readSlot, (variable) => {
      const body = (variable2: number): Omit<Parts, 'result'> => ({
        range,
        condition: planner.plan(node.condition).evaluate,
        step: planner.plan(node.step).evaluate,
        accumulator,
        variable,
        variable2,
      });
      return node.variable2 === undefined ? body(-1) : planner.withVariable(node.variable2, readSlot, body);
    });
    const parts: Parts = { ...loop, result: planner.plan(node.result).evaluate };
    return node.variable2 === undefined ? foldOne(parts) : foldTwo(parts);
  });
}

/** One round; false when the condition ends the loop. */
function round(frame: Frame, { condition, step, accumulator }: Parts): boolean {
  // Errors do not end a loop, only false does.
  if (condition(frame) === false) return false;
  frame.slots[accumulator] = step(frame);
  return true;
}

function finish(frame: Frame, { result }: Parts): Val {
  const value = result(frame);
  if (value instanceof GrowingList) return new ArrayList(value.items);
  return value instanceof GrowingMap ? new EntryMap(value.growing) : value;
}

function foldOne(parts: Parts): Eval {
  const { range, accumulator, variable } = parts;
  return (frame) => {
    const over = range(frame);
    if (isError(over)) return over;
    frame.slots[accumulator] = UNSET;
    if (over instanceof CelList) {
      for (let i = 0; i < over.size; i++) {
        frame.slots[variable] = over.at(i);
        if (!round(frame, parts)) break;
      }
    } else if (over instanceof CelMap) {
      for (const key of over.keys()) {
        frame.slots[variable] = key;
        if (!round(frame, parts)) break;
      }
    } else return new CelError(`got '${goTypeName(over)}', expected iterable type`);
    return finish(frame, parts);
  };
}

function foldTwo(parts: Parts): Eval {
  const { range, accumulator, variable, variable2 } = parts;
  return (frame) => {
    const over = range(frame);
    if (isError(over)) return over;
    frame.slots[accumulator] = UNSET;
    if (over instanceof CelList) {
      for (let i = 0; i < over.size; i++) {
        frame.slots[variable] = BigInt(i);
        frame.slots[variable2] = over.at(i);
        if (!round(frame, parts)) break;
      }
    } else if (over instanceof CelMap) {
      for (const key of over.keys()) {
        frame.slots[variable] = key;
        frame.slots[variable2] = over.find(key) ?? null;
        if (!round(frame, parts)) break;
      }
    } else return new CelError(`unsupported comprehension range type: ${goTypeName(over)}`);
    return finish(frame, parts);
  };
}
