import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { changedFields } from './changed-fields.ts';

const object = (rest: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x', ...metadata },
  ...rest,
});
const podOf = (...containers: readonly object[]): object => ({ spec: { template: { spec: { containers } } } });

describe('changed fields', () => {
  it.each<[string, KubeObject, KubeObject, readonly string[]]>([
    ['nothing', object({ a: 1 }), object({ a: 1 }), []],
    [
      'accounts of the server',
      object({ status: 1 }, { resourceVersion: '1', generation: 1 }),
      object({ status: 2 }, { resourceVersion: '2', generation: 2 }),
      [],
    ],
    [
      'a field of a named item',
      object(podOf({ name: 'app', image: 'secret-a' }, { name: 'b' })),
      object(podOf({ name: 'app', image: 'secret-b' }, { name: 'b' })),
      ['spec.template.spec.containers[app].image'],
    ],
    [
      'an item that came and one that went',
      object(podOf({ name: 'a' })),
      object(podOf({ name: 'b' })),
      ['spec.template.spec.containers[b]', 'spec.template.spec.containers[a]'],
    ],
    ['a list without names', object({ args: ['a'] }), object({ args: ['b'] }), ['args']],
    [
      'keys that are no identifiers',
      object({ data: { 'a.conf': 'x' } }, { annotations: { 'a/b': '1' } }),
      object({ data: {} }),
      ['metadata.annotations', 'data[a.conf]'],
    ],
    ['null', object({ a: null }), object({ a: {} }), ['a']],
  ])('%s', (_what, before, after, expected) => {
    const found = changedFields(before, after);
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).not.toContain('secret');
  });
});
