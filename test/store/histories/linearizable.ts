/**
 * Decides whether a history of one object, as clients saw it, could have come from a server that does one thing at a
 * time: whether each operation can be given a moment between its beginning and its end so that all answers are right.
 * The search is Wing and Gong's with Lowe's memory of what was tried: a set of operations placed so far together with
 * the state they lead to is never tried twice. Histories of several objects are checked object by object, which is
 * the same thing: linearizability is local.
 */

/** No two writes write the same value, so that a value tells which write it came from. */
export const ABSENT = '';

/** What was asked of one object, with the answer. */
export type Step =
  | { readonly type: 'create'; readonly value: string; readonly outcome: 'ok' | 'exists' }
  | { readonly type: 'read'; readonly value: string }
  /** A compare-and-swap; `expected` is the value whose resourceVersion was sent. */
  | {
      readonly type: 'update';
      readonly expected: string;
      readonly value: string;
      readonly outcome: 'ok' | 'conflict' | 'absent';
    }
  | {
      readonly type: 'delete';
      readonly expected: string | undefined;
      readonly outcome: 'ok' | 'conflict' | 'absent';
    };

export interface Operation {
  readonly step: Step;
  readonly begin: number;
  readonly end: number;
  /** Nobody was told the outcome: it may have happened, at some moment until `end` (for ever: Infinity), or never. */
  readonly isMaybe: boolean;
}

/** The state after the step; undefined when the answer cannot have come from this state. */
export function play(state: string, step: Step): string | undefined {
  switch (step.type) {
    case 'create':
      if (step.outcome === 'exists') return state === ABSENT ? undefined : state;
      return state === ABSENT ? step.value : undefined;
    case 'read':
      return step.value === state ? state : undefined;
    case 'update':
      if (step.outcome !== 'ok') return isRefusal(state, step.expected, step.outcome) ? state : undefined;
      return state !== ABSENT && state === step.expected ? step.value : undefined;
    case 'delete':
      if (step.outcome !== 'ok') return isRefusal(state, step.expected, step.outcome) ? state : undefined;
      return state !== ABSENT && (step.expected ?? state) === state ? ABSENT : undefined;
  }
}

const isRefusal = (state: string, expected: string | undefined, outcome: 'conflict' | 'absent'): boolean =>
  outcome === 'absent' ? state === ABSENT : state !== ABSENT && expected !== undefined && state !== expected;

/** A beginning or an end, in a list that operations are taken out of as they are placed. */
interface Event {
  readonly operation: number;
  readonly isBegin: boolean;
  readonly time: number;
}

interface Placed {
  readonly operation: number;
  /** The state before it. */
  readonly state: string;
  /** It never happened: only maybes. */
  readonly isDropped: boolean;
}

export function isLinearizable(operations: readonly Operation[], initial: string = ABSENT): boolean {
  const events = eventsOf(operations);
  const list = linked(events);
  const tried = triedBefore(operations.length);
  const placed: Placed[] = [];
  let state = initial;
  const place = (operation: number, next: string, isDropped: boolean): void => {
    placed.push({ operation, state, isDropped });
    list.takeOut(operation);
    state = next;
  };

  for (let at = list.first(); at !== undefined;) {
    const { operation, isBegin } = events[at] as Event;
    const { step, isMaybe } = operations[operation] as Operation;
    const next = isBegin ? play(state, step) : isMaybe ? state : undefined;
    if (next !== undefined && tried.isNew(operation, next)) {
      place(operation, next, !isBegin);
      at = list.first();
    } else if (isBegin) {
      at = list.after(at);
    } else {
      // It has ended and could not be placed: something before it was placed wrongly.
      const last = placed.pop();
      if (last === undefined) return false;
      state = last.state;
      tried.leave(last.operation);
      list.putBack(last.operation);
      at = last.isDropped ? list.endOf(last.operation) : list.after(list.beginOf(last.operation));
    }
  }
  return true;
}

/** In order of time; what begins when another ends is concurrent with it. */
const eventsOf = (operations: readonly Operation[]): Event[] =>
  operations
    .flatMap(({ begin, end }, operation) => [
      { operation, isBegin: true, time: begin },
      { operation, isBegin: false, time: end },
    ])
    .toSorted((a, b) => (a.time === b.time ? Number(b.isBegin) - Number(a.isBegin) : a.time < b.time ? -1 : 1));

/** A doubly linked list of the events by number, so that taking out and putting back again cost nothing. */
function linked(events: readonly Event[]) {
  const END = events.length;
  const next = Array.from({ length: END + 1 }, (_, i) => (i === END ? 0 : i + 1));
  const previous = Array.from({ length: END + 1 }, (_, i) => (i === 0 ? END : i - 1));
  const begins: number[] = [];
  const ends: number[] = [];
  events.forEach(({ operation, isBegin }, at) => ((isBegin ? begins : ends)[operation] = at));
  const unlink = (at: number): void => {
    next[previous[at] as number] = next[at] as number;
    previous[next[at] as number] = previous[at] as number;
  };
  const relink = (at: number): void => {
    next[previous[at] as number] = at;
    previous[next[at] as number] = at;
  };
  const known = (at: number | undefined): number | undefined => (at === END ? undefined : at);
  const beginOf = (operation: number): number => begins[operation] as number;
  const endOf = (operation: number): number => ends[operation] as number;
  return {
    // The end's own successor is the first of all.
    first: () => known(next[END]),
    after: (at: number) => known(next[at]),
    beginOf,
    endOf,
    takeOut(operation: number): void {
      unlink(beginOf(operation));
      unlink(endOf(operation));
    },
    putBack(operation: number): void {
      relink(endOf(operation));
      relink(beginOf(operation));
    },
  };
}

/** Which sets of placed operations, with the state that they lead to, have been tried. */
function triedBefore(count: number) {
  const bits = new Uint32Array(Math.ceil(count / 32));
  const seen = new Set<string>();
  const flip = (operation: number): void => {
    bits[operation >>> 5] = (bits[operation >>> 5] as number) ^ (1 << (operation & 31));
  };
  return {
    /** Adds the operation to the set, unless that was tried. */
    isNew(operation: number, state: string): boolean {
      flip(operation);
      const key = `${bits.join()} ${state}`;
      if (!seen.has(key)) {
        seen.add(key);
        return true;
      }
      flip(operation);
      return false;
    },
    leave: flip,
  };
}
