import { describe, expect, it } from 'vitest';
import { createEncodedCache } from './encoded-cache.ts';
import { writtenObject } from './written-object.ts';

describe('objects on their way out', () => {
  it('begin with what they are, whatever order they came in', () => {
    const { object, typeBytes } = writtenObject({ metadata: { name: 'a' }, kind: 'ConfigMap', apiVersion: 'v1' });
    const text = JSON.stringify(object);
    expect(text.slice(0, 1 + typeBytes)).toBe('{"apiVersion":"v1","kind":"ConfigMap",');
    const other = writtenObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } });
    expect(JSON.stringify(other.object).slice(1 + other.typeBytes)).toBe('"metadata":{"name":"a"}}');
  });

  it("are left alone where they are nobody's but the user's", () => {
    const custom = { apiVersion: 'apps.example.com/v1', kind: 'Deployment', spec: {} };
    expect(writtenObject(custom)).toEqual({ object: custom, typeBytes: 0 });
    expect(writtenObject({})).toEqual({ object: {}, typeBytes: 0 });
  });

  it('do not say what they are inside a list of their kind', () => {
    const cache = createEncodedCache(1024 * 1024);
    const listed = (object: object): string => {
      const bytes = Buffer.alloc(cache.items.size(object));
      cache.items.copyTo(bytes, 0, object);
      return bytes.toString();
    };
    const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'ä' }, data: { k: 'v' } };
    expect(listed(map)).toBe('{"metadata":{"name":"ä"},"data":{"k":"v"}}');
    expect(cache.bytes(map).toString()).toBe(JSON.stringify(map));
    const custom = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } };
    expect(listed(custom)).toBe(JSON.stringify(custom));
  });

  it('say null where Go does', () => {
    const cache = createEncodedCache(1024 * 1024);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' }, rules: [] };
    expect(JSON.parse(cache.bytes(role).toString())).toMatchObject({ rules: null });
  });
});
