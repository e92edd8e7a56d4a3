import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import { ownKinds } from '../../src/core/api/registry/built-in-kinds.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import { isStatus } from '../../src/core/kube/status-error.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  definitionOf,
  establish,
  established,
  eventually,
  objectOf,
  resourceOf,
  specOf,
  type Thing,
  thingOf,
  refusal,
  versionOf,
} from './definitions.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [], namespaceGraceMs: 0 });
});
afterAll(() => cluster.stop());

const update = (definition: CustomResourceDefinition): Promise<CustomResourceDefinition> =>
  cluster.client.update(CUSTOM_RESOURCE_DEFINITIONS, definition);

describe('custom resources', () => {
  it('are pruned, defaulted and validated', async () => {
    const definition = definitionOf(
      versionOf(specOf({ size: { type: 'integer', maximum: 5 }, color: { type: 'string', default: 'red' } })),
      { plural: 'apples', kind: 'Apple' },
    );
    const found = await establish(cluster.client, definition);
    expect(found.status).toMatchObject({
      storedVersions: ['v1'],
      acceptedNames: { plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList' },
    });
    const apples = resourceOf(definition);
    const made = await cluster.client.create(apples, thingOf(definition, 'a', { size: 3, worm: true }));
    expect(made.spec).toEqual({ size: 3, color: 'red' });
    expect(made.metadata.generation).toBe(1);
    const refused = await refusal(cluster.client.create(apples, thingOf(definition, 'b', { size: 9 })));
    expect(refused.message).toBe(
      'Apple.test.example.com "b" is invalid: spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5',
    );
    const strict = await refusal(
      cluster.client.create(apples, thingOf(definition, 'c', { worm: 1 }), { fieldValidation: 'Strict' }),
    );
    expect(strict.message).toBe(
      'Apple in version "v1" cannot be handled as a Apple: strict decoding error: unknown field "spec.worm"',
    );
  });

  it('answer for a part that nobody defined that the object is not there, over the wire', async () => {
    const definition = definitionOf(versionOf(specOf({})), { plural: 'sloes', kind: 'Sloe' });
    await establish(cluster.client, definition);
    const sloes = resourceOf(definition);
    await cluster.client.create(sloes, thingOf(definition, 'm', {}));
    const config = await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock });
    const client = createHttpClient(config, { clock: realClock, random: realRandom });
    try {
      const at = `/apis/test.example.com/v1/namespaces/default/sloes/m`;
      for (const part of ['bogus', 'status', 'scale'])
        expect((await refusal(client.raw(`${at}/${part}`))).message).toBe('sloes.test.example.com "m" not found');
    } finally {
      await client.close();
    }
  });

  it('say what they are, and nothing else', async () => {
    const definition = definitionOf(versionOf(specOf({})), { plural: 'quinces', kind: 'Quince' });
    await establish(cluster.client, definition);
    const quinces = resourceOf(definition);
    const made = thingOf(definition, 'q', {});
    const wrong = await refusal(cluster.client.create(quinces, { ...made, kind: 'Apple' }));
    expect(wrong.message).toBe('Apple.test.example.com "q" is invalid: kind: Invalid value: "Apple": must be Quince');
    const { apiVersion: _, ...nameless } = made;
    const target = { group: 'test.example.com', version: 'v1', resource: 'quinces', namespace: 'default', name: '' };
    const silent = cluster.api.handle({
      verb: 'create',
      target: { ...target, tenant: 'system', subresource: '' },
      user: { name: 'me', groups: ['system:masters'] },
      object: nameless as Thing,
      options: {},
    });
    expect((await refusal(Promise.resolve(silent))).message).toBe(
      'the API version in the data () does not match the expected API version (test.example.com/v1)',
    );
  });

  it('can be scaled before anybody said how many there are', async () => {
    const schema = objectOf({
      spec: objectOf({ count: { type: 'integer' } }),
      status: objectOf({ count: { type: 'integer' } }),
    });
    const scale = { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' };
    const definition = definitionOf(versionOf(schema, { subresources: { scale } }), {
      plural: 'dates',
      kind: 'Date',
    });
    await establish(cluster.client, definition);
    const dates = resourceOf(definition);
    const { metadata } = await cluster.client.create(dates, thingOf(definition, 'f', {}));
    const key = { namespace: metadata.namespace ?? '', name: 'f' };
    const patch = (replicas: number) => ({ type: 'merge', body: { spec: { replicas } } }) as const;
    const scaled = await cluster.client.patch(dates, key, patch(3), { subresource: 'scale' });
    expect(scaled).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect((await cluster.client.get(dates, key)).spec).toEqual({ count: 3 });
    const negative = await refusal(cluster.client.patch(dates, key, patch(-1), { subresource: 'scale' }));
    expect(negative.message).toBe(
      'Date.test.example.com "f" is invalid: .spec.count: Invalid value: -1: should be a non-negative integer',
    );
  });

  it('count generations by content, and leave status to its subresource', async () => {
    const schema = objectOf({
      spec: objectOf({ a: { type: 'integer' } }),
      status: objectOf({ seen: { type: 'integer', maximum: 3 } }),
    });
    const definition = definitionOf(versionOf(schema, { subresources: { status: {} } }), {
      plural: 'pears',
      kind: 'Pear',
    });
    await establish(cluster.client, definition);
    const pears = resourceOf(definition);
    const made = await cluster.client.create(pears, { ...thingOf(definition, 'p', { a: 1 }), status: { seen: 1 } });
    expect(made.status).toBeUndefined();
    const changed = await cluster.client.update(pears, { ...made, spec: { a: 2 }, status: { seen: 2 } });
    expect([changed.metadata.generation, changed.status]).toEqual([2, undefined]);
    const told = await cluster.client.update(
      pears,
      { ...changed, metadata: { ...changed.metadata, labels: { x: 'y' } }, spec: { a: 9 }, status: { seen: 2 } },
      { subresource: 'status' },
    );
    expect([told.metadata.generation, told.metadata.labels, told.spec, told.status]).toEqual([
      2,
      undefined,
      { a: 2 },
      { seen: 2 },
    ]);
    const refused = await refusal(
      cluster.client.update(pears, { ...told, status: { seen: 4 } }, { subresource: 'status' }),
    );
    expect(refused.message).toContain('status.seen: Invalid value: 4: seen in body should be less than or equal to 3');
    const blind = await refusal(
      cluster.client.update(pears, { ...told, metadata: { name: 'p', namespace: 'default' } }),
    );
    expect(blind.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });

  it('change when their definition does, and old ones are shown by the new schema', async () => {
    const definition = definitionOf(versionOf(specOf({ a: { type: 'string' } })), { plural: 'plums', kind: 'Plum' });
    const found = await establish(cluster.client, definition);
    const plums = resourceOf(definition);
    await cluster.client.create(plums, thingOf(definition, 'p', { a: 'x' }));
    await update({
      ...found,
      spec: {
        ...found.spec,
        versions: [versionOf(specOf({ a: { type: 'string', maxLength: 1 }, b: { type: 'integer', default: 7 } }))],
      },
    });
    await eventually(async () =>
      expect((await cluster.client.get(plums, { namespace: 'default', name: 'p' })).spec).toEqual({ a: 'x', b: 7 }),
    );
    const refused = await refusal(cluster.client.create(plums, thingOf(definition, 'q', { a: 'xy' })));
    expect(refused.message).toContain('Too long: may not be more than 1 byte');
  });

  it('are read and written in every version, and stored in one', async () => {
    const schema = specOf({ a: { type: 'string' } });
    const versions = [versionOf(schema), versionOf(schema, { name: 'v2', storage: false })];
    const definition = definitionOf(versions, { plural: 'figs', kind: 'Fig' });
    const found = await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    await cluster.client.create(second, thingOf(definition, 'f', { a: 'x' }, 'v2'));
    const key = { namespace: 'default', name: 'f' };
    expect((await cluster.client.get(first, key)).apiVersion).toBe('test.example.com/v1');
    expect((await cluster.client.get(second, key)).apiVersion).toBe('test.example.com/v2');
    expect((await cluster.client.list(second)).items.map(({ apiVersion }) => apiVersion)).toEqual([
      'test.example.com/v2',
    ]);
    const moved = [versionOf(schema, { storage: false }), versionOf(schema, { name: 'v2' })];
    const changed = await update({ ...found, spec: { ...found.spec, versions: moved } });
    expect(changed.status?.storedVersions).toEqual(['v1', 'v2']);
    await eventually(async () => expect((await cluster.client.get(second, key)).spec).toEqual({ a: 'x' }));
    const refused = await refusal(
      update({ ...changed, spec: { ...changed.spec, versions: [versionOf(schema, { name: 'v2' })] } }),
    );
    expect(refused.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
    const unserved = [versionOf(schema, { storage: false, served: false }), versionOf(schema, { name: 'v2' })];
    await update({ ...changed, spec: { ...changed.spec, versions: unserved } });
    await eventually(async () =>
      expect(isStatus(await refusal(cluster.client.get(first, key)), 'NotFound')).toBe(true),
    );
    expect((await cluster.client.get(second, key)).spec).toEqual({ a: 'x' });
  });

  it('keep of every version what the stored one knows, and have its defaults alone', async () => {
    const text = { type: 'string' } as const;
    const filled = (value: string) => ({ ...text, default: value });
    const versions = [
      versionOf(
        specOf({ a: text, both: text, nul: { ...text, nullable: true }, one: filled('1'), shared: filled('from-v1') }),
      ),
      versionOf(specOf({ b: text, both: text, nul: text, two: filled('2'), shared: filled('from-v2') }), {
        name: 'v2',
        storage: false,
      }),
    ];
    const definition = definitionOf(versions, { plural: 'medlars', kind: 'Medlar' });
    await establish(cluster.client, definition);
    const [first, second] = [resourceOf(definition), resourceOf(definition, 'v2')];
    const sent = { a: 'x', b: 'w', both: 'z', nul: null };
    const inBoth = async (name: string) => {
      const key = { namespace: 'default', name };
      return [(await cluster.client.get(first, key)).spec, (await cluster.client.get(second, key)).spec];
    };
    await cluster.client.create(first, thingOf(definition, 'by-first', sent));
    expect(await inBoth('by-first')).toEqual([
      { a: 'x', both: 'z', nul: null, one: '1', shared: 'from-v1' },
      { both: 'z', shared: 'from-v1' },
    ]);
    const seen = { both: 'z', shared: 'from-v2' };
    const dry = await cluster.client.create(second, thingOf(definition, 'dry', sent, 'v2'), { dryRun: true });
    expect(dry.spec).toEqual(seen);
    const made = await cluster.client.create(second, thingOf(definition, 'by-second', sent, 'v2'));
    expect(made.spec).toEqual(seen);
    expect(await inBoth('by-second')).toEqual([{ both: 'z', one: '1', shared: 'from-v2' }, seen]);
    const change = { ...made, spec: { ...seen, b: 'w', both: 'y' } };
    const dryChange = await cluster.client.update(second, change, { dryRun: true });
    expect(dryChange.spec).toEqual({ ...seen, both: 'y' });
    expect((await cluster.client.update(second, change)).spec).toEqual({ ...seen, both: 'y' });
  });

  it('can be watched; a changed definition ends the watch in good order', async () => {
    const definition = definitionOf(versionOf(specOf({ a: { type: 'integer' } })), { plural: 'nuts', kind: 'Nut' });
    const found = await establish(cluster.client, definition);
    const nuts = resourceOf(definition);
    const seen: string[] = [];
    const ended = (async () => {
      const stream = cluster.client.watch(nuts, { resourceVersion: found.metadata.resourceVersion });
      for await (const batch of stream) {
        for (const event of batch) {
          if (event.type !== 'BOOKMARK')
            seen.push(`${event.type} ${event.object.metadata.name} ${String(event.object.spec?.['a'])}`);
        }
      }
    })();
    const made = await cluster.client.create(nuts, thingOf(definition, 'n', { a: 1 }));
    await cluster.client.update(nuts, { ...made, spec: { a: 2 } });
    await cluster.client.delete(nuts, { namespace: 'default', name: 'n' });
    await eventually(async () => expect(seen).toEqual(['ADDED n 1', 'MODIFIED n 2', 'DELETED n 2']));
    await update({
      ...found,
      spec: { ...found.spec, versions: [versionOf(specOf({ a: { type: 'integer' }, b: { type: 'string' } }))] },
    });
    await ended;
  });

  it('are selected by the fields their definition names', async () => {
    const definition = definitionOf(
      versionOf(specOf({ color: { type: 'string' }, size: { type: 'integer' }, fast: { type: 'boolean' } }), {
        selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.fast' }],
      }),
      { plural: 'cars', kind: 'Car' },
    );
    await establish(cluster.client, definition);
    const cars = resourceOf(definition);
    await cluster.client.create(cars, thingOf(definition, 'a', { color: 'red', size: 1, fast: true }));
    await cluster.client.create(cars, thingOf(definition, 'b', { color: 'blue', size: 2 }));
    const names = async (fieldSelector: string): Promise<readonly string[]> =>
      (await cluster.client.list(cars, { fieldSelector })).items.map(({ metadata }) => metadata.name);
    expect(await names('spec.color=red')).toEqual(['a']);
    expect(await names('spec.size!=1')).toEqual(['b']);
    expect(await names('spec.fast=true')).toEqual(['a']);
    expect(await names('spec.color=blue,metadata.name=b')).toEqual(['b']);
    expect((await refusal(names('spec.other=1'))).message).toContain('field label not supported: spec.other');
  });

  it('go with their definition, and what they own goes with them', async () => {
    const definition = definitionOf(versionOf(specOf({})), { plural: 'trees', kind: 'Tree' });
    await establish(cluster.client, definition);
    const trees = resourceOf(definition);
    const tree = await cluster.client.create(trees, thingOf(definition, 't'));
    const ownerReferences = [
      { apiVersion: tree.apiVersion, kind: tree.kind, name: 't', uid: tree.metadata.uid, controller: true },
    ];
    await cluster.client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'leaf', namespace: 'default', ownerReferences },
    });
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
    const isGone = async (request: Promise<unknown>): Promise<void> =>
      expect(isStatus(await refusal(request), 'NotFound')).toBe(true);
    await eventually(() => isGone(cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name })));
    await eventually(() => isGone(cluster.client.list(trees)));
    await eventually(() => isGone(cluster.client.get(CONFIG_MAPS, { namespace: 'default', name: 'leaf' })));
    // The same names again: nothing of the old ones is left.
    await establish(cluster.client, definition);
    expect((await cluster.client.list(trees)).items).toEqual([]);
  });

  it('hold their definition while a finalizer holds them', async () => {
    const definition = definitionOf(versionOf(specOf({})), { plural: 'roots', kind: 'Root' });
    await establish(cluster.client, definition);
    const roots = resourceOf(definition);
    const thing = thingOf(definition, 'r');
    await cluster.client.create(roots, { ...thing, metadata: { ...thing.metadata, finalizers: ['example.com/wait'] } });
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
    await eventually(async () => {
      const held = await cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
      expect(held.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' }),
      );
      expect(
        (await cluster.client.get(roots, { namespace: 'default', name: 'r' })).metadata.deletionTimestamp,
      ).toBeDefined();
    });
    const refused = await refusal(cluster.client.create(roots, thingOf(definition, 'late')));
    expect(refused.code).toBe(405);
    const held = await cluster.client.get(roots, { namespace: 'default', name: 'r' });
    await cluster.client.update(roots, { ...held, metadata: { ...held.metadata, finalizers: [] } });
    await eventually(async () =>
      expect(
        isStatus(
          await refusal(cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name })),
          'NotFound',
        ),
      ).toBe(true),
    );
  });

  it('go with their namespace', async () => {
    const definition = definitionOf(versionOf(specOf({})), { plural: 'birds', kind: 'Bird' });
    await establish(cluster.client, definition);
    const birds = resourceOf(definition);
    await cluster.client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'nest' },
      spec: {},
    });
    await cluster.client.create(birds, { ...thingOf(definition, 'b'), metadata: { name: 'b', namespace: 'nest' } });
    await cluster.client.delete(NAMESPACES, { name: 'nest' });
    await eventually(async () =>
      expect(isStatus(await refusal(cluster.client.get(NAMESPACES, { name: 'nest' })), 'NotFound')).toBe(true),
    );
    expect((await cluster.client.list(birds)).items).toEqual([]);
  });

  it('whose names are taken wait until they are free', async () => {
    const options = { group: 'names.example.com', shortNames: ['zz'] };
    const first = definitionOf(versionOf(specOf({})), { ...options, plural: 'ones', kind: 'One' });
    const second = definitionOf(versionOf(specOf({})), { ...options, plural: 'twos', kind: 'Two' });
    await establish(cluster.client, first);
    await cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, second);
    await eventually(async () => {
      const waiting = await cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: second.metadata.name });
      expect(waiting.status?.conditions).toMatchObject([
        { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"zz" is already in use' },
        { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      ]);
    });
    expect(isStatus(await refusal(cluster.client.list(resourceOf(second))), 'NotFound')).toBe(true);
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: first.metadata.name });
    await established(cluster.client, second);
  });

  it('cannot take the place of kinds that are there from the beginning', async () => {
    const definition = definitionOf(versionOf(specOf({ odd: { type: 'string' } })), {
      plural: 'nodepools',
      kind: 'NodePool',
      group: 'karpenter.sh',
      scope: 'Cluster',
    });
    cluster.api.registry.add(ownKinds(['nodepools.karpenter.sh']));
    await cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
    await established(cluster.client, definition);
    const kind = cluster.api.registry.byResource('karpenter.sh', 'v1', 'nodepools');
    expect(kind?.custom).toBeUndefined();
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name });
    await eventually(async () =>
      expect(
        isStatus(
          await refusal(cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name })),
          'NotFound',
        ),
      ).toBe(true),
    );
    expect(cluster.api.registry.byResource('karpenter.sh', 'v1', 'nodepools')).toBe(kind);
  });

  it('are applied by the server, list items by their keys', async () => {
    const definition = definitionOf(
      versionOf(
        specOf({
          ports: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { ...objectOf({ name: { type: 'string' }, port: { type: 'integer' } }), required: ['name'] },
          },
        }),
      ),
      { plural: 'docks', kind: 'Dock' },
    );
    await establish(cluster.client, definition);
    const docks = resourceOf(definition);
    const port = (name: string, number: number): object => ({ ports: [{ name, port: number }] });
    const apply = (fieldManager: string, spec: object): Promise<Thing> =>
      cluster.client.apply(docks, thingOf(definition, 'd', spec as Thing['spec']), { fieldManager });
    await apply('one', port('a', 1));
    const both = await apply('two', port('b', 2));
    expect(both.spec).toEqual({
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    });
    expect((await refusal(apply('two', port('a', 3)))).reason).toBe('Conflict');
    expect((await apply('one', {})).spec).toEqual({ ports: [{ name: 'b', port: 2 }] });
  });
});
