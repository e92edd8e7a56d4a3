import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { PODS } from '../../../core/api/registry/resources.ts';
import { LOOPBACK } from '../../contract/users.ts';
import { failure, pod } from '../../testing/samples.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { BINDING, EVICTION, readBody, SCALE } from './read-body.ts';

const body = (object: object): KubeObject => object as KubeObject;

describe('bodies of subresources', () => {
  it('may leave out their type, and come in older spellings', () => {
    expect(readBody(BINDING, body({ target: { name: 'n' } }))).toMatchObject({
      kind: 'Binding',
      target: { name: 'n' },
    });
    const old = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'a' } };
    expect(readBody(EVICTION, body(old))).toMatchObject({ metadata: { name: 'a' } });
  });

  it('are refused when they are of another type', () => {
    for (const type of [BINDING, EVICTION, SCALE]) {
      expect(() => readBody(type, body({ apiVersion: 'v1', kind: 'Pod' }))).toThrow(
        `cannot be handled as a ${type.kind}`,
      );
      expect(() => readBody(type, body({ apiVersion: 'v9', kind: type.kind }))).toThrow('expected');
    }
  });

  it('are refused when they are built wrongly, so that nothing of the kind is stored', async () => {
    const { client, server, store } = await createTestServer();
    await client.create(PODS, pod('a'));
    const before = store.revision;
    const target = { tenant: 'system', group: '', version: 'v1', resource: 'pods', namespace: 'default', name: 'a' };
    const send = (subresource: string, object: object) =>
      failure(
        server.handle({
          ...{ verb: 'create', user: LOOPBACK, options: {}, object: body(object) },
          target: { ...target, subresource },
        } as never),
      );
    const node = { target: { kind: 'Node', name: 'n' } };
    const wrong: readonly (readonly [string, object])[] = [
      ['binding', { ...node, metadata: { annotations: { a: { b: 1 } } } }],
      ['binding', { ...node, metadata: { annotations: ['x'] } }],
      ['binding', { ...node, metadata: { name: 5 } }],
      ['binding', { ...node, metadata: 'x' }],
      ['binding', { target: 'n' }],
      ['binding', { target: { name: ['n'] } }],
      ['eviction', { deleteOptions: { gracePeriodSeconds: 'soon' } }],
      ['eviction', { deleteOptions: { preconditions: { uid: {} } } }],
      ['eviction', { deleteOptions: [] }],
      ['eviction', { metadata: { name: {} } }],
    ];
    for (const [subresource, object] of wrong) {
      const error = await send(subresource, object);
      expect([object, error.code, error.message]).toEqual([object, 400, expect.stringContaining('cannot unmarshal')]);
    }
    expect(store.revision).toBe(before);
  });
});
