import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ABSENT, isLinearizable, play, type Operation, type Step } from './linearizable.ts';

const op = (begin: number, end: number, step: Step, isMaybe = false): Operation => ({ step, begin, end, isMaybe });
const create = (value: string): Step => ({ type: 'create', value, outcome: 'ok' });
const exists = (value: string): Step => ({ type: 'create', value, outcome: 'exists' });
const read = (value: string): Step => ({ type: 'read', value });
const swap = (expected: string, value: string): Step => ({ type: 'update', expected, value, outcome: 'ok' });
const conflict = (expected: string, value: string): Step => ({ type: 'update', expected, value, outcome: 'conflict' });
const remove: Step = { type: 'delete', expected: undefined, outcome: 'ok' };
const missing: Step = { type: 'delete', expected: undefined, outcome: 'absent' };

describe('a linearizable history', () => {
  it.each<[string, Operation[]]>([
    ['nothing at all', []],
    ['one thing after the other', [op(1, 2, create('a')), op(3, 4, swap('a', 'b')), op(5, 6, read('b'))]],
    ['a read beside a write that sees it', [op(1, 10, create('a')), op(2, 3, read('a')), op(4, 5, read('a'))]],
    ['a read beside a write that does not', [op(1, 10, create('a')), op(2, 3, read(ABSENT))]],
    [
      'of two swaps of one value, one conflict',
      [op(1, 2, create('a')), op(3, 9, swap('a', 'b')), op(4, 8, conflict('a', 'c'))],
    ],
    ['of two deletions, one that finds nothing', [op(1, 2, create('a')), op(3, 9, remove), op(4, 8, missing)]],
    [
      'a create beside a delete',
      [op(1, 2, create('a')), op(3, 9, create('b')), op(4, 8, remove), op(10, 11, read('b'))],
    ],
    [
      'an unanswered write that is seen',
      [op(1, Infinity, create('a'), true), op(2, 3, read(ABSENT)), op(4, 5, read('a'))],
    ],
    ['an unanswered write that never is', [op(1, Infinity, create('a'), true), op(2, 3, read(ABSENT))]],
    [
      'an unanswered write that happens much later',
      [op(1, 2, create('a')), op(3, Infinity, swap('a', 'b'), true), op(4, 50, read('a')), op(51, 52, read('b'))],
    ],
    [
      'an unanswered delete before another create',
      [op(1, 2, create('a')), op(3, 4, remove, true), op(5, 6, create('b'))],
    ],
  ])('is accepted: %s', (_, history) => {
    expect(isLinearizable(history)).toBe(true);
  });

  it.each<[string, Operation[]]>([
    ['a stale read', [op(1, 2, create('a')), op(3, 4, swap('a', 'b')), op(5, 6, read('a'))]],
    ['a lost write', [op(1, 2, create('a')), op(3, 4, read(ABSENT))]],
    ['a read that goes back', [op(1, 9, create('a')), op(2, 3, read('a')), op(4, 5, read(ABSENT))]],
    [
      'two readers who disagree on the order',
      [op(1, 2, create('a')), op(3, 20, swap('a', 'b')), op(4, 5, read('b')), op(6, 7, read('a'))],
    ],
    ['two swaps of one value', [op(1, 2, create('a')), op(3, 9, swap('a', 'b')), op(4, 8, swap('a', 'c'))]],
    ['two creates without a delete', [op(1, 9, create('a')), op(2, 8, create('b'))]],
    ['a refusal without a reason', [op(1, 2, exists('a'))]],
    ['a conflict with what was there', [op(1, 2, create('a')), op(3, 4, conflict('a', 'b'))]],
    ['a value that nobody wrote', [op(1, 2, create('a')), op(3, 4, read('x'))]],
    ['a deleted object that comes back', [op(1, 2, create('a')), op(3, 4, remove), op(5, 6, read('a'))]],
    ['an unanswered write seen before it was asked', [op(1, 2, read('a')), op(3, Infinity, create('a'), true)]],
    [
      'an unanswered write that happens after its server was gone',
      [op(1, 5, create('a'), true), op(6, 7, read(ABSENT)), op(8, 9, read('a'))],
    ],
    [
      'an unanswered write that happens twice',
      [op(1, Infinity, create('a'), true), op(2, 3, read('a')), op(4, 5, remove), op(6, 7, read('a'))],
    ],
  ])('is told from one that is not: %s', (_, history) => {
    expect(isLinearizable(history)).toBe(false);
  });

  it('is found among hundreds of operations', () => {
    const history: Operation[] = [op(0, 1, create('0'))];
    for (let i = 1; i < 400; i += 1) {
      // Each overlaps the ones before and after it.
      history.push(op(i * 4, i * 4 + 6, swap(String(i - 1), String(i))), op(i * 4 + 1, i * 4 + 7, read(String(i))));
      history.push(op(i * 4, i * 4 + 5, conflict('x', 'y')));
    }
    expect(isLinearizable(history)).toBe(true);
    expect(isLinearizable([...history, op(10_000, 10_001, read('7'))])).toBe(false);
  });
});

