import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../core/api/registry/registry.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { decodeManaged, withManaged } from '../../core/api/apply/managed.ts';
import { configMap } from '../testing/samples.ts';
import { createEncodedCache } from './encoded-cache.ts';
import { frameWriter } from './frames.ts';

const KIND = createRegistry().byKind('', 'v1', 'ConfigMap') as KindDefinition;

describe('a watch as a table', () => {
  it('tells its columns with the first event only', () => {
    const accepted = { as: 'Table', version: 'v1', encoding: 'json' } as unknown as Parameters<typeof frameWriter>[1];
    const write = frameWriter(KIND, accepted, 'None', createEncodedCache(1024), () => 0);
    const columns = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => {
      const frame = write({ type: type as 'ADDED', object: configMap('a') as Stored });
      const { object } = JSON.parse(frame.toString()) as { object: { columnDefinitions: object[] | null } };
      return object.columnDefinitions?.length ?? 0;
    });
    expect(columns).toEqual([3, 0, 0]);
  });
});

describe('a watch of metadata alone', () => {
  it('tells owners, and where the beginning ends', () => {
    const accepted = { as: 'PartialObjectMetadata', version: 'v1', format: 'json' } as const;
    const write = frameWriter(KIND, accepted, 'None', createEncodedCache(1024), () => 0);
    const owners = [
      { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
    ];
    const object = withManaged(configMap('a') as Stored, decodeManaged(owners));
    const told = JSON.parse(write({ type: 'ADDED', object }).toString()) as { object: Stored };
    expect(told.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', managedFields: owners },
    });
    expect(told.object).not.toHaveProperty('data');
    const end = write({ type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: true }).toString();
    expect(JSON.parse(end)).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });
});
