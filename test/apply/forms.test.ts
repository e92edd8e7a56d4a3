/** Apply on kinds that are read and written in several versions, and on those users define. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { failure } from '../../src/apiserver/testing/samples.ts';
import { encodeFields } from '../../src/core/api/apply/fields-v1.ts';
import { managedOf } from '../../src/core/api/apply/managed.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import type { KubeObject, Resource } from '../../src/core/kube/objects.ts';

const owners = (object: KubeObject): readonly string[] =>
  (managedOf(object) ?? []).map(({ apiVersion, manager, operation, set }) =>
    [manager, operation, apiVersion, encodeFields(set)].join(' '),
  );

const autoscalers = (version: string): Resource => ({
  group: 'autoscaling',
  version,
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
});
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const autoscaler = (version: string, spec: object): KubeObject =>
  ({
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h', namespace: 'default' },
    spec: { scaleTargetRef: target, ...spec },
  }) as KubeObject;

describe('a kind in several versions', () => {
  it('is applied in each, and owners in one version stand in the way of those in another', async () => {
    const { client } = await createTestServer();
    const v1 = autoscalers('v1');
    const v2 = autoscalers('v2');
    const made = await client.apply(v1, autoscaler('v1', { maxReplicas: 3 }), { fieldManager: 'ann' });
    expect(made.apiVersion).toBe('autoscaling/v1');
    expect(owners(made)).toEqual(['ann Apply autoscaling/v1 {"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{}}}']);
    const error = await failure(client.apply(v2, autoscaler('v2', { maxReplicas: 4 }), { fieldManager: 'bob' }));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "ann": .spec.maxReplicas');
    const both = await client.apply(v2, autoscaler('v2', { maxReplicas: 3, minReplicas: 2 }), { fieldManager: 'bob' });
    expect(owners(both).map((entry) => entry.split(' ').slice(0, 3).join(' '))).toEqual([
      'ann Apply autoscaling/v1',
      'bob Apply autoscaling/v2',
    ]);
    const moved = await client.apply(v2, autoscaler('v2', { maxReplicas: 3 }), { fieldManager: 'ann' });
    expect(owners(moved).filter((entry) => entry.startsWith('ann'))).toEqual([
      'ann Apply autoscaling/v2 {"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{"f:apiVersion":{},"f:kind":{},"f:name":{}}}}',
    ]);
  });
});

const DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
const THINGS: Resource = { group: 'example.com', version: 'v1', resource: 'things', kind: 'Thing', namespaced: true };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, value: { type: 'string' } },
                    },
                  },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  plain: { type: 'array', items: { type: 'string' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
} as unknown as KubeObject;

const thing = (spec: object): KubeObject =>
  ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't', namespace: 'default' }, spec }) as KubeObject;

describe('a custom resource', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster({ groups: [] });
  });
  afterAll(() => cluster.stop());

  it('is merged as its schema says', async () => {
    const { client } = cluster;
    await client.create(DEFINITIONS, definition);
    const apply = (spec: object, fieldManager: string) => client.apply(THINGS, thing(spec), { fieldManager });
    await served(() => apply({ parts: [{ name: 'a', value: '1' }], tags: ['x'], plain: ['p'], free: { q: 1 } }, 'ann'));
    const both = await apply({ parts: [{ name: 'b', value: '2' }], tags: ['y'] }, 'bob');
    expect((both as KubeObject & { spec: unknown }).spec).toEqual({
      parts: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
      tags: ['x', 'y'],
      plain: ['p'],
      free: { q: 1 },
    });
    expect(owners(both)[0]).toBe(
      'ann Apply example.com/v1 {"f:spec":{"f:free":{"f:q":{}},"f:parts":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:name":{},"f:value":{}}},"f:plain":{},"f:tags":{"v:\\"x\\"":{}}}}',
    );
    expect((await failure(apply({ parts: [{ name: 'a', value: '9' }] }, 'bob'))).message).toBe(
      'Apply failed with 1 conflict: conflict with "ann": .spec.parts[name="a"].value',
    );
    expect((await failure(apply({ other: 1 }, 'bob'))).message).toContain('.spec.other: field not declared in schema');
  });
});

/** A definition is served soon after it is there, not at once. */
async function served<T>(run: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !error.message.includes('could not find the requested'))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
