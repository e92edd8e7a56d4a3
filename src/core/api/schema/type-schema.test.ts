import { describe, expect, it } from 'vitest';
import { schemaOfKubernetesKind } from './schema-of.ts';
import { findTypeSchema, goElementType, goTypeOf, typeNames, typeSchema } from './type-schema.ts';
import { zeroObject } from './zero-value.ts';

describe('typeSchema', () => {
  it('has apiVersion and kind where the type carries them, and only there', () => {
    expect(typeSchema('core/v1.Pod').fields.map((field) => field.name)).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'spec',
      'status',
    ]);
    expect(typeSchema('core/v1.PodTemplateSpec').byName.has('kind')).toBe(false);
  });

  it('puts the members of inline structs beside the others for JSON and keeps them apart for protobuf', () => {
    const volume = typeSchema('core/v1.Volume');
    expect(volume.byName.get('hostPath')).toMatchObject({ owner: 'Volume', through: ['VolumeSource'] });
    expect(volume.nested.map((field) => field.name)).toEqual(['name', '']);
  });

  it('knows how Go prints types', () => {
    const port = typeSchema('core/v1.ContainerPort');
    expect(port.byName.get('protocol')?.goType).toBe('v1.Protocol');
    expect(port.byName.get('containerPort')?.goType).toBe('int32');
    expect(typeSchema('core/v1.PodSpec').byName.get('containers')?.goType).toBe('[]v1.Container');
    expect(goTypeOf({ kind: 'map', value: { kind: 'scalar', scalar: 'bytes' } })).toBe('map[string][]uint8');
    expect(goElementType('[]v1.Capability', { kind: 'scalar', scalar: 'string' })).toBe('v1.Capability');
    expect(goElementType('map[v1.ResourceName]resource.Quantity', { kind: 'scalar', scalar: 'quantity' })).toBe(
      'resource.Quantity',
    );
    expect(goElementType('v1.ResourceList', { kind: 'scalar', scalar: 'quantity' })).toBe('resource.Quantity');
  });

  it('makes every type there is, once', () => {
    for (const name of typeNames()) expect(typeSchema(name)).toBe(typeSchema(name));
  });

  it('has none of other names', () => {
    expect(findTypeSchema('core/v1.Nothing')).toBeUndefined();
    expect(findTypeSchema('__proto__')).toBeUndefined();
    expect(() => typeSchema('core/v1.Nothing')).toThrow('no schema is called core/v1.Nothing');
  });
});

describe('zeroObject', () => {
  it('holds what Go writes even when nobody set it', () => {
    expect(zeroObject(typeSchema('apps/v1.DaemonSet'))).toEqual({
      metadata: {},
      spec: { template: { metadata: {}, spec: { containers: [] } }, updateStrategy: {} },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    });
    expect(Object.isFrozen(zeroObject(typeSchema('core/v1.Pod')))).toBe(true);
  });
});

describe('schemaOfKubernetesKind', () => {
  it.each([
    ['v1', 'Pod', 'core/v1.Pod'],
    ['v1', 'PodList', 'core/v1.PodList'],
    ['v1', 'List', 'core/v1.List'],
    ['policy/v1', 'Eviction', 'policy/v1.Eviction'],
    ['v1', 'DeleteOptions', 'meta/v1.DeleteOptions'],
    ['apps/v1', 'DeleteOptions', 'meta/v1.DeleteOptions'],
    ['v1', 'Status', 'meta/v1.Status'],
    ['authentication.k8s.io/v1', 'TokenRequest', 'authentication/v1.TokenRequest'],
  ])('%s %s is %s', (apiVersion, kind, schema) => {
    expect(schemaOfKubernetesKind(apiVersion, kind)).toBe(schema);
  });

  it.each([
    ['v1', 'PodSpec'],
    ['apps.example.com/v1', 'Deployment'],
    ['core.korder.dev/v1alpha1', 'Order'],
    ['v2', 'Pod'],
    ['v1', '__proto__'],
    ['', ''],
  ])('%s %s is none', (apiVersion, kind) => {
    expect(schemaOfKubernetesKind(apiVersion, kind)).toBeUndefined();
  });
});
