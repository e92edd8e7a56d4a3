import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import { configMap, failure, thrown } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';
import { handedOver } from './hand-over.ts';

class Odd {
  readonly a = 1;
}

describe('what is handed over', () => {
  it.each<[string, unknown]>([
    ['NaN', { spec: { n: Number.NaN } }],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a Date', { spec: { deep: { when: new Date(0) } } }],
    ['undefined in a list', { spec: { list: ['a', undefined] } }],
    ['a function', { spec: { run: () => 1 } }],
    ['a symbol', { s: Symbol('x') }],
    ['an instance', { spec: { odd: new Odd() } }],
    ['a Map', { spec: { deep: { deeper: { map: new Map() } } } }],
  ])('cannot be %s', (_, value) => {
    const error = thrown(() => handedOver(value));
    expect([error.code, error.reason]).toEqual([400, 'BadRequest']);
    expect(error.message).toContain('cannot be written as JSON');
  });

  it('cannot contain itself', () => {
    const loop: { self?: unknown } = {};
    loop.self = { in: { deep: { er: loop } } };
    expect(thrown(() => handedOver(loop)).code).toBe(400);
  });

  it('may leave members undefined, which JSON leaves out', () => {
    expect(() => handedOver({ a: undefined, spec: { b: undefined } })).not.toThrow();
  });

  it('is any JSON there is, however often it comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (let i = 0; i < 3; i++) expect(handedOver(value)).toBe(value);
      }),
    );
  });

  it('is looked at again when it is another value of the same shape', () => {
    const shared = { list: ['a'] };
    for (let i = 0; i < 3; i++) handedOver({ spec: shared });
    expect(() => handedOver({ spec: shared, extra: Number.NaN })).toThrow('NaN');
    expect(() => handedOver({ spec: { ...shared, n: Number.NaN } })).toThrow('NaN');
  });

  it('can no longer be changed by accident', () => {
    const spec = { containers: [{ name: 'a' }] };
    const object = { metadata: { name: 'x' }, spec };
    handedOver(object);
    expect(() => {
      object.metadata.name = 'y';
    }).toThrow(TypeError);
    expect(() => void spec.containers.push({ name: 'b' })).toThrow(TypeError);
  });

  it('reaches no store when it is refused', async () => {
    const { client, store } = await createTestServer();
    const before = store.revision;
    const wrong = { ...configMap('a'), data: { when: new Date(0) } } as unknown as ConfigMap;
    expect((await failure(client.create(CONFIG_MAPS, wrong))).code).toBe(400);
    expect((await failure(client.update(CONFIG_MAPS, wrong))).code).toBe(400);
    const patch = { type: 'merge', body: { data: { n: Number.NaN } } } as const;
    expect((await failure(client.patch(CONFIG_MAPS, { namespace: 'default', name: 'a' }, patch))).code).toBe(400);
    expect(store.revision).toBe(before);
  });
});
