import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairOrder, createFifoOrder, createPriorityOrder, type QueueOrder } from './queue-order.ts';

const group = (key: string): string => key.slice(0, 1);

function popAll<K>(order: QueueOrder<K>): readonly K[] {
  const popped: K[] = [];
  for (let key = order.pop(); key !== undefined; key = order.pop()) popped.push(key);
  return popped;
}

describe('first come, first served', () => {
  it('is a queue, however it is filled and emptied', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1 }), fc.constant('pop' as const)), { maxLength: 300 }),
        (steps) => {
          const order = createFifoOrder<number>();
          const model: number[] = [];
          const popped: (number | undefined)[] = [];
          const expected: (number | undefined)[] = [];
          for (const step of steps) {
            if (step === 'pop') {
              popped.push(order.pop());
              expected.push(model.shift());
            } else {
              order.push(step);
              model.push(step);
            }
          }
          expect(popped).toEqual(expected);
          expect(order.length).toBe(model.length);
          expect(popAll(order)).toEqual(model);
        },
      ),
    );
  });
});

describe('taking turns', () => {
  it('lets a quiet group pass a flood', () => {
    const order = createFairOrder(group);
    for (const key of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) order.push(key);
    expect(order.length).toBe(7);
    expect(popAll(order)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    expect([order.length, order.pop()]).toEqual([0, undefined]);
  });

  it('gives back every key once, in order within its group', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), (names) => {
        const keys = names.map((name, index) => `${name}${index}`);
        const order = createFairOrder(group);
        for (const key of keys) order.push(key);
        const popped = popAll(order);
        expect(popped.toSorted()).toEqual(keys.toSorted());
        for (const name of ['a', 'b', 'c']) {
          expect(popped.filter((key) => group(key) === name)).toEqual(keys.filter((key) => group(key) === name));
        }
      }),
    );
  });
});

describe('by priority', () => {
  it('prefers the higher, and the earlier among equals', () => {
    const order = createPriorityOrder((key: string) => Number(key.slice(1)));
    for (const key of ['a0', 'b5', 'c-1', 'd5', 'e0']) order.push(key);
    expect(popAll(order)).toEqual(['b5', 'd5', 'a0', 'e0', 'c-1']);
    order.push('f0');
    expect([order.length, order.pop(), order.pop()]).toEqual([1, 'f0', undefined]);
  });
});
