import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { equalSets, hasPath } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { shapeOf } from './shape.ts';
import { toFieldSet } from './to-field-set.ts';

const pod: Json = {
  metadata: { labels: { app: 'a' }, finalizers: ['x/y'], ownerReferences: [] },
  spec: {
    containers: [
      { name: 'b', ports: [{ containerPort: 443 }, { containerPort: 80, protocol: 'UDP' }], resources: {} },
      { name: 'a', args: ['x'] },
    ],
    tolerations: [{ operator: 'Exists' }],
  },
};

describe('FieldsV1', () => {
  it('is what structured-merge-diff writes', () => {
    expect(encodeFields(toFieldSet(shapeOf('core/v1.Pod'), pod))).toBe(
      '{"f:metadata":{"f:finalizers":{"v:\\"x/y\\"":{}},"f:labels":{"f:app":{}}},"f:spec":{"f:containers":' +
        '{"k:{\\"name\\":\\"a\\"}":{".":{},"f:args":{},"f:name":{}},"k:{\\"name\\":\\"b\\"}":{".":{},"f:name":{},"f:ports":' +
        '{"k:{\\"containerPort\\":80,\\"protocol\\":\\"UDP\\"}":{".":{},"f:containerPort":{},"f:protocol":{}},' +
        '"k:{\\"containerPort\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{}}},"f:resources":{}}},' +
        '"f:tolerations":{}}}',
    );
  });

  it('is read back', () => {
    const set = toFieldSet(shapeOf('core/v1.Pod'), pod);
    expect(equalSets(decodeFields(JSON.parse(encodeFields(set)) as Json), set)).toBe(true);
  });

  it('of somebody else is brought in order, and what nobody knows is left out', () => {
    const set = decodeFields({ 'f:b': {}, 'f:a': { 'x:future': {}, '.': {} }, 'k:{"z": 1, "a":2}': { 'f:q': {} } });
    expect(encodeFields(set)).toBe('{"f:a":{},"f:b":{},"k:{\\"a\\":2,\\"z\\":1}":{"f:q":{}}}');
    expect(hasPath(set, ['f:a'])).toBe(true);
  });

  it('that is none is refused', () => {
    expect(() => decodeFields('x')).toThrow('expected an object');
    expect(() => decodeFields({ 'f:a': [] })).toThrow('expected an object');
    expect(() => decodeFields({ nonsense: {} })).toThrow('missing colon');
    let deep: Json = {};
    for (let i = 0; i < 2000; i++) deep = { 'f:a': deep };
    expect(() => decodeFields(deep)).toThrow('exceeded max depth');
  });

  it('holds names that mean something to JavaScript as plain data', () => {
    const value = JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}') as Json;
    const set = toFieldSet(shapeOf('core/v1.ConfigMap'), value);
    expect(encodeFields(set)).toBe('{"f:metadata":{"f:labels":{"f:__proto__":{},"f:constructor":{}}}}');
    expect(encodeFields(decodeFields(JSON.parse(encodeFields(set)) as Json))).toBe(encodeFields(set));
  });
});
