import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemory } from './memory.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

describe('a memory', () => {
  it('forgets what was not used for longest', () => {
    const memory = createMemory<number>(2);
    memory.recall('a', () => 1);
    memory.recall('b', () => 2);
    memory.recall('a', () => expect.fail('it is known'));
    memory.recall('c', () => 3);
    expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual([1, undefined, 3]);
  });

  it('does as a list would that is searched each time', () => {
    const step = fc.record({ key: fc.constantFrom(...NAMES), forget: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const memory = createMemory<number>(limit);
        let model: (readonly [string, number])[] = [];
        steps.forEach(({ key, forget }, at) => {
          const known = model.find(([other]) => other === key);
          model = model.filter(([other]) => other !== key);
          if (forget) memory.forget(key);
          else {
            expect(memory.recall(key, () => at)).toBe(known?.[1] ?? at);
            model = [...model, [key, known?.[1] ?? at] as const].slice(-limit || Infinity);
            if (limit === 0) model = [];
          }
          for (const name of NAMES) expect(memory.get(name)).toBe(model.find(([other]) => other === name)?.[1]);
        });
      }),
    );
  });
});
