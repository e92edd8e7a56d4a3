/**
 * A cluster that somebody uses, with its own controllers and scheduler: our client keeps its contract there, and our
 * simulated nodes are nodes to it. Runs with `KUBECONFIG=… npm run test:kubernetes -- --existing` alone. It touches the
 * namespaces and nodes it has made, which carry a label and a taint of this run, and takes them away again; besides, it
 * writes the heartbeats of its nodes to kube-node-lease, as kubelets do.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import {
  CONFIG_MAPS,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../src/core/api/registry/resources.ts';
import type { Namespace } from '../../src/core/api/types/core-v1.ts';
import type { KubeObject, Resource } from '../../src/core/kube/objects.ts';
import { isStatus } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { describeClientContract } from '../../src/machinery/client/client.contract.ts';
import { createHttpClient, type HttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { startKubelets, type Running } from '../support/operator.ts';
import { daemonSetWorld, until, type DaemonSetWorld } from './support/daemonset-world.ts';
import { narrowClient, ROOT_CERTIFICATE, withoutRootCertificates } from './support/narrow-client.ts';

const KUBECONFIG = process.env['EVERYNODE_EXISTING_CLUSTER'];
const LABEL = 'everynode.dev/test-run';
const COUNT = 5;
const FLEET = { namespace: 'kube-node-lease', name: 'everynode-fleet' };

describe.skipIf(KUBECONFIG === undefined)('a cluster that somebody uses', () => {
  const run = realRandom.suffix(8);
  const selector = `${LABEL}=${run}`;
  const taint = { key: LABEL, value: run, effect: 'NoSchedule' } as const;
  const group = { name: `everynode-test-${run}`, count: COUNT, labels: { [LABEL]: run }, taints: [taint] };
  let client: HttpClient;
  let hadFleet = true;

  /** Whatever namespace the suites make carries the label of this run, and has what controllers put into it. */
  const labelled = (): Client => ({
    ...client,
    async create(resource, object, options) {
      if (!isNamespace(resource)) return client.create(resource, object, options);
      const made = await client.create(resource, withLabel(object, run), options);
      const namespace = made.metadata.name;
      await until(() => exists(client, CONFIG_MAPS, { namespace, name: ROOT_CERTIFICATE }), Boolean);
      // Until its account is there, no pod may be made.
      await until(() => exists(client, SERVICE_ACCOUNTS, { namespace, name: 'default' }), Boolean);
      return made;
    },
  });
  const namespace = async (name: string): Promise<string> => {
    const wanted: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} };
    return (await labelled().create(NAMESPACES, wanted)).metadata.name;
  };

  beforeAll(async () => {
    const config = await loadKubeconfig({ path: KUBECONFIG ?? '', clock: realClock });
    client = createHttpClient(config, { clock: realClock, random: realRandom });
    hadFleet = await exists(client, LEASES, FLEET);
  });

  afterAll(async () => {
    const nodes = (await client.list(NODES, { labelSelector: selector })).items;
    for (const { metadata } of nodes) {
      await gone(client.delete(NODES, { name: metadata.name }));
      await gone(client.delete(LEASES, { namespace: FLEET.namespace, name: metadata.name }));
    }
    if (!hadFleet) await gone(client.delete(LEASES, FLEET));
    for (const { metadata } of (await client.list(NAMESPACES, { labelSelector: selector })).items)
      await gone(client.delete(NAMESPACES, { name: metadata.name }));
    const left = () => client.list(NAMESPACES, { labelSelector: selector });
    await until(left, ({ items }) => items.length === 0);
    await client.close();
  });

  describeClientContract('HTTP to an existing cluster', async () => ({
    client: withoutRootCertificates(labelled()),
    namespace: await namespace(`everynode-contract-${run}`),
    features: ['validation', 'apply', 'strategic'],
    checksVersionLate: true,
  }));

  describe('with simulated nodes of ours', () => {
    let operator: Running | undefined;
    let world: DaemonSetWorld;
    let own: string;

    beforeAll(async () => {
      own = await namespace(`everynode-daemons-${run}`);
      const fleet = narrowClient(client, { namespace: own, nodes: selector });
      operator = await startKubelets(fleet, { instance: run });
      await createNodes(client, [group], [], realClock, undefined, undefined);
      const pods = { nodeSelector: { [LABEL]: run }, tolerations: [{ key: LABEL, operator: 'Exists' as const }] };
      world = daemonSetWorld(client, { namespace: own, pods });
    });
    afterAll(() => operator?.stop());

    it('its nodes are ready', async () => {
      const nodes = await until(
        () => client.list(NODES, { labelSelector: selector }),
        ({ items }) =>
          items.length === COUNT &&
          items.every(({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
          ),
      );
      expect(nodes.items.map(({ metadata }) => metadata.name)).toHaveLength(COUNT);
    });

    it('its DaemonSet controller and scheduler bring a pod to every one of them, and roll out and back', async () => {
      await world.create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } });
      expect(await world.complete(COUNT)).toMatchObject({ numberReady: COUNT, observedGeneration: 1 });
      await world.setImage('example.test/agent:2');
      await world.complete(COUNT);
      expect(await world.images()).toEqual(['example.test/agent:2']);
      await world.rollBackTo(1);
      await world.complete(COUNT);
      expect(await world.images()).toEqual(['example.test/agent:1']);
    });

    it('pods of others that come to these nodes are left alone', async () => {
      const theirs = (await client.list(PODS)).items.filter(
        ({ metadata, spec }) => metadata.namespace !== own && spec.nodeName?.startsWith(group.name) === true,
      );
      expect(theirs.filter(({ status }) => (status?.phase ?? 'Pending') !== 'Pending')).toEqual([]);
    });
  });
});

const isNamespace = (resource: Resource): boolean => resource.group === '' && resource.resource === 'namespaces';

const withLabel = <T extends KubeObject>(object: T, run: string): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [LABEL]: run } },
});

async function exists<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  key: { readonly namespace?: string; readonly name: string },
): Promise<boolean> {
  try {
    await client.get(resource, key);
    return true;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false;
    throw error;
  }
}

/** Somebody else may have been quicker. */
async function gone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
  }
}
