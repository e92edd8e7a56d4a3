import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatText } from './flat-text.ts';

describe('flatText', () => {
  it('never changes what the text says', () => {
    const unit = fc.constantFrom('a', '-', 'ÿ', '\0', 'é', '日', '😀');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.string({ unit, maxLength: 40 }), (a, b) => {
        expect(flatText(a + b)).toBe(a + b);
      }),
    );
    expect(flatText('x'.repeat(5000))).toHaveLength(5000);
  });
});
