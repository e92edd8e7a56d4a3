/**
 * Hostile input that might keep the server busy: wide sets, many owners, many items of one name. All in linear time.
 */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { compare } from './compare.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { decodeManaged } from './managed.ts';
import { capped } from './managers.ts';
import { merge } from './merge.ts';
import { shapeOf } from './shape.ts';
import { toFieldSet } from './to-field-set.ts';

const MANY = 20_000;
const names = Array.from({ length: MANY }, (_, i) => `k${MANY - i}`);

describe('large input', () => {
  it('in the worst order is put in order once', () => {
    const data = Object.fromEntries(names.map((name) => [name, 'x']));
    const shape = shapeOf('core/v1.ConfigMap');
    const value: Json = { data };
    const set = toFieldSet(shape, value);
    expect(set.below[0]?.elements.length).toBe(MANY);
    expect(compare(shape, {}, value).added.below[0]?.elements.length).toBe(MANY);
    expect(encodeFields(decodeFields(JSON.parse(encodeFields(set)) as Json)).length).toBeGreaterThan(MANY);
    const fields = Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
    expect(decodeFields(fields).elements.length).toBe(MANY);
  });

  it('of many owners is read, and merged into ten', () => {
    const entry = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };
    const managed = decodeManaged(names.map((manager) => ({ ...entry, manager })));
    expect(managed.length).toBe(MANY);
    expect(capped(managed).length).toBe(10);
  });

  it('of many items with one name is compared and merged', () => {
    const shape = shapeOf('core/v1.Pod');
    const pod = (image: string): Json => ({ spec: { containers: names.map(() => ({ name: 'a', image })) } });
    const { modified } = compare(shape, pod('x'), pod('y'));
    expect(encodeFields(modified)).toBe('{"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{}}}}');
    const many: Json = { spec: { containers: names.map((name) => ({ name })) } };
    expect(merge(shape, many, { spec: { containers: names.toReversed().map((name) => ({ name })) } })).toBeDefined();
  });
});
