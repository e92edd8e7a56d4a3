/** The life of a custom resource: made, rolled out, changed, put right, taken away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  COMPONENTS,
  eventsAbout,
  find,
  getComponent,
  installDefinitions,
  manifest,
  removed,
  until,
  untilTrue,
} from './setting.ts';

const NODES = 3;
let cluster: TestCluster;
let client: Client;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES }] });
  client = cluster.client;
  await installDefinitions(client);
}, 60_000);
afterAll(() => cluster.stop());

const key = { namespace: 'logging', name: 'agent' };

describe('a custom resource', () => {
  it('becomes everything the manifest stands for, and is Ready when every node runs it', async () => {
    await client.create(COMPONENTS, manifest());
    const { status, metadata } = await untilTrue(client, 'Ready');
    expect(status).toMatchObject({
      phase: 'Ready',
      observedGeneration: 1,
      desiredNumberScheduled: NODES,
      currentNumberScheduled: NODES,
      updatedNumberScheduled: NODES,
      numberReady: NODES,
      numberAvailable: NODES,
      numberUnavailable: 0,
      inventory: 'logging/everynode-inventory-agent',
    });
    expect(metadata.finalizers).toEqual(['everynode.dev/component']);
    expect((await client.get(DAEMON_SETS, key)).status?.numberReady).toBe(NODES);
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBeDefined();
  }, 60_000);

  it('gives all its outputs, which others and kubectl can use', async () => {
    const { outputs } = (await getComponent(client)).status ?? {};
    expect(outputs).toEqual({
      namespace: 'logging',
      daemonsetName: 'agent',
      daemonSetName: 'agent',
      desiredNumberScheduled: String(NODES),
      currentNumberScheduled: String(NODES),
      numberReady: String(NODES),
      serviceAccountName: 'agent',
      selectorLabels: 'planton.ai/kind=KubernetesDaemonSet,planton.ai/name=agent',
      labels: (await client.get(DAEMON_SETS, key)).spec.template.metadata?.labels,
    });
    const pods = await client.list(PODS, { namespace: 'logging', labelSelector: outputs?.selectorLabels ?? '' });
    expect(pods.items.length).toBe(NODES);
  });

  it('says in conditions how it is, of which generation, and in events what was done', async () => {
    const { status } = await getComponent(client);
    const said = (status?.conditions ?? []).map((each) => [
      each.type,
      each.status,
      each.reason,
      each.observedGeneration,
    ]);
    expect(said).toEqual([
      ['Ready', 'True', 'RolledOut', 1],
      ['Progressing', 'False', 'Complete', 1],
      ['Available', 'True', 'EveryNode', 1],
      ['Degraded', 'False', 'NoTrouble', 1],
      ['Invalid', 'False', 'Valid', 1],
      ['Conflict', 'False', 'NoConflict', 1],
    ]);
    const events = await until(
      () => eventsAbout(client, 'agent'),
      (all) => all.some(({ reason }) => reason === 'Ready'),
    );
    const applied = events.find(({ reason }) => reason === 'Applied');
    expect(applied).toMatchObject({ type: 'Normal', source: { component: 'everynode-component' } });
    for (const brought of ['Namespace logging', 'ClusterRole logging:agent', 'DaemonSet logging/agent'])
      expect(applied?.message).toContain(`created ${brought}`);
  });

  it('owns nothing by references, which could not reach beyond a namespace', async () => {
    for (const resource of [DAEMON_SETS, CONFIG_MAPS, SERVICE_ACCOUNTS])
      for (const { metadata } of (await client.list(resource, { namespace: 'logging' })).items)
        expect(metadata.ownerReferences ?? []).toEqual([]);
    expect((await find(client, CLUSTER_ROLES, 'logging:agent'))?.metadata.ownerReferences).toBe(undefined);
  });

  it('takes all of it along, in the namespace and beyond it', async () => {
    await removed(client);
    for (const resource of [DAEMON_SETS, CONFIG_MAPS, SERVICE_ACCOUNTS])
      expect((await client.list(resource, { namespace: 'logging' })).items).toEqual([]);
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBe(undefined);
    expect(await find(client, CLUSTER_ROLE_BINDINGS, 'logging:agent')).toBe(undefined);
    expect(await find(client, NAMESPACES, 'logging')).toBe(undefined);
    await expect(getComponent(client)).rejects.toThrow('not found');
  }, 60_000);

  it('leaves a namespace that somebody else lives in, and says why', async () => {
    await client.create(COMPONENTS, manifest());
    await untilTrue(client, 'Ready');
    const theirs = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'theirs', namespace: 'logging' } };
    await client.create(SERVICE_ACCOUNTS, theirs);
    await removed(client);
    expect(await find(client, SERVICE_ACCOUNTS, 'theirs', 'logging')).toBeDefined();
    expect(await find(client, DAEMON_SETS, 'agent', 'logging')).toBe(undefined);
    expect(await find(client, CONFIG_MAPS, 'everynode-inventory-agent', 'logging')).toBe(undefined);
    await until(
      () => eventsAbout(client, 'agent'),
      (all) =>
        all.some(
          ({ reason, message = '' }) =>
            reason === 'Deleted' && message.includes('kept Namespace logging: ServiceAccount theirs lives in it'),
        ),
    );
  }, 60_000);
});
