/** The profile that runs on somebody else's API server, here on ours without its own controller and scheduler. */
import { expect, it } from 'vitest';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import { startTestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startOperatorControllers } from '../support/operator.ts';
import { daemonSet } from './world.ts';

it('nothing runs DaemonSets until an operator does, and nobody after it stopped', async () => {
  const cluster = await startTestCluster({
    groups: [{ name: 'node', count: 3 }],
    controllers: ['*', '-daemonset-controller'],
    scheduler: false,
  });
  try {
    const { client } = cluster;
    await client.create(DAEMON_SETS, daemonSet());
    const { status } = await client.get(DAEMON_SETS, { namespace: 'default', name: 'agent' });
    expect(status?.desiredNumberScheduled).toBe(0);
    const operator = await startOperatorControllers(client, ['daemonset', 'scheduler']);
    const available = async (): Promise<string> =>
      String((await client.get(DAEMON_SETS, { namespace: 'default', name: 'agent' })).status?.numberAvailable);
    await eventually(available, /^3$/);
    await operator.stop();
    await client.deleteCollection(PODS, { namespace: 'default' });
    await eventually(async () => String((await client.list(PODS, { namespace: 'default' })).items.length), /^0$/);
  } finally {
    await cluster.stop();
  }
});