/** By trying every order of every choice of maybes: too slow for anything but a handful, and too simple to be wrong. */
function isLinearizableByForce(operations: readonly Operation[], state = ABSENT): boolean {
  if (operations.every(({ isMaybe }) => isMaybe)) return true;
  return operations.some((first, at) => {
    const others = operations.filter((_, i) => i !== at);
    // Placed first, so none of the others may have ended before it began.
    if (first.isMaybe && isLinearizableByForce(others, state)) return true;
    const mayBeFirst = others.every((other) => other.end >= first.begin);
    if (!mayBeFirst) return false;
    const next = play(state, first.step);
    return next !== undefined && isLinearizableByForce(others, next);
  });
}

const value = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('create' as const),
    value,
    outcome: fc.constantFrom('ok' as const, 'exists' as const),
  }),
  fc.record({ type: fc.constant('read' as const), value: fc.constantFrom(ABSENT, 'a', 'b', 'c') }),
  fc.record({
    type: fc.constant('update' as const),
    expected: value,
    value,
    outcome: fc.constantFrom('ok' as const, 'conflict' as const, 'absent' as const),
  }),
  fc.record({
    type: fc.constant('delete' as const),
    expected: fc.option(value, { nil: undefined }),
    outcome: fc.constantFrom('ok' as const, 'conflict' as const, 'absent' as const),
  }),
);
const span = fc.record({ begin: fc.nat(12), length: fc.nat(12), isMaybe: fc.boolean(), isEndless: fc.boolean() });
const spanned = (
  s: Step,
  { begin, length, isMaybe, isEndless }: { begin: number; length: number; isMaybe: boolean; isEndless: boolean },
) => op(begin, isMaybe && isEndless ? Infinity : begin + length, s, isMaybe);

describe('the checker', () => {
  it('agrees with trying everything, on any small history', () => {
    const verdicts = { yes: 0, no: 0 };
    fc.assert(
      fc.property(fc.array(fc.tuple(step, span), { maxLength: 6 }), (drawn) => {
        const history = drawn.map(([s, when]) => spanned(s, when));
        const expected = isLinearizableByForce(history);
        verdicts[expected ? 'yes' : 'no'] += 1;
        expect(isLinearizable(history)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(verdicts.yes, verdicts.no)).toBeGreaterThan(100);
  });

  it('accepts whatever a server that does one thing at a time can have answered', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, span), { minLength: 1, maxLength: 40 }), (drawn) => {
        // Each operation happens at its own moment; the answer is what the state then says.
        let state: string = ABSENT;
        const history = drawn.map(([wanted, { begin, length }], moment) => {
          const answered = answerOf(state, wanted);
          state = play(state, answered) ?? state;
          return op(moment * 4 - begin, moment * 4 + length, answered);
        });
        expect(isLinearizable(history)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function answerOf(state: string, wanted: Step): Step {
  switch (wanted.type) {
    case 'create':
      return { ...wanted, outcome: state === ABSENT ? 'ok' : 'exists' };
    case 'read':
      return { type: 'read', value: state };
    case 'update':
    case 'delete': {
      const isMatch = wanted.expected === undefined || wanted.expected === state;
      return { ...wanted, outcome: state === ABSENT ? 'absent' : isMatch ? 'ok' : 'conflict' };
    }
  }
}
