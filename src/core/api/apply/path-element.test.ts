import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { compareBytes } from '../../kube/go-text.ts';
import {
  compareElements,
  describeElement,
  fieldElement,
  keyElement,
  parseElement,
  valueElement,
} from './path-element.ts';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom('a', 'a b', 'a"', 'a\\', 'é', '<x>'));

describe('elements of a path', () => {
  it('are told as structured-merge-diff does, also where a key is no scalar', () => {
    const told = (value: Json): string => describeElement(keyElement([['name', value]]));
    expect([told('a'), told({}), told({ b: 'c' }), told(['x', 1])]).toEqual([
      '[name="a"]',
      '[name=]',
      '[name=b="c"]',
      '[name=["x",1]]',
    ]);
  });

  it('are ordered by kind, then by what they hold; numbers by their value', () => {
    const port = (value: number): string =>
      keyElement([
        ['containerPort', value],
        ['protocol', 'TCP'],
      ]);
    const inOrder = [
      fieldElement('a'),
      fieldElement('b'),
      port(9),
      port(80),
      port(443),
      keyElement([['name', 'a']]),
      keyElement([['name', 'a b']]),
      keyElement([['name', 'ab']]),
      valueElement(1),
      valueElement('1'),
      valueElement(true),
      'i:0',
      'i:7',
    ];
    for (const [i, a] of inOrder.entries()) {
      for (const [j, b] of inOrder.entries()) expect(Math.sign(compareElements(a, b))).toBe(Math.sign(i - j));
    }
  });

  it('of one key are in the order of its values', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const order = compareElements(keyElement([['k', a]]), keyElement([['k', b]]));
        expect(Math.sign(order)).toBe(Math.sign(compareBytes(a, b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('are read back as they were written, in whatever spelling', () => {
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        const key = keyElement([
          ['a', a],
          ['b', b],
        ]);
        expect(parseElement(key)).toBe(key);
        expect(parseElement(`k:${JSON.stringify({ b, a }, undefined, 1)}`)).toBe(key);
        expect(parseElement(valueElement(a))).toBe(valueElement(a));
      }),
    );
  });

  it('escape what Go escapes', () => {
    expect(valueElement('<&>')).toBe('v:"\\u003c\\u0026\\u003e"');
    expect(keyElement([['name', 'a"b']])).toBe('k:{"name":"a\\"b"}');
  });

  it('of a kind nobody knows are passed over, nonsense is refused', () => {
    expect(parseElement('x:later')).toBeUndefined();
    const wrong: readonly (readonly [string, string])[] = [
      ['', 'key must be 2 characters long'],
      ['f', 'key must be 2 characters long'],
      ['fa', 'missing colon'],
      ['k:[]', 'is no key'],
      ['k:{', 'unexpected end'],
      ['v:', 'unexpected end'],
      ['i:x', 'invalid syntax'],
    ];
    for (const [text, message] of wrong) expect(() => parseElement(text)).toThrow(message);
  });
});
