import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonObject } from '../../kube/json.ts';
import { schemaNode } from '../schema/lists.ts';
import { strategicMerge } from './strategic-merge.ts';

const POD = schemaNode('core/v1.Pod');
const NODE = schemaNode('core/v1.Node');
const DEPLOYMENT = schemaNode('apps/v1.Deployment');
const merge = (original: JsonObject, patch: JsonObject, schema = POD): JsonObject =>
  strategicMerge(original, patch, schema);
const containers = (...items: JsonObject[]): JsonObject => ({ spec: { containers: items } });

describe('strategic merge of maps', () => {
  it('sets, deletes with null, and shares what it leaves alone', () => {
    const original = { metadata: { labels: { a: '1', b: '2' } }, spec: { nodeName: 'n', containers: [{ name: 'c' }] } };
    const result = merge(original, { metadata: { labels: { a: null, c: '3' } } });
    expect(result).toEqual({ metadata: { labels: { b: '2', c: '3' } }, spec: original.spec });
    expect(result['spec']).toBe(original.spec);
    expect(merge(original, { metadata: { labels: { a: '1' } } })['spec']).toBe(original.spec);
  });

  it('replaces and deletes whole maps on demand', () => {
    const original = { spec: { nodeSelector: { a: '1' }, securityContext: { runAsUser: 1 } } };
    expect(merge(original, { spec: { $patch: 'replace', nodeName: 'n' } })).toEqual({ spec: { nodeName: 'n' } });
    expect(merge(original, { spec: { securityContext: { $patch: 'delete' } } })).toEqual({
      spec: { nodeSelector: { a: '1' }, securityContext: {} },
    });
    expect(() => merge(original, { spec: { $patch: 'bend' } })).toThrow('unknown patch type');
  });

  it('keeps only the retained keys', () => {
    const original = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(merge(original, patch, DEPLOYMENT)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
    expect(() =>
      merge(original, { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } }, DEPLOYMENT),
    ).toThrow('retainKeys');
  });

  it('drops nulls and directives from what is new', () => {
    expect(merge({}, { spec: { nodeSelector: { a: null, b: '1' }, securityContext: { $patch: 'delete' } } })).toEqual({
      spec: { nodeSelector: { b: '1' } },
    });
  });

  it('keeps hostile keys as plain data', () => {
    const patch = JSON.parse('{"metadata":{"annotations":{"__proto__":"x","constructor":"y"}}}') as JsonObject;
    const result = merge({ metadata: { annotations: {} } }, patch) as { metadata: { annotations: object } };
    expect(Object.keys(result.metadata.annotations).toSorted()).toEqual(['__proto__', 'constructor']);
  });
});

describe('strategic merge of lists', () => {
  it('merges containers by name and puts new ones in front of what only the server has, as Kubernetes does', () => {
    const original = containers({ name: 'a', image: '1' }, { name: 'b', image: '1' });
    expect(merge(original, containers({ name: 'b', image: '2' }))).toEqual(
      containers({ name: 'a', image: '1' }, { name: 'b', image: '2' }),
    );
    expect(merge(original, containers({ name: 'c', image: '1' }))).toEqual(
      containers({ name: 'c', image: '1' }, { name: 'a', image: '1' }, { name: 'b', image: '1' }),
    );
  });

  it('deletes items by key and replaces the list on demand', () => {
    const original = containers({ name: 'a' }, { name: 'b' });
    expect(merge(original, containers({ name: 'a', $patch: 'delete' }))).toEqual(containers({ name: 'b' }));
    expect(merge(original, containers({ $patch: 'replace' }, { name: 'z' }))).toEqual(containers({ name: 'z' }));
    expect(() => merge(original, containers({ image: 'x' }))).toThrow('does not contain declared merge key: name');
  });

  it('orders as $setElementOrder asks', () => {
    const original = containers({ name: 'a' }, { name: 'b' }, { name: 'c' });
    const patch = {
      spec: {
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
        containers: [{ name: 'a', image: 'new' }],
      },
    };
    expect(merge(original, patch)).toEqual(containers({ name: 'b' }, { name: 'c' }, { name: 'a', image: 'new' }));
    const contradiction = {
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
        containers: [{ name: 'b' }, { name: 'a' }],
      },
    };
    expect(() => merge(original, contradiction)).toThrow("doesn't match $setElementOrder");
  });

  it('treats finalizers as a set and deletes from it', () => {
    const original = { metadata: { finalizers: ['a', 'b'] } };
    expect(merge(original, { metadata: { finalizers: ['c', 'b'] } })).toEqual({
      metadata: { finalizers: ['c', 'a', 'b'] },
    });
    expect(merge(original, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } })).toEqual({
      metadata: { finalizers: ['b'] },
    });
  });

  it('replaces lists that have no merge strategy, such as taints and tolerations', () => {
    const original = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
    const patch = { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } };
    expect(merge(original, patch, NODE)).toEqual(patch);
  });
});

describe('strategic merge in general', () => {
  const item = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('1', '2') });
  const list = fc.uniqueArray(item, { selector: (each) => each.name, maxLength: 3 });

  it('applied twice is applied once, and every key of the patch is in the result', () => {
    fc.assert(
      fc.property(list, list, (before, patch) => {
        const once = merge(containers(...before), containers(...patch));
        expect(merge(once, containers(...patch))).toEqual(once);
        const names = (once as { spec: { containers: { name: string }[] } }).spec.containers.map((each) => each.name);
        expect(new Set(names)).toEqual(new Set([...before, ...patch].map((each) => each.name)));
        expect(names).toHaveLength(new Set(names).size);
      }),
    );
  });
});
