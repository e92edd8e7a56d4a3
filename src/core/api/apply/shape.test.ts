import { describe, expect, it } from 'vitest';
import { DEDUCED, type Shape, shapeOf } from './shape.ts';

const at = (schema: string, ...path: readonly string[]): Shape => {
  let shape = shapeOf(schema);
  for (const step of path) {
    const next = step === '[]' ? shape.list?.element : (shape.map?.field(step)?.shape ?? shape.map?.other);
    if (next === undefined) throw new Error(`${schema} has no ${path.join('.')}`);
    shape = next;
  }
  return shape;
};
const pod = (...path: readonly string[]): Shape => at('core/v1.Pod', ...path);

describe('shapes of types', () => {
  it('know which lists are maps, sets, or one value', () => {
    expect(pod('spec', 'containers').list).toMatchObject({ relation: 'map', keys: ['name'] });
    expect(pod('spec', 'containers', '[]', 'ports').list).toMatchObject({
      relation: 'map',
      keys: ['containerPort', 'protocol'],
    });
    expect(pod('spec', 'ephemeralContainers', '[]', 'env').list).toMatchObject({ relation: 'map', keys: ['name'] });
    expect(pod('metadata', 'finalizers').list?.relation).toBe('set');
    expect(pod('spec', 'tolerations').list?.relation).toBe('atomic');
  });

  it('know what a key is that nobody wrote', () => {
    const ports = pod('spec', 'containers', '[]', 'ports').list;
    expect(ports?.keyDefault('protocol')).toBe('TCP');
    expect(ports?.keyDefault('containerPort')).toBe(0);
    expect(pod('spec', 'containers').list?.keyDefault('name')).toBe('');
    expect(pod('spec', 'imagePullSecrets').list?.keyDefault('name')).toBe('');
    expect(at('core/v1.ServiceAccount', 'secrets').list?.keyDefault('name')).toBeUndefined();
  });

  it('know which maps and structs are one value, here and elsewhere', () => {
    expect(pod('metadata', 'labels').map?.atomic).toBe(false);
    expect(pod('spec', 'nodeSelector').map?.atomic).toBe(true);
    expect(at('apps/v1.Deployment', 'spec', 'selector').map?.atomic).toBe(true);
    expect(at('core/v1.PersistentVolume', 'spec', 'claimRef').map?.atomic).toBe(false);
    expect(at('core/v1.Event', 'involvedObject').map?.atomic).toBe(true);
  });

  it('take any JSON where a type says nothing', () => {
    expect(shapeOf('nobody/v1.Knows')).toBe(DEDUCED);
    expect(at('apps/v1.ControllerRevision', 'data').map?.atomic).toBe(true);
    expect(pod('spec', 'containers', '[]', 'resources', 'limits', 'cpu').scalar).toBe('untyped');
  });
});
