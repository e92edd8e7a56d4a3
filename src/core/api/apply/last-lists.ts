/**
 * Results for the last few lists of a field. Objects of one template share their lists by reference (conditions,
 * container statuses), and a result for a list holds in every object: lists never change.
 */
import type { Json } from '../../kube/json.ts';
import type { ListShape } from './shape.ts';

type List = readonly Json[];

export interface LastLists<T> {
  /** The remembered result for the pair, or the result of `find`. */
  of(shape: ListShape, before: List | undefined, after: List, find: () => T): T;
}

interface Known<T> {
  readonly before: List | undefined;
  readonly after: List;
  readonly result: T;
}

/** The number of templates that are likely to be rolling out at once. */
const KEPT = 4;

export function createLastLists<T>(): LastLists<T> {
  const byShape = new WeakMap<ListShape, Known<T>[]>();
  return {
    of(shape, before, after, find) {
      let known = byShape.get(shape);
      if (known === undefined) byShape.set(shape, (known = []));
      for (const each of known) if (each.after === after && each.before === before) return each.result;
      const result = find();
      if (known.length >= KEPT) known.pop();
      known.unshift({ before, after, result });
      return result;
    },
  };
}
