import { describe, expect, it } from 'vitest';
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from './finalizers.ts';
import { deepFreeze } from './immutable.ts';
import type { KubeObject } from './objects.ts';

const pod: KubeObject = deepFreeze({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } });

describe('finalizers', () => {
  it('are added once', () => {
    const held = withFinalizer(pod, 'a/b');
    expect(held.metadata).toEqual({ name: 'p', finalizers: ['a/b'] });
    expect(withFinalizer(held, 'a/b')).toBe(held);
    expect(hasFinalizer(held, 'a/b')).toBe(true);
    expect(hasFinalizer(pod, 'a/b')).toBe(false);
  });
  it('are removed, the field with the last', () => {
    const held = withFinalizer(withFinalizer(pod, 'a'), 'b');
    expect(withoutFinalizer(held, 'a').metadata).toEqual({ name: 'p', finalizers: ['b'] });
    expect(withoutFinalizer(withoutFinalizer(held, 'a'), 'b')).toEqual(pod);
    expect(withoutFinalizer(pod, 'a')).toBe(pod);
  });
  it('matter when deletion has begun', () => {
    expect(isBeingDeleted(pod)).toBe(false);
    const dying = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' } };
    expect(isBeingDeleted(dying)).toBe(true);
  });
});
