import { describe, expect, it } from 'vitest';
import { type ManagedFields, withManaged } from '../../core/api/apply/managed.ts';
import { encodeObject } from '../../core/api/encoding/object-json.ts';
import { pathSet } from '../../core/api/apply/field-set.ts';
import { fieldElement } from '../../core/api/apply/path-element.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { createEncodedCache } from './encoded-cache.ts';

const owner = (manager: string): ManagedFields[number] => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  subresource: '',
  set: pathSet(fieldElement('data')),
});
const config = (name: string, text = 'ü€😀'): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } }) as KubeObject;

describe('encoded objects', () => {
  const shared: ManagedFields = [owner('one')];
  const objects = [
    config('nobody'),
    withManaged(config('a'), shared),
    withManaged(config('b'), shared),
    withManaged(config('c'), [owner('one'), owner('two')]),
    withManaged(config('large', 'x'.repeat(200_000)), shared),
  ];

  it('are the JSON of the object, owners in their place', () => {
    const cache = createEncodedCache(1 << 20);
    for (const round of [1, 2]) {
      for (const object of objects) expect(String(cache.bytes(object)), `round ${round}`).toBe(encodeObject(object));
    }
  });

  it('can be copied between other bytes', () => {
    const cache = createEncodedCache(1 << 20);
    for (const object of objects) {
      const text = encodeObject(object);
      expect(cache.size(object)).toBe(Buffer.byteLength(text));
      const target = Buffer.alloc(cache.size(object) + 2, '_');
      cache.copyTo(target, 1, object);
      expect(String(target)).toBe(`_${text}_`);
    }
  });

  it('stay right while the cache forgets and moves on what is used', () => {
    const cache = createEncodedCache(2_000);
    const many = Array.from({ length: 60 }, (_, i) => withManaged(config(`c${i}`), shared));
    const often = many[0] as KubeObject;
    for (const object of many) {
      expect(String(cache.bytes(object))).toBe(encodeObject(object));
      expect(String(cache.bytes(often))).toBe(encodeObject(often));
    }
  });

  it('forget owners as they forget objects', () => {
    let encoded = 0;
    const counted: ManagedFields = [
      {
        ...owner('counted'),
        get manager() {
          encoded += 1;
          return 'counted';
        },
      },
    ];
    const cache = createEncodedCache(4_000);
    const object = withManaged(config('counted'), counted);
    cache.bytes(object);
    const once = encoded;
    cache.bytes(object);
    expect(encoded).toBe(once);
    for (let i = 0; i < 400; i += 1) cache.bytes(withManaged(config('other', ''), [owner(`manager-${i}`)]));
    cache.bytes(object);
    expect(encoded).toBeGreaterThan(once);
  });

  it('are encoded once while they are kept', () => {
    let reads = 0;
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      get data() {
        reads += 1;
        return {};
      },
    };
    const cache = createEncodedCache(1 << 20);
    cache.bytes(object);
    const first = reads;
    cache.bytes(object);
    expect(reads).toBe(first);
  });
});
