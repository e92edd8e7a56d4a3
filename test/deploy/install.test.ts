/** The chart and the plain manifests on a cluster with simulated nodes: everything is accepted, and its pods become ready. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhooks, type Webhooks } from '../../src/assembly/operator/webhooks.ts';
import { startActors, type Undo } from '../../src/assembly/common/start-actors.ts';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  NAMESPACES,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../src/core/api/registry/resources.ts';
import { forbiddenRequest } from '../../src/core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../src/machinery/ports/admission.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadRestConfig } from '../../src/machinery/client/http/load-config.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { crdFiles } from '../../tools/generate/deploy-crds.ts';
import { DEFINITIONS, MANIFESTS, ROOT } from '../../tools/generate/deploy.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kubectls, runKubectl } from '../support/kubectl.ts';
import { chartWith, CHART, helm, missHelm, runHelm, TEST_WEBHOOKS, valuesFile } from './helm.ts';

missHelm();

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({
    groups: [{ name: 'node', count: 3 }],
    controllers: ['*', '-component', '-reservation'],
  });
});
afterAll(() => cluster?.stop());

const NAMESPACE = 'daemons-here';
const WAIT = ['--wait', '--timeout', '150s'];

const run = (...args: readonly string[]) => {
  const { folder, kubeconfigFile } = cluster;
  const homes = { HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return runHelm([...args, '--namespace', NAMESPACE], { KUBECONFIG: kubeconfigFile, ...homes });
};
const ok = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
};
const kubectl = async (...args: readonly string[]): Promise<string> => {
  const newest = kubectls().at(-1);
  if (newest === undefined) throw new Error('no kubectl');
  const { code, stdout, stderr } = await runKubectl(newest, cluster.kubeconfigFile, args, { timeoutMs: 150_000 });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
};
const deployment = (name = 'everynode', namespace = NAMESPACE) => cluster.client.get(DEPLOYMENTS, { namespace, name });

describe.skipIf(helm === undefined)('a release of the chart', () => {
  it('is installed, and its pods become ready', async () => {
    const notes = await ok('install', 'everynode', CHART, '--create-namespace', ...WAIT);
    expect(notes).toMatch(/^STATUS: deployed$/m);
    expect(notes).toContain('runs in daemons-here with 2 replicas');
    expect(notes).toContain('Controllers: claim-scheduler, component, reservation, rollout-driver');
    expect((await deployment()).status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  });

  it('keeps to the strictest pod security standard', async () => {
    const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const body = { metadata: { labels: enforce } };
    await cluster.client.patch(NAMESPACES, { name: NAMESPACE }, { type: 'merge', body });
    await kubectl('--namespace', NAMESPACE, 'rollout', 'restart', 'deployment/everynode');
    await kubectl('--namespace', NAMESPACE, 'rollout', 'status', 'deployment/everynode', '--timeout=140s');
  });

  it('is upgraded to other controllers, with their rights', async () => {
    const rules = async (): Promise<string> =>
      JSON.stringify((await cluster.client.get(CLUSTER_ROLES, { name: 'everynode' })).rules);
    expect(await rules()).not.toContain('"daemonsets/status"');
    await ok('upgrade', 'everynode', CHART, '--set', 'controllers={*,daemonset},replicas=3', ...WAIT);
    expect(await rules()).toContain('"daemonsets/status"');
    expect((await deployment()).status).toMatchObject({ readyReplicas: 3 });
  });

  it('is rolled back', async () => {
    await ok('rollback', 'everynode', '1', ...WAIT);
    expect(JSON.stringify((await cluster.client.get(CLUSTER_ROLES, { name: 'everynode' })).rules)).not.toContain(
      '"daemonsets/status"',
    );
    expect((await deployment()).spec.replicas).toBe(2);
  });

  it('is uninstalled, and leaves nothing', async () => {
    await ok('uninstall', 'everynode', ...WAIT);
    const kinds = 'deployments,services,secrets,roles,rolebindings,networkpolicies,poddisruptionbudgets';
    expect(await kubectl('--namespace', NAMESPACE, 'get', kinds, '--output', 'name')).toBe('');
    const everywhere = await kubectl('get', 'clusterroles,clusterrolebindings', '--output', 'name');
    expect(everywhere.split('\n').filter((line) => line.endsWith('/everynode'))).toEqual([]);
  });

  it('takes everything that can be given, but what needs definitions of others', async () => {
    const without = ['--set', 'metrics.serviceMonitor.enabled=false', '--set-json', 'nodeSelector={}'];
    await ok('install', 'everynode', CHART, '--values', valuesFile('everything'), ...without, '--dry-run=server');
  });

  it('brings definitions that it upgrades, and keeps them when it goes', async () => {
    const group = 'packaged.example.com';
    const definition = [...crdFiles(['nodepools.karpenter.sh']).values()][0]?.replaceAll('karpenter.sh', group) ?? '';
    const name = `nodepools.${group}`;
    const with1 = chartWith([], new Map([[`${name}.yaml`, definition]]));
    const with2 = chartWith(
      [],
      new Map([[`${name}.yaml`, definition.replace('singular:', 'shortNames: [od]\n    singular:')]]),
    );
    const shortNames = async () =>
      (await cluster.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })).spec.names.shortNames ?? [];
    try {
      await ok('install', 'everynode', with1.chart, '--set', 'replicas=0');
      expect(await shortNames()).toEqual([]);
      await kubectl('wait', `crd/${name}`, '--for=condition=Established', '--timeout=60s');
      await ok('upgrade', 'everynode', with2.chart, '--set', 'replicas=0');
      expect(await shortNames()).toEqual(['od']);
      expect(await ok('uninstall', 'everynode')).toContain(name);
      expect(await shortNames()).toEqual(['od']);
    } finally {
      with1.remove();
      with2.remove();
    }
  });
});

const MARKER: AdmissionPlugin = {
  name: 'test-marker',
  handles: () => true,
  mutate: ({ object }) =>
    object === undefined
      ? { allowed: true }
      : { allowed: true, object: { ...object, metadata: { ...object.metadata, labels: { marked: 'yes' } } } },
};
const GUARD: AdmissionPlugin = {
  name: 'test-guard',
  handles: () => true,
  validate: ({ name, resource }) =>
    name === 'bad'
      ? { allowed: false, error: forbiddenRequest(resource, name, 'it is bad') }
      : { allowed: true, warnings: ['watched'] },
};

/** Endpoints may not be on loopback. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address ?? '127.0.0.1';

describe.skipIf(helm === undefined || ownAddress() === '127.0.0.1')('webhooks of a release', () => {
  const { chart, remove } = chartWith(TEST_WEBHOOKS);
  const undo: Undo = [];
  let webhooks: Webhooks;
  afterAll(async () => {
    for (const step of undo.toReversed()) await step();
    await webhooks?.stop();
    remove();
  });

  /** The operator's own identity, with the rights that the chart gives it. */
  async function asOperator(): Promise<Client> {
    const config = await loadRestConfig({ clock: realClock, path: cluster.kubeconfigFile });
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'];
    const impersonate = { user: `system:serviceaccount:${NAMESPACE}:everynode`, groups };
    return createHttpClient({ ...config, impersonate }, { clock: realClock, random: realRandom });
  }

  it('judge what is written, with certificates made under the rights of the chart alone', async () => {
    await ok('install', 'everynode', chart, '--values', valuesFile('webhooks'), '--create-namespace', ...WAIT);
    webhooks = startWebhooks({
      client: await asOperator(),
      clock: realClock,
      random: realRandom,
      logger: silentLogger,
      plugins: [MARKER, GUARD],
      address: '0.0.0.0',
      port: 0,
      certificates: { kind: 'self-managed', namespace: NAMESPACE },
    });
    const keeper = webhooks.keeper();
    void startActors(keeper === undefined ? [] : [keeper], undo);
    const port = await webhooks.listening;
    // Pods of simulated nodes listen nowhere: the Service is led to this process.
    await cluster.client.create(ENDPOINT_SLICES, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'by-hand',
        namespace: NAMESPACE,
        labels: { 'kubernetes.io/service-name': 'everynode-webhook' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ownAddress()], conditions: { ready: true } }],
      ports: [{ name: 'webhook', port, protocol: 'TCP' }],
    });
    const bundle = async (): Promise<string> =>
      (await cluster.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: 'everynode-webhook' })).webhooks?.[0]
        ?.clientConfig.caBundle ?? '';
    await eventually(bundle, /.+/);
    await cluster.client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'judged', labels: { judged: 'yes' } },
      spec: {},
    });
    const write = (name: string, namespace: string) =>
      cluster.client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
      });
    expect((await write('good', 'judged')).metadata.labels).toEqual({ marked: 'yes' });
    await expect(write('bad', 'judged')).rejects.toThrow(
      'admission webhook "test-guard.everynode.dev" denied the request: configmaps "bad" is forbidden: it is bad',
    );
    await write('bad', 'default');
  });

  it('keep their certificates and authorities through an upgrade', async () => {
    const secret = () => cluster.client.get(SECRETS, { namespace: NAMESPACE, name: 'everynode-webhook' });
    const bundle = async () =>
      (await cluster.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: 'everynode-webhook' })).webhooks?.[0]
        ?.clientConfig.caBundle;
    const before = [(await secret()).data?.['tls.crt'], await bundle()];
    await ok('upgrade', 'everynode', chart, '--values', valuesFile('webhooks'), '--set', 'log.level=debug', ...WAIT);
    expect([(await secret()).data?.['tls.crt'], await bundle()]).toEqual(before);
    await ok('uninstall', 'everynode', ...WAIT);
    await expect(secret()).rejects.toThrow('not found');
  });
});

