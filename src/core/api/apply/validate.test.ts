import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { shapeOf } from './shape.ts';
import { joinErrors, validateConfiguration } from './validate.ts';

const check = (value: Json): readonly string[] => validateConfiguration(shapeOf('apps/v1.Deployment'), value);
const container = (extra: Json): Json => ({ spec: { template: { spec: { containers: [extra] } } } });

describe('an applied configuration', () => {
  it('is fine when it is built like its kind; null says nothing', () => {
    expect(
      check({ metadata: { name: 'a' }, spec: { replicas: null, template: { spec: { containers: null } } } }),
    ).toEqual([]);
    expect(check(container({ name: 'a', ports: [{ containerPort: 80 }], resources: { limits: { cpu: 1 } } }))).toEqual(
      [],
    );
  });

  it('has only fields of its type', () => {
    expect(check({ spec: { foo: 1 } })).toEqual(['.spec.foo: field not declared in schema']);
    expect(check(container({ name: 'a', images: 'x' }))).toEqual([
      '.spec.template.spec.containers[name="a"].images: field not declared in schema',
    ]);
  });

  it('has values of their types', () => {
    expect(check({ spec: { replicas: 'three' } })).toEqual([
      '.spec.replicas: expected numeric (int or float), got string',
    ]);
    expect(check({ spec: { paused: 'yes' } })).toEqual(['.spec.paused: expected boolean, got &{yes}']);
    expect(check({ spec: [] })).toEqual(['.spec: expected map, got &{[]}']);
    expect(check({ metadata: { labels: { a: {} } } })).toEqual([
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    ]);
  });

  it('is told what it has instead as Go prints it', () => {
    const asText = (value: Json): string | undefined => check({ metadata: { name: value } })[0]?.split('Value:')[1];
    expect(asText({ b: [1, 'x', null, 1.5], a: true })).toBe(
      'map[string]interface {}{"a":true, "b":[]interface {}{1, "x", interface {}(nil), 1.5}}}',
    );
    expect(asText(0.00001)).toBe('1e-05}');
    const asFlag = (value: Json): string | undefined => check({ spec: { paused: value } })[0]?.split('got ')[1];
    expect(asFlag({ z: [1, 2], a: 'q w', n: null })).toBe('&{map[a:q w n:<nil> z:[1 2]]}');
    expect(asFlag(0.00001)).toBe('&{1e-05}');
    const asNumber = (value: Json): string | undefined => check({ spec: { replicas: value } })[0]?.split('got ')[1];
    expect([asNumber([]), asNumber({}), asNumber(true)]).toEqual(['[]interface {}', 'map[string]interface {}', 'bool']);
  });

  it('names nothing twice', () => {
    const twice = { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } } };
    expect(check(twice)).toEqual(['.spec.template.spec.containers: duplicate entries for key [name="a"]']);
    expect(check({ metadata: { finalizers: ['x', 'x'] } })).toEqual([
      '.metadata.finalizers: duplicate entries for key [="x"]',
    ]);
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }];
    expect(check(container({ name: 'a', ports }))).toEqual([
      '.spec.template.spec.containers[name="a"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
    ]);
  });

  it('says what is wrong one by one', () => {
    expect(joinErrors(['a'])).toBe('a');
    expect(joinErrors(['a', 'b'])).toBe('errors:\n  a\n  b');
  });
});
