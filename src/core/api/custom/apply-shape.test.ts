/** The shape of custom kinds in server-side apply. */
import { describe, expect, it } from 'vitest';
import { compare } from '../apply/compare.ts';
import { shapeOfKind } from '../apply/kind-shape.ts';
import { validateConfiguration } from '../apply/validate.ts';
import { UntypedValue } from '../apply/values.ts';
import { customNode } from './schema/schema-node.ts';
import { toStructural } from './schema/structural.ts';

const parsed = toStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});
if (!parsed.ok) throw new Error('the schema is no structural one');
const shape = shapeOfKind({ custom: { node: customNode(parsed.structural, 'thing') } as never, schema: 'thing' });
const thing = (spec: object, metadata: object = {}) => ({ apiVersion: 'g/v1', kind: 'Thing', metadata, spec }) as never;

describe('a custom kind, applied', () => {
  it('has metadata of the types that all metadata have', () => {
    expect(validateConfiguration(shape, thing({}, { labels: { a: 'b' }, generation: 1 }))).toEqual([]);
    expect(validateConfiguration(shape, thing({}, { labels: { a: true } }))).toEqual([
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:true}',
    ]);
  });

  it('has no owners while a list stands where a scalar belongs, which a format lets pass', () => {
    const [right, wrong] = [thing({ when: '2021-01-01T00:00:00Z' }), thing({ when: [1] })];
    expect(() => compare(shape, thing({}), wrong)).toThrow(UntypedValue);
    expect(() => compare(shape, right, wrong)).toThrow(UntypedValue);
    expect(() => compare(shape, thing({}), right)).not.toThrow();
  });

  it('may turn a scalar into a list or a map where anything may stand', () => {
    const values = ['x', 1, [1], { a: { b: [null] } }, true];
    for (const before of values)
      for (const after of values)
        expect(() => compare(shape, thing({ free: { a: before } }), thing({ free: { a: after } }))).not.toThrow();
  });
});
