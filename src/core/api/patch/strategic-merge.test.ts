import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../kube/json.ts';
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

  it.each<readonly [name: string, secrets: Json | undefined, patch: { readonly [key: string]: Json }, message: string]>(
    [
      ['an order of nothing', [], { secrets: [], $order: [] }, 'no elements in any of the given slices'],
      ['an order that is null', [], { $order: null }, 'expected a []interface {}, but received a %!s(<nil>)'],
      ['an order that is a text', [], { $order: 'x' }, 'expected a []interface {}, but received a string'],
      [
        'a list that is a map',
        undefined,
        { secrets: {}, $order: [] },
        'expected a []interface {}, but received a map[string]interface {}',
      ],
      [
        'items the order does not name',
        [],
        { secrets: [{ name: 'a' }], $order: [{ name: 'b' }] },
        "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
      ],
      [
        'a directive after the last item of the order',
        [{ name: 'c' }],
        { secrets: [{ name: 'b' }, { $patch: 'replace' }], $order: [{ name: 'b' }] },
        "The order in patch list:\n[map[name:b] map[$patch:replace]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
      ],
      [
        'an order without keys',
        [{ name: 'a' }],
        { $order: [{ namespace: 'z' }] },
        'map: map[namespace:z] does not contain declared merge key: name',
      ],
      ['an order of other things', [{ name: 'a' }], { $order: ['t'] }, 'value for key 0 is not a map'],
      [
        'items of another kind',
        [],
        { secrets: ['text'], $order: [] },
        'expected a map[string]interface {}, but received a string',
      ],
      ['a mixture', [{ name: 'a' }], { secrets: ['t'] }, 'list element types are not identical: [[map[name:a]] [t]]'],
      [
        'a list merged on demand',
        [{ name: 'a' }],
        { secrets: [{ $patch: 'merge' }] },
        'merging lists cannot yet be specified in the patch',
      ],
      [
        'a directive nobody knows',
        [{ name: 'a' }],
        { $patch: 'merge', secrets: [] },
        'unknown patch type: merge in map: map[$patch:merge secrets:[]]',
      ],
      [
        'the order of a field that does not exist',
        [],
        { '$setElementOrder/nope': [] },
        'unable to find api field in struct ServiceAccount for the json field "nope"',
      ],
    ],
  )('refuses %s as upstream does, as an error of the server', (_, secrets, { $order, ...patch }, message) => {
    const account = secrets === undefined ? {} : { secrets };
    const sent = $order === undefined ? patch : { ...patch, '$setElementOrder/secrets': $order };
    expect(() => strategicMerge(account, sent, schemaNode('core/v1.ServiceAccount'))).toThrow(
      expect.objectContaining({ code: 500, reason: '', message }),
    );
  });

  it('calls few faults those of the client', () => {
    const refused = (patch: { readonly [key: string]: Json }): unknown => {
      try {
        return strategicMerge({ secrets: [] }, patch, schemaNode('core/v1.ServiceAccount'));
      } catch (error) {
        return error;
      }
    };
    const badRequest = (message: string): unknown =>
      expect.objectContaining({ code: 400, reason: 'BadRequest', message });
    expect(refused({ $setElementOrder: [] })).toEqual(badRequest('invalid patch format of setElementOrder list'));
    expect(refused({ $deleteFromPrimitiveList: [] })).toEqual(badRequest('invalid patch format of primitive list'));
    expect(refused({ $retainKeys: 'x' })).toEqual(badRequest('invalid patch format of retainKeys'));
    expect(refused({ secrets: [[]] })).toEqual(expect.objectContaining({ code: 422, reason: 'Invalid' }));
  });

  it('puts what an empty order does not name where upstream puts it', () => {
    const ordered = (secrets: readonly string[], added: readonly string[]): unknown => {
      const named = (names: readonly string[]): Json => names.map((name) => ({ name }));
      const patch = { secrets: named(added), '$setElementOrder/secrets': [] };
      const merged = strategicMerge({ secrets: named(secrets) }, patch, schemaNode('core/v1.ServiceAccount'));
      return (merged['secrets'] as readonly { readonly name: string }[]).map(({ name }) => name);
    };
    expect(ordered(['c'], ['a'])).toEqual(['c', 'a']);
  });

  it('takes the whole list where the names to delete are null', () => {
    const schema = schemaNode('core/v1.ServiceAccount');
    const account = { metadata: { name: 'a', finalizers: ['x/y', 'x/z'] } };
    const without = (values: Json): unknown =>
      strategicMerge(account, { metadata: { '$deleteFromPrimitiveList/finalizers': values } }, schema)['metadata'];
    expect(without(null)).toEqual({ name: 'a' });
    expect(without(['x/y'])).toEqual({ name: 'a', finalizers: ['x/z'] });
    expect(without('x/y')).toEqual(account.metadata);
  });
});
