import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusError } from '../../src/core/kube/status-error.ts';
import type { JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  definitionOf,
  establish,
  objectOf,
  resourceOf,
  specOf,
  type Thing,
  thingOf,
  versionOf,
} from './definitions.ts';

const text = { type: 'string' } as const;
const list = (items: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'array',
  items,
  ...more,
});
const definition = definitionOf(
  versionOf(
    specOf({
      num: { type: 'integer' },
      text,
      when: { ...text, format: 'date-time' },
      flag: { type: 'boolean' },
      map: { type: 'object', additionalProperties: text },
      obj: objectOf({ a: text }),
      set: list(text, { 'x-kubernetes-list-type': 'set' }),
      keyed: list(
        { ...objectOf({ k: text, v: text }), required: ['k'] },
        {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      ),
      atom: list(text),
      either: { 'x-kubernetes-int-or-string': true },
      filled: { ...text, default: 'f' },
    }),
  ),
  { plural: 'boxes', kind: 'Box' },
);
const boxes = resourceOf(definition);

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [] });
  await establish(cluster.client, definition);
});
afterAll(() => cluster.stop());

const apply = (name: string, manager: string, spec?: unknown): Promise<Thing> =>
  cluster.client.apply(boxes, thingOf(definition, name, spec as Thing['spec']), {
    fieldManager: manager,
    force: false,
  });

const refusal = async (name: string, manager: string, spec: unknown): Promise<readonly [number, string]> => {
  try {
    await apply(name, manager, spec);
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
  return [200, ''];
};

const OTHERS = { num: 2, text: 'b', flag: false, map: { a: '0' }, obj: { a: 'z' }, set: ['z'], atom: ['z'], either: 5 };

describe('applying a custom resource', () => {
  it.each<readonly [unknown, string]>([
    [{ num: 'x' }, '.spec.num: expected numeric (int or float), got string'],
    [{ num: true }, '.spec.num: expected numeric (int or float), got bool'],
    [{ text: 1 }, '.spec.text: expected string, got &value.valueUnstructured{Value:1}'],
    [{ flag: 'a' }, '.spec.flag: expected boolean, got &{a}'],
    [{ map: { a: 1 } }, '.spec.map.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ map: 'x' }, '.spec.map: expected map, got &{x}'],
    [{ obj: { a: 1 } }, '.spec.obj.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ set: [1] }, '.spec.set[=1]: expected string, got &value.valueUnstructured{Value:1}'],
    [{ keyed: [{ k: 1 }] }, '.spec.keyed[k=1].k: expected string, got &value.valueUnstructured{Value:1}'],
    [{ atom: [1] }, '.spec.atom[0]: expected string, got &value.valueUnstructured{Value:1}'],
    ['x', '.spec: expected map, got &{x}'],
  ])('says that a value is of a wrong type before it says whose field it is: %j', async (spec, message) => {
    await apply('typed', 'one', OTHERS);
    const what = 'default/typed; test.example.com/v1, Kind=Box';
    expect(await refusal('typed', 'two', spec)).toEqual([
      500,
      `failed to create typed patch object (${what}): ${message}`,
    ]);
  });

  it('leaves to validation what only its schema can judge', async () => {
    const invalid = 'Box.test.example.com "judged" is invalid: spec.either: Invalid value: "object": ';
    expect(await refusal('judged', 'one', { either: {} })).toEqual([
      422,
      `${invalid}spec.either in body must be of type integer,string: "object"`,
    ]);
    expect(await refusal('judged', 'one', { when: 1 })).toEqual([
      422,
      'Box.test.example.com "judged" is invalid: spec.when: Invalid value: "int64": spec.when in body must be of type date-time: "int64"',
    ]);
  });

  it('has no quarrel about collections that are empty', async () => {
    const empty = { map: {}, set: [], keyed: [], obj: {} };
    await apply('empty', 'one', empty);
    expect(
      (await apply('empty', 'two', { map: { a: '1' }, set: ['s'], keyed: [{ k: 'a' }], obj: { a: 'z' } })).spec,
    ).toEqual({ map: { a: '1' }, set: ['s'], keyed: [{ k: 'a' }], obj: { a: 'z' }, filled: 'f' });
    expect(await refusal('empty', 'three', empty)).toEqual([200, '']);
  });

  it('does not take a null for nothing, and has no place for one without a default', async () => {
    expect((await apply('nulls', 'one', { filled: null, num: 1 })).spec).toEqual({ filled: 'f', num: 1 });
    expect(await refusal('nulls', 'one', { map: null })).toEqual([
      422,
      'Box.test.example.com "nulls" is invalid: spec.map: Invalid value: "null": spec.map in body must be of type object: "null"',
    ]);
  });
});
