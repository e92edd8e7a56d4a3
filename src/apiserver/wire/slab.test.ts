import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlab } from './slab.ts';

describe('bytes cut from blocks', () => {
  it('are those of the text, whatever was cut before and after', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 40 }), (texts) => {
        const slab = createSlab(1024);
        const pieces = texts.map((text) => slab.text(text));
        expect(pieces.map(String)).toEqual(texts.map((text) => Buffer.from(text).toString()));
      }),
    );
  });

  it('are those of the parts, one after the other', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 20 }), (lists) => {
        const slab = createSlab(256);
        const joined = lists.map((list) => slab.joined(list.map((text) => Buffer.from(text))));
        expect(joined.map(String)).toEqual(lists.map((list) => list.join('')));
      }),
    );
  });

  it('stand alone where they would fill a block', () => {
    const slab = createSlab(1024);
    const small = slab.text('a');
    const large = slab.text('b'.repeat(2000));
    expect(large.length).toBe(2000);
    expect(large.buffer).not.toBe(small.buffer);
    expect(slab.text('c').buffer).toBe(small.buffer);
  });
});
