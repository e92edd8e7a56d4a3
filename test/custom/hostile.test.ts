import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../src/core/api/types/apiextensions-v1.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
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

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [] });
});
afterAll(() => cluster.stop());

const outcome = async (request: Promise<unknown>): Promise<string> => {
  try {
    await request;
    return 'accepted';
  } catch (error) {
    if (error instanceof StatusError && error.code < 500) return error.message;
    throw error;
  }
};
const parsed = (text: string): Thing['spec'] => JSON.parse(text) as Thing['spec'];

describe('hostile definitions and objects', () => {
  it('take __proto__ and constructor for names like any other', async () => {
    const names = JSON.parse(
      '{"__proto__":{"type":"string","default":"p"},"constructor":{"type":"string"},"toString":{"type":"integer"}}',
    ) as { [name: string]: JSONSchemaProps };
    const definition = definitionOf(versionOf(specOf(names, { required: ['constructor', 'hasOwnProperty'] })), {
      plural: 'traps',
      kind: 'Trap',
    });
    await establish(cluster.client, definition);
    const traps = resourceOf(definition);
    const missing = await outcome(cluster.client.create(traps, thingOf(definition, 'a', {})));
    expect(missing).toContain('spec.constructor: Required value');
    expect(missing).toContain('spec.hasOwnProperty: Required value');
    const odd = thingOf(definition, 'b', parsed('{"constructor":"c","hasOwnProperty":1,"toString":"x"}'));
    expect(await outcome(cluster.client.create(traps, odd))).toContain('spec.toString in body must be of type integer');
    const loose = definitionOf(versionOf(specOf(names)), { plural: 'loosetraps', kind: 'LooseTrap' });
    await establish(cluster.client, loose);
    const made = await cluster.client.create(
      resourceOf(loose),
      thingOf(loose, 'c', parsed('{"__proto__":"own","valueOf":1}')),
    );
    expect(Object.entries(made.spec ?? {})).toEqual([['__proto__', 'own']]);
    const filled = await cluster.client.create(resourceOf(loose), thingOf(loose, 'd', {}));
    expect(Object.entries(filled.spec ?? {})).toEqual([['__proto__', 'p']]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('cannot stall the process with a pattern', async () => {
    const definition = definitionOf(versionOf(specOf({ a: { type: 'string', pattern: '^(a+)+$' } })), {
      plural: 'stalls',
      kind: 'Stall',
    });
    await establish(cluster.client, definition);
    const text = `${'a'.repeat(50_000)}!`;
    expect(
      await outcome(cluster.client.create(resourceOf(definition), thingOf(definition, 'a', { a: text }))),
    ).toContain('should match');
  });

  it('are refused when they nest too deep, and served up to there', async () => {
    const nest = (depth: number): JSONSchemaProps => {
      let schema: JSONSchemaProps = { type: 'string' };
      for (let i = 0; i < depth; i++) schema = objectOf({ n: schema });
      return schema;
    };
    const deep = definitionOf(versionOf(objectOf({ spec: nest(2_000) })), { plural: 'deeps', kind: 'Deep' });
    expect(await outcome(cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, deep))).toMatch(/depth|cannot be written/);
    const fine = definitionOf(versionOf(objectOf({ spec: nest(60) })), { plural: 'fines', kind: 'Fine' });
    await establish(cluster.client, fine);
    let value: unknown = 'x';
    for (let i = 0; i < 60; i++) value = { n: value, extra: 1 };
    const made = await cluster.client.create(resourceOf(fine), thingOf(fine, 'a', value as Thing['spec']));
    expect(JSON.stringify(made.spec)).not.toContain('extra');
  });

  it('may have thousands of fields and objects of thousands of items', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [`field${i}`, { type: 'string', default: `v${i}` }]),
    );
    const list: JSONSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { ...objectOf({ k: { type: 'integer' } }), required: ['k'] },
    };
    const definition = definitionOf(versionOf(specOf({ wide: objectOf(properties), list })), {
      plural: 'wides',
      kind: 'Wide',
    });
    await establish(cluster.client, definition);
    const items = Array.from({ length: 20_000 }, (_, k) => ({ k }));
    const made = await cluster.client.create(
      resourceOf(definition),
      thingOf(definition, 'a', { wide: {}, list: items }),
    );
    expect(Object.keys(made.spec?.['wide'] ?? {})).toHaveLength(3_000);
    const twice = thingOf(definition, 'b', { list: [...items, { k: 7 }] });
    expect(await outcome(cluster.client.create(resourceOf(definition), twice))).toContain(
      'spec.list[20000]: Duplicate value: {"k":7}',
    );
  });

  it('say only so much about values that are wrong all over', async () => {
    const definition = definitionOf(
      versionOf(specOf({ list: { type: 'array', items: { type: 'integer', maximum: 1 } } })),
      { plural: 'wrongs', kind: 'Wrong' },
    );
    await establish(cluster.client, definition);
    const list = Array.from({ length: 50_000 }, () => 9);
    const said = await outcome(cluster.client.create(resourceOf(definition), thingOf(definition, 'a', { list })));
    expect(said.length).toBeLessThan(300_000);
    expect(said).toContain('and 49900 more');
  });

  it('are refused where a rule would cost too much', async () => {
    const strings: JSONSchemaProps = { type: 'array', items: { type: 'string' } };
    const rule = 'self.a.all(x, self.a.all(y, self.a.all(z, x + y != z)))';
    const definition = definitionOf(versionOf(specOf({ a: strings }, { 'x-kubernetes-validations': [{ rule }] })), {
      plural: 'costlies',
      kind: 'Costly',
    });
    expect(await outcome(cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition))).toContain(
      'estimated rule cost exceeds budget by factor of more than 100x',
    );
  });

  it('are refused, whatever stands where a schema should', async () => {
    const schemas: readonly unknown[] = [
      [],
      'x',
      5,
      { properties: [] },
      { type: 'object', properties: { spec: null } },
      { type: ['object'] },
      { type: 'object', properties: { spec: { type: 'object', enum: 5 } } },
      { type: 'object', required: 'x' },
      { type: 'object', 'x-kubernetes-validations': [{}] },
      { type: 'object', items: true },
      { type: 'object', additionalProperties: 7 },
      { type: 'object', maximum: 'x' },
      { type: 'object', properties: { spec: { type: 'string', pattern: '(?<x>a)\\1' } } },
    ];
    for (const [i, schema] of schemas.entries()) {
      const definition = definitionOf(versionOf(schema as JSONSchemaProps), { plural: `odds${i}`, kind: `Odd${i}` });
      const said = await outcome(cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition));
      if (said === 'accepted')
        await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
      expect([schema, typeof said]).toEqual([schema, 'string']);
    }
  });

  it('leave the server well: definitions made and deleted at once', async () => {
    const churn = async (i: number): Promise<void> => {
      const definition: CustomResourceDefinition = definitionOf(versionOf(specOf({ a: { type: 'string' } })), {
        plural: `churns${i}`,
        kind: `Churn${i}`,
      });
      await cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
      await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => churn(i)));
    const definition = definitionOf(versionOf(specOf({})), { plural: 'afters', kind: 'After' });
    await establish(cluster.client, definition);
  });
});
