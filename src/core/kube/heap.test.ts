import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeap } from './heap.ts';

interface Entry {
  key: number;
  heapIndex: number;
}

describe('heap', () => {
  it('gives back what a sorted list would, whatever is pushed, removed and re-keyed', () => {
    const command = fc.oneof(
      fc.record({ type: fc.constant('push' as const), key: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ type: fc.constant('pop' as const) }),
      fc.record({ type: fc.constant('remove' as const), at: fc.nat() }),
      fc.record({ type: fc.constant('update' as const), at: fc.nat(), key: fc.integer({ min: 0, max: 50 }) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 100 }), (commands) => {
        const heap = createHeap<Entry>((a, b) => a.key < b.key);
        const model: Entry[] = [];
        for (const step of commands) {
          const entry = model[('at' in step ? step.at : 0) % Math.max(model.length, 1)];
          if (step.type === 'push') {
            const added = { key: step.key, heapIndex: -1 };
            heap.push(added);
            model.push(added);
          } else if (step.type === 'pop') {
            const popped = heap.pop();
            const least = model.toSorted((a, b) => a.key - b.key)[0];
            assert.equal(popped?.key, least?.key);
            if (popped !== undefined) model.splice(model.indexOf(popped), 1);
          } else if (step.type === 'remove' && entry !== undefined) {
            assert.deepEqual([heap.remove(entry), heap.remove(entry)], [true, false]);
            model.splice(model.indexOf(entry), 1);
          } else if (step.type === 'update' && entry !== undefined) {
            entry.key = step.key;
            heap.update(entry);
          }
          expect(heap.size).toBe(model.length);
        }
        const rest: number[] = [];
        for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) rest.push(entry.key);
        expect(rest).toEqual(model.map((entry) => entry.key).toSorted((a, b) => a - b));
      }),
    );
  });
});