describe('plain manifests', () => {
  const FILES = ['-f', `${ROOT}/${DEFINITIONS}`, '-f', `${ROOT}/${MANIFESTS}`];
  const SYSTEM = 'everynode-system';

  it('are applied, by the client and by the server, and their pods become ready', async () => {
    await kubectl('apply', '--validate=strict', ...FILES);
    await kubectl('--namespace', SYSTEM, 'rollout', 'status', 'deployment/everynode', '--timeout=140s');
    // kubectl always replaces the selector of a budget, and says so.
    const again = (await kubectl('apply', ...FILES)).split('\n').filter((line) => !line.startsWith('poddisruption'));
    expect(again.join('\n')).not.toMatch(/configured|created/);
    await kubectl('apply', '--server-side', '--force-conflicts', ...FILES);
    expect((await deployment('everynode', SYSTEM)).status).toMatchObject({ readyReplicas: 2 });
  });

  it('can be changed with kustomize', async () => {
    const text = await kubectl('kustomize', `${ROOT}/deploy/manifests`);
    expect(text).toContain('image: everynode:0.1.0');
    expect(text.match(/^kind: /gm)).toHaveLength(14);
  });

  it('are deleted without a trace', async () => {
    await kubectl('delete', ...FILES, '--timeout=140s');
    await expect(cluster.client.get(NAMESPACES, { name: SYSTEM })).rejects.toThrow('not found');
  });
});
