import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../core/kube/objects.ts';
import type { AdmissionRequest } from '../../machinery/ports/admission.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';

const requestOf = (resource: string, metadata: KubeObject['metadata'], more: object = {}): AdmissionRequest =>
  ({
    operation: 'CREATE',
    subresource: '',
    resource: { group: '', version: 'v1', resource, kind: 'Any', namespaced: true },
    object: { apiVersion: 'v1', kind: 'Any', metadata },
    ...more,
  }) as unknown as AdmissionRequest;

const plugin = createStorageObjectInUseProtection(['/persistentvolumeclaims', '/persistentvolumes']);
const admitted = (request: AdmissionRequest): unknown => {
  const response = plugin.mutate?.(request);
  return response !== undefined && 'object' in response ? response.object?.metadata.finalizers : undefined;
};

describe('storage objects', () => {
  it('are born with the finalizer that keeps them', () => {
    expect(admitted(requestOf('persistentvolumeclaims', { name: 'a' }))).toEqual(['kubernetes.io/pvc-protection']);
    expect(admitted(requestOf('persistentvolumes', { name: 'a', finalizers: ['x/y'] }))).toEqual([
      'x/y',
      'kubernetes.io/pv-protection',
    ]);
    expect(admitted(requestOf('persistentvolumes', { name: 'a', finalizers: ['kubernetes.io/pv-protection'] }))).toBe(
      undefined,
    );
  });

  it('are all it looks at, and only when they are made', () => {
    expect(plugin.handles(requestOf('persistentvolumeclaims', { name: 'a' }))).toBe(true);
    expect(plugin.handles(requestOf('pods', { name: 'a' }))).toBe(false);
    expect(plugin.handles(requestOf('persistentvolumeclaims', { name: 'a' }, { operation: 'UPDATE' }))).toBe(false);
    expect(plugin.handles(requestOf('persistentvolumeclaims', { name: 'a' }, { subresource: 'status' }))).toBe(false);
    const none = createStorageObjectInUseProtection([]);
    expect(none.handles(requestOf('persistentvolumeclaims', { name: 'a' }))).toBe(false);
  });
});
