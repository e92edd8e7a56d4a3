import { describe, expect, it } from 'vitest';
import { keyDefaults, nodeAt, retainsKeys, schemaNode } from './lists.ts';

describe('nodeAt', () => {
  it('knows by which keys items are told apart', () => {
    expect(nodeAt('core/v1.Pod', ['spec', 'containers'])).toMatchObject({
      kind: 'list',
      listType: 'map',
      listMapKeys: ['name'],
      merge: true,
      mergeKey: 'name',
    });
    expect(nodeAt('core/v1.Pod', ['spec', 'containers', '[]', 'ports'])).toMatchObject({
      listMapKeys: ['containerPort', 'protocol'],
      mergeKey: 'containerPort',
    });
    expect(nodeAt('core/v1.Pod', ['spec', 'tolerations'])).toMatchObject({ listType: 'atomic', merge: false });
    expect(nodeAt('core/v1.Pod', ['metadata', 'finalizers'])).toMatchObject({ listType: 'set', merge: true });
  });

  it('knows what is applied as a whole', () => {
    expect(nodeAt('apps/v1.DaemonSet', ['spec', 'selector'])).toMatchObject({ kind: 'object', atomic: true });
    expect(nodeAt('core/v1.Pod', ['spec', 'nodeSelector'])).toMatchObject({ kind: 'map', atomic: true });
    expect(nodeAt('core/v1.Pod', ['metadata', 'labels'])).toMatchObject({ kind: 'map', atomic: false });
  });

  it('goes through maps and stops at what nobody knows', () => {
    expect(nodeAt('core/v1.Pod', ['metadata', 'labels', 'anything'])).toEqual({ kind: 'leaf', opaque: false });
    expect(nodeAt('apps/v1.ControllerRevision', ['data'])).toEqual({ kind: 'leaf', opaque: true });
    expect(nodeAt('apps/v1.ControllerRevision', ['data', 'x'])).toBeUndefined();
    expect(nodeAt('core/v1.Pod', ['spec', 'foo', 'bar'])).toBeUndefined();
    expect(nodeAt('core/v1.Pod', ['spec', '__proto__'])).toBeUndefined();
    expect(nodeAt('planton/v1.KubernetesDaemonSet', ['spec', 'create_namespace'])).toEqual({
      kind: 'leaf',
      opaque: true,
    });
  });

  it('ends recursion by asking step by step', () => {
    const path = ['spec', 'versions', '[]', 'schema', 'openAPIV3Schema', 'properties', 'a', 'properties', 'b', 'type'];
    expect(nodeAt('apiextensions/v1.CustomResourceDefinition', path)).toEqual({ kind: 'leaf', opaque: false });
    expect(schemaNode('core/v1.Pod')).toBe(schemaNode('core/v1.Pod'));
  });
});

describe('patches', () => {
  it('retain keys where only one source may be set', () => {
    expect(retainsKeys('core/v1.PodSpec', 'volumes')).toBe(true);
    expect(retainsKeys('core/v1.PodSpec', 'containers')).toBe(false);
    expect(retainsKeys('core/v1.PodSpec', 'nothing')).toBe(false);
  });

  it('know keys that need not be written', () => {
    expect(keyDefaults('core/v1.ContainerPort')).toEqual({ protocol: 'TCP' });
    expect(keyDefaults('core/v1.Container')['constructor']).toBeUndefined();
  });
});
