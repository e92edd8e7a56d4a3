/** Names of our own kinds: served while a controller of this server keeps them, and anybody's otherwise. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import { COMPONENT_PLURAL } from '../../src/core/api/component/generations.ts';
import { isConditionTrue } from '../../src/core/api/custom/crd/conditions.ts';
import { ownKinds } from '../../src/core/api/registry/built-in-kinds.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, DAEMON_SETS, NODE_POOLS } from '../../src/core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../src/core/api/types/apiextensions-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { isStatus } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { COMPONENTS, find, getComponent, manifest, until } from '../component-controller/setting.ts';
import type { EmbeddedOptions } from '../../src/assembly/embedded.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { definitionOf, established, objectOf, refusal, resourceOf, specOf, thingOf, versionOf } from './definitions.ts';

const GROUP = 'kubernetes.planton.dev';
const NAME = `${COMPONENT_PLURAL}.${GROUP}`;
const WITHOUT = ['*', '-component'];

let folder = '';
const clusters: TestCluster[] = [];
afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.stop();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
  folder = '';
});
async function start(options: Partial<EmbeddedOptions> = {}): Promise<TestCluster> {
  const cluster = await startTestCluster({ groups: [], ...options });
  clusters.push(cluster);
  return cluster;
}
/** The same data, by another process. */
async function startAgain(options: Partial<EmbeddedOptions> = {}): Promise<TestCluster> {
  if (folder === '') folder = mkdtempSync(join(tmpdir(), 'everynode-names-'));
  for (const cluster of clusters.splice(0)) await cluster.stop();
  return start({ dataDir: folder, ...options });
}

const definition = (client: Client, name: string): Promise<Stored<CustomResourceDefinition>> =>
  client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
const untilNames = (client: Client, name: string, isAccepted: boolean): Promise<Stored<CustomResourceDefinition>> =>
  until(
    () => definition(client, name),
    (found) => {
      const { conditions = [] } = found.status ?? {};
      const accepted = conditions.find(({ type }) => type === 'NamesAccepted')?.status;
      return accepted === (isAccepted ? 'True' : 'False') && isConditionTrue(found, 'Established') === isAccepted;
    },
  );
const namesCondition = (found: CustomResourceDefinition) =>
  found.status?.conditions?.find(({ type }) => type === 'NamesAccepted');

/** What somebody else means by a KubernetesDaemonSet. */
const theirs = (): CustomResourceDefinition => ({
  ...definitionOf(versionOf(specOf({ colour: { type: 'string', enum: ['red', 'blue'] } })), {
    plural: COMPONENT_PLURAL,
    kind: 'KubernetesDaemonSet',
    group: GROUP,
  }),
});

describe('a kind of ours that no controller keeps', () => {
  it('is not served: neither discovery nor OpenAPI nor the groups know it', async () => {
    const cluster = await start({ controllers: ['*', '-reservation'] });
    const served = new Set(cluster.api.registry.all().map(({ group }) => group));
    for (const group of ['karpenter.sh', 'core.korder.dev', 'everynode.dev']) expect(served).not.toContain(group);
    expect(isStatus(await refusal(cluster.client.list(NODE_POOLS)), 'NotFound')).toBe(true);
    const services = await cluster.client.list({
      ...{ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', kind: 'APIService' },
      namespaced: false,
    });
    const names = services.items.map(({ metadata }) => metadata.name);
    expect(names).toContain('v1.apps');
    expect(names.filter((name) => /karpenter|korder|everynode/.test(name))).toEqual([]);
  });

  it("leaves its name to a user's definition, which is established and judges by its own schema", async () => {
    const { client, api } = await start();
    const pools = definitionOf(
      versionOf({
        ...objectOf({ spec: { ...objectOf({ weight: { type: 'integer', minimum: 1 } }), required: ['weight'] } }),
        required: ['spec'],
      }),
      { plural: 'nodepools', kind: 'NodePool', group: 'karpenter.sh', scope: 'Cluster' },
    );
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, pools);
    await established(client, pools);
    expect(api.registry.byResource('karpenter.sh', 'v1', 'nodepools')?.custom).toBeDefined();
    const resource = { ...resourceOf(pools), namespaced: false };
    const pool = (spec: { readonly [name: string]: unknown }) => ({
      ...thingOf(pools, 'a'),
      metadata: { name: 'a' },
      spec,
    });
    expect(isStatus(await refusal(client.create(resource, pool({ weight: 0 }))), 'Invalid')).toBe(true);
    expect(isStatus(await refusal(client.create(resource, pool({}))), 'Invalid')).toBe(true);
    await client.create(resource, pool({ weight: 1 }));
  });

  it('keeps what is stored under its name, unseen, until somebody serves it again', async () => {
    const first = await startAgain();
    // As a controller of another release would have it served.
    first.api.registry.add(ownKinds(['nodepools.karpenter.sh']));
    await first.client.create(NODE_POOLS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'kept' },
      spec: { template: { spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] } } },
    });
    const second = await startAgain();
    expect(isStatus(await refusal(second.client.get(NODE_POOLS, { name: 'kept' })), 'NotFound')).toBe(true);
    second.api.registry.add(ownKinds(['nodepools.karpenter.sh']));
    expect((await second.client.get(NODE_POOLS, { name: 'kept' })).metadata.name).toBe('kept');
  });
});

