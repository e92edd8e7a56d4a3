/** The life of a custom resource: made, rolled out, changed, put right, taken away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  SERVICE_ACCOUNTS,
} from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { COMPONENTS, find, getComponent, installDefinitions, manifest, removed, untilTrue } from './setting.ts';

const NODES = 3;
let cluster: TestCluster;
let client: Client;
beforeAll(async () => {
  cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES }] });
  client = cluster.client;
  await installDefinitions(client);
}, 60_000);
afterAll(() => cluster.stop());

describe('a custom resource', () => {
  it('becomes everything the manifest stands for, is Ready when every node runs it, and takes all of it along', async () => {
    await client.create(COMPONENTS, manifest());
    const ready = await untilTrue(client, 'Ready');
    expect(ready.status).toMatchObject({
      phase: 'Ready',
      observedGeneration: 1,
      desiredNumberScheduled: NODES,
      numberAvailable: NODES,
      inventory: 'logging/everynode-inventory-agent',
      outputs: {
        namespace: 'logging',
        daemonsetName: 'agent',
        numberReady: String(NODES),
        serviceAccountName: 'agent',
      },
    });
    expect((await client.get(DAEMON_SETS, { namespace: 'logging', name: 'agent' })).status?.numberReady).toBe(NODES);
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBeDefined();
    await removed(client);
    for (const resource of [DAEMON_SETS, CONFIG_MAPS, SERVICE_ACCOUNTS])
      expect((await client.list(resource, { namespace: 'logging' })).items).toEqual([]);
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBe(undefined);
    expect(await find(client, CLUSTER_ROLE_BINDINGS, 'logging:agent')).toBe(undefined);
    expect(await find(client, NAMESPACES, 'logging')).toBe(undefined);
    await expect(getComponent(client)).rejects.toThrow('not found');
  }, 60_000);
});
