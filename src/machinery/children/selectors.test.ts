import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import { isEmptySelector, selectsWith } from './selectors.ts';

const label = fc.constantFrom('a', 'b');
const labels = fc.dictionary(label, fc.constantFrom('1', '2'), { maxKeys: 2, noNullPrototype: true });

describe('a remembered selector', () => {
  it('answers as the compiled one does, however often and in whatever order it is asked', () => {
    fc.assert(
      fc.property(labels, fc.array(fc.option(labels, { nil: undefined })), (matchLabels, asked) => {
        const selector = { matchLabels };
        const compiled = compileLabelSelector({ matchLabels });
        const selects = selectsWith(selector);
        expect(selectsWith(selector)).toBe(selects);
        for (const each of [...asked, ...asked.toReversed()]) expect(selects(each)).toBe(compiled.matches(each ?? {}));
      }),
    );
  });

  it('selects nothing where there is none, or where it cannot be read', () => {
    expect(selectsWith(undefined)({ a: '1' })).toBe(false);
    const unreadable = { matchExpressions: [{ key: 'a', operator: 'Near', values: ['1'] }] };
    expect(selectsWith(unreadable)({ a: '1' })).toBe(false);
  });

  it('is empty where it would select everything', () => {
    expect(isEmptySelector({})).toBe(true);
    expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
    expect(isEmptySelector({ matchLabels: { a: '1' } })).toBe(false);
    expect(isEmptySelector(undefined)).toBe(false);
  });
});