describe('a name that a controller of this server keeps', () => {
  it('is served from the first moment on, and refused to a definition of that name', async () => {
    const { api, client } = await start();
    const kept = api.registry.all().filter(({ group }) => group === 'core.korder.dev');
    expect(kept.map(({ resource }) => resource).toSorted()).toEqual(['orders', 'quotas', 'tickets']);
    const theirOrders = definitionOf(versionOf(specOf({})), {
      plural: 'orders',
      kind: 'Order',
      group: 'core.korder.dev',
    });
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, theirOrders);
    const refused = await untilNames(client, theirOrders.metadata.name, false);
    expect(namesCondition(refused)?.message).toContain("everynode up --controllers='*,-reservation' gives it up");
  });

  it('is refused to a definition of another plural, with the switch that gives it up', async () => {
    const { client } = await start();
    const other = definitionOf(versionOf(specOf({})), { plural: 'daemons', kind: 'KubernetesDaemonSet', group: GROUP });
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, other);
    const refused = await untilNames(client, other.metadata.name, false);
    expect(namesCondition(refused)).toMatchObject({
      reason: 'ListKindConflict',
      message:
        '"KubernetesDaemonSetList" is already in use: component-controller of this server keeps it; everynode up --controllers=\'*,-component\' gives it up',
    });
    expect(isStatus(await refusal(client.list(resourceOf(other))), 'NotFound')).toBe(true);
  });

  it("is refused to a user's definition of that very name; ours goes on, and with the controller off the user's wins", async () => {
    const first = await startAgain();
    const ours = await untilNames(first.client, NAME, true);
    await first.client.create(COMPONENTS, manifest({ name: 'agent', namespace: 'logging' }));
    // As `kubectl apply` leaves it: their spec, our labels.
    await first.client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...ours, spec: theirs().spec });
    const refused = await untilNames(first.client, NAME, false);
    expect(namesCondition(refused)?.message).toContain("everynode up --controllers='*,-component' gives it up");
    // Ours is still what is served, and kept.
    expect(first.api.registry.byResource(GROUP, 'v1alpha1', COMPONENT_PLURAL)).toBeDefined();
    await until(
      () => getComponent(first.client, 'agent'),
      ({ status }) => status?.inventory !== undefined,
    );
    expect(await find(first.client, DAEMON_SETS, 'agent', 'logging')).toBeDefined();
    const invalid = { ...manifest({ name: 'other', namespace: 'logging' }), spec: { colour: 'red' } };
    expect(isStatus(await refusal(first.client.create(COMPONENTS, invalid as never)), 'Invalid')).toBe(true);

    const second = await startAgain({ controllers: WITHOUT });
    await untilNames(second.client, NAME, true);
    const coloured = (name: string, colour: string) => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'KubernetesDaemonSet',
      metadata: { name, namespace: 'default' },
      spec: { colour },
    });
    await second.client.create(COMPONENTS, coloured('red', 'red'));
    const green = await refusal(second.client.create(COMPONENTS, coloured('green', 'green')));
    expect(isStatus(green, 'Invalid')).toBe(true);
    // What was made before is there, and so is what it brought.
    expect(await find(second.client, COMPONENTS, 'agent', 'default')).toBeDefined();
    expect(await find(second.client, DAEMON_SETS, 'agent', 'logging')).toBeDefined();

    const third = await startAgain();
    const stored = await untilNames(third.client, NAME, false);
    expect(stored.spec.versions[0]?.schema).toEqual(theirs().spec.versions[0]?.schema);
    // Whoever takes the definition back deletes none of the objects that ours serves.
    await third.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: NAME });
    await until(
      () => find(third.client, CUSTOM_RESOURCE_DEFINITIONS, NAME),
      (gone) => gone === undefined,
    );
    const fourth = await startAgain();
    await untilNames(fourth.client, NAME, true);
    expect(await find(fourth.client, COMPONENTS, 'agent', 'default')).toBeDefined();
    expect(await find(fourth.client, DAEMON_SETS, 'agent', 'logging')).toBeDefined();
  }, 60_000);

  it('is no conflict for our own definition, whoever brings it', async () => {
    const { client } = await start();
    const ours = componentDefinitions().find(({ metadata }) => metadata.name === NAME);
    const found = await untilNames(client, NAME, true);
    await client.update(CUSTOM_RESOURCE_DEFINITIONS, {
      ...found,
      metadata: { ...found.metadata, labels: { 'app.kubernetes.io/version': '0.1.0' } },
      spec: ours?.spec ?? found.spec,
    });
    await until(
      () => definition(client, NAME),
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/version'] !== undefined,
    );
    await untilNames(client, NAME, true);
  });
});
