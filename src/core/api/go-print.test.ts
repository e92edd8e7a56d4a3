import { describe, expect, it } from 'vitest';
import { goSyntax, goText, goTypeName } from './go-print.ts';

describe('values as Go prints them', () => {
  it('are plain in messages', () => {
    expect(goText({ z: [1, 'a b', null, 1.5], a: { n: true } })).toBe('map[a:map[n:true] z:[1 a b <nil> 1.5]]');
    expect([goText(0.00001), goText(12345678901234567890n), goText([])]).toEqual([
      '1e-05',
      '12345678901234567890',
      '[]',
    ]);
  });

  it('can be written as in a program', () => {
    expect(goSyntax({ b: [1, 'x', null], a: false })).toBe(
      'map[string]interface {}{"a":false, "b":[]interface {}{1, "x", interface {}(nil)}}',
    );
  });

  it('have the types they are decoded to', () => {
    expect([[], {}, 'a', true, 1, 1.5, null].map(goTypeName)).toEqual([
      '[]interface {}',
      'map[string]interface {}',
      'string',
      'bool',
      'int64',
      'float64',
      '<nil>',
    ]);
  });

  it('keep members that look like something else', () => {
    expect(goText(JSON.parse('{"__proto__":1}') as never)).toBe('map[__proto__:1]');
  });
});
