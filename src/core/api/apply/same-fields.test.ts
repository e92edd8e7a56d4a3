import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { findTypeSchema } from '../schema/type-schema.ts';
import { zeroObject } from '../schema/zero-value.ts';
import { compare } from './compare.ts';
import { equalSets, union } from './field-set.ts';
import { haveSameFields } from './same-fields.ts';
import { shapeOf } from './shape.ts';

const shape = shapeOf('core/v1.Pod');
const zero = zeroObject(findTypeSchema('core/v1.Pod') as never) as Json;

const text = fc.constantFrom('', 'x', 'y');
const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 2 });
const pod = fc.record(
  {
    metadata: fc.record({ name: text, labels: fc.dictionary(fc.constantFrom('a', 'b'), text) }, { requiredKeys: [] }),
    spec: fc.record(
      {
        containers: few(fc.record({ name: text, image: text, args: few(text) }, { requiredKeys: ['name'] })),
        tolerations: few(fc.record({ key: text })),
        nodeName: text,
        hostNetwork: fc.boolean(),
        priority: fc.constantFrom(0, 1, 2),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['metadata', 'spec'] },
) as fc.Arbitrary<Json>;

const owned = (value: Json) => {
  const { added, modified } = compare(shape, zero, value);
  return union(added, modified);
};

/** The same object with other images, labels and numbers. */
const withOtherValues = (value: Json): Json =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      key === 'name' || typeof member === 'object' ? member : member === 'x' ? 'y' : member === 1 ? 2 : member,
    ),
  ) as Json;

describe('objects of the same fields', () => {
  it('are owned alike by whoever makes them', () => {
    let same = 0;
    fc.assert(
      fc.property(pod, pod, fc.boolean(), (a, other, isTwin) => {
        const b = isTwin ? withOtherValues(a) : other;
        if (!haveSameFields(shape, a, b)) return;
        same++;
        expect(equalSets(owned(a), owned(b))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(same).toBeGreaterThan(20);
  });

  it('are recognised whatever their values, and told apart by keys', () => {
    const one = (name: string, node: string, key = 'k'): Json => ({
      metadata: { name, labels: { app: 'a' } },
      spec: {
        containers: [{ name: key, image: 'i' }],
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ node }] } },
        },
      },
    });
    expect(haveSameFields(shape, one('a', '1'), one('b', '2'))).toBe(true);
    expect(haveSameFields(shape, one('a', '1'), one('b', '2', 'other'))).toBe(false);
    expect(haveSameFields(shape, one('a', '1'), one('', '2'))).toBe(false);
  });
});
