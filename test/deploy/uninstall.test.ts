/** Uninstalling as docs/install.md says: every command ends with 0, and no daemon is stopped, by it or by an operator that comes later. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_LEASE } from '../../src/assembly/catalogue/rights.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  NAMESPACES,
  PODS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../src/core/api/registry/resources.ts';
import { loadRestConfig } from '../../src/machinery/client/http/load-config.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { PACKAGED_KINDS } from '../../tools/generate/deploy-crds.ts';
import { DEFINITIONS, MANIFESTS, ROOT } from '../../tools/generate/deploy.ts';
import { COMPONENTS, find, manifest, until, untilTrue } from '../component-controller/setting.ts';
import { QUICK, startWatched, type WatchedOperator } from '../operator/support/watched-operator.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { kubectls, runKubectl, type Run } from '../support/kubectl.ts';

const SYSTEM = 'everynode-system';
const CRDS = `${ROOT}/${DEFINITIONS}`;
const OPERATOR = `${ROOT}/${MANIFESTS}`;
const NODES = 2;

let cluster: TestCluster;
let operator: WatchedOperator | undefined;
beforeAll(async () => {
  cluster = await startTestCluster({
    groups: [{ name: 'node', count: NODES }],
    controllers: ['*', '-component', '-reservation'],
  });
});
afterAll(async () => {
  await operator?.stop();
  await cluster?.stop();
});

const run = (...args: readonly string[]): Promise<Run> => {
  const newest = kubectls().at(-1);
  if (newest === undefined) throw new Error('no kubectl');
  return runKubectl(newest, cluster.kubeconfigFile, args, { timeoutMs: 150_000 });
};
const kubectl = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr], `kubectl ${args.join(' ')}\n${stdout}`).toEqual([0, expect.not.stringContaining('Error')]);
  return stdout;
};

async function install(): Promise<void> {
  await kubectl('apply', '-f', CRDS, '-f', OPERATOR);
  for (const name of PACKAGED_KINDS)
    await kubectl('wait', `crd/${name}`, '--for=condition=Established', '--timeout=60s');
  // Nothing runs in simulated pods: neither the operator, which runs here instead, nor its webhook.
  await cluster.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: 'everynode-webhook' });
  await startOperator();
}
/** With the identity, and so the rights, that the manifests give it. */
async function startOperator(): Promise<void> {
  const config = await loadRestConfig({ clock: realClock, path: cluster.kubeconfigFile });
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM}`, 'system:authenticated'];
  operator = await startWatched({
    config: { ...config, impersonate: { user: `system:serviceaccount:${SYSTEM}:everynode`, groups } },
    controllers: ['component'],
    election: { namespace: SYSTEM, name: OPERATOR_LEASE, identity: 'it', ...QUICK },
  });
}
/** Its pods end with their Deployment. */
async function uninstallOperator(): Promise<void> {
  await operator?.stop();
  operator = undefined;
  await kubectl('delete', '--ignore-not-found', '-f', OPERATOR, '--timeout=140s');
  expect(await find(cluster.client, NAMESPACES, SYSTEM)).toBe(undefined);
}
const daemons = async (): Promise<readonly (string | undefined)[]> => {
  const pods = await cluster.client.list(PODS, { namespace: 'logging' });
  const set = await find(cluster.client, DAEMON_SETS, 'agent', 'logging');
  return [set?.metadata.uid, ...pods.items.map(({ metadata }) => metadata.uid).toSorted()];
};
const definitions = async (): Promise<readonly string[]> =>
  (await cluster.client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.map(({ metadata }) => metadata.name);

it('removes the operator, keeps definitions, components and daemons, and who comes later deletes nothing', async () => {
  const { client } = cluster;
  await install();
  await client.create(COMPONENTS, manifest());
  await untilTrue(client, 'Ready');
  const before = await daemons();
  expect(before.filter((uid) => uid !== undefined)).toHaveLength(1 + NODES);
  await uninstallOperator();
  expect((await definitions()).toSorted()).toEqual([...PACKAGED_KINDS].toSorted());
  expect(await find(client, COMPONENTS, 'agent', 'default')).toBeDefined();
  expect(await daemons()).toEqual(before);
  await install();
  await untilTrue(client, 'Ready');
  expect(await daemons()).toEqual(before);
}, 300_000);

it('removes definitions first and the operator then; daemons go on', async () => {
  const before = await daemons();
  await kubectl('delete', '-f', CRDS, '--timeout=60s');
  expect(await definitions()).toEqual([]);
  await uninstallOperator();
  expect(await daemons()).toEqual(before);
}, 300_000);

it('in the wrong order: definitions wait for the finalizers, which can be taken off by hand', async () => {
  const { client } = cluster;
  const before = await daemons();
  await install();
  const adopting = manifest();
  const annotations = { 'everynode.dev/adopt': 'any' };
  await client.create(COMPONENTS, { ...adopting, metadata: { ...adopting.metadata, annotations } });
  await untilTrue(client, 'Ready');
  await uninstallOperator();
  expect((await run('delete', '-f', CRDS, '--timeout=3s')).code).toBe(1);
  const lines = await kubectl(
    ...['get', 'kds', '--all-namespaces', '--output'],
    'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{"\\n"}{end}',
  );
  for (const [namespace = '', name = ''] of lines
    .trim()
    .split('\n')
    .map((line) => line.split(' ')))
    await kubectl('-n', namespace, 'patch', 'kds', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
  await until(definitions, (left) => left.length === 0, 30_000);
  expect(await daemons()).toEqual(before);
}, 300_000);
