import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../core/kube/immutable.ts';
import type { Json } from '../../core/kube/json.ts';
import { applyJsonPatch, decodeJsonPatch } from '../../core/kube/json-patch.ts';
import { patchBetween } from './object-patch.ts';

const applied = (from: Json, to: Json): Json => applyJsonPatch(from, decodeJsonPatch(patchBetween(from, to)));

const key = fc.constantFrom('a', 'b', 'c/d', 'e~f', '', '__proto__', 'constructor', '~1', '0');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 1, 'x', 'y', 9007199254740993n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const document = fc.dictionary(key, value, { maxKeys: 5 });

describe('patchBetween', () => {
  it('makes the one of the other', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(deepEqual(applied(from, to), to)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is empty exactly for equal documents', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(patchBetween(from, structuredClone(from))).toEqual([]);
        expect(patchBetween(from, to).length === 0).toBe(deepEqual(from, to));
      }),
    );
  });

  it.each([
    ['adds a member', { a: 1 }, { a: 1, b: 2 }, [{ op: 'add', path: '/b', value: 2 }]],
    ['removes a member', { a: 1, b: 2 }, { a: 1 }, [{ op: 'remove', path: '/b' }]],
    ['replaces deep down', { a: { b: 1 } }, { a: { b: 2 } }, [{ op: 'replace', path: '/a/b', value: 2 }]],
    ['escapes names', { 'a/b~c': 1 }, {}, [{ op: 'remove', path: '/a~1b~0c' }]],
    ['puts into a list where it belongs', { l: [1, 2] }, { l: [1, 3, 2] }, [{ op: 'add', path: '/l/1', value: 3 }]],
    ['takes from the front', { l: [1, 2, 3] }, { l: [2, 3] }, [{ op: 'remove', path: '/l/0' }]],
    [
      'takes several, from behind',
      { l: [1, 2, 3] },
      { l: [] },
      [
        { op: 'remove', path: '/l/2' },
        { op: 'remove', path: '/l/1' },
        { op: 'remove', path: '/l/0' },
      ],
    ],
    ['changes a kind', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
  ] as const)('%s', (_, from, to, operations) => {
    expect(patchBetween(from, to)).toEqual(operations);
  });

  it('does not look at what both share', () => {
    const shared = new Proxy(
      { x: 1 },
      {
        ownKeys: () => {
          throw new Error('looked');
        },
      },
    );
    expect(patchBetween({ shared, a: 1 }, { shared, a: 2 })).toEqual([{ op: 'replace', path: '/a', value: 2 }]);
  });

  it('stays linear in long lists', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    const other = [...long.slice(0, 10_000), { index: -1 }, ...long.slice(10_000)];
    expect(patchBetween({ l: long }, { l: structuredClone(other) })).toHaveLength(1);
  });
});
