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
    expect(check({ spec: { paused: 'yes' } })[0]).toContain('.spec.paused: expected boolean, got');
    expect(check({ spec: [] })[0]).toContain('.spec: expected map, got');
    expect(check({ metadata: { labels: { a: {} } } })[0]).toContain('.metadata.labels.a: expected string, got');
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
