/** Helm's verbs with a small chart: a daemon, its rights, a custom resource, hooks, and a part that comes and goes. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Run } from '../support/kubectl.ts';
import { isOnPurpose } from '../support/no-kubectl.ts';
import { CONFIG_MAPS, DAEMON_SETS, DEPLOYMENTS, PODS, SECRETS } from '../../src/core/api/registry/resources.ts';
import { findHelm } from './find-helm.ts';

const CHART = fileURLToPath(new URL('chart', import.meta.url));
const NAMESPACE = 'helmed';
const NO_HELM = 'no helm found; run "node scripts/get-helm.mjs" (needs Go)';
const helm = findHelm();

for (const complaint of helm === undefined ? [NO_HELM] : [])
  it('is missed', ({ skip }) => {
    process.stderr.write(`\nWARNING: the helm tests do not run: ${complaint}\n\n`);
    if (isOnPurpose()) throw new Error(complaint);
    skip(complaint);
  });

describe.skipIf(helm === undefined)('helm', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: 3 }] });
  });
  afterAll(() => cluster?.stop());

  const run = (...args: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        KUBECONFIG: cluster.kubeconfigFile,
        HOME: cluster.folder,
        HELM_CACHE_HOME: cluster.folder,
        HELM_CONFIG_HOME: cluster.folder,
        HELM_DATA_HOME: cluster.folder,
      };
      const options = { env, timeout: 150_000 };
      execFile(helm?.path ?? '', [...args, '--namespace', NAMESPACE], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 124, stdout, stderr });
      });
    });
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const key = (name: string): { namespace: string; name: string } => ({ namespace: NAMESPACE, name });
  const image = async (): Promise<string | undefined> =>
    (await cluster.client.get(DAEMON_SETS, key('agent'))).spec?.template.spec?.containers[0]?.image;
  const exists = (resource: typeof DEPLOYMENTS, name: string): Promise<boolean> =>
    cluster.client.get(resource, key(name)).then(
      () => true,
      () => false,
    );
  const waiting = ['--wait', '--timeout', '120s'];

  it('installs and waits until everything is ready', async () => {
    const text = await ok('install', 'agent', CHART, '--create-namespace', ...waiting);
    expect(text).toMatch(/^STATUS: deployed$/m);
    expect(text).toContain(`agent runs on every node of ${NAMESPACE}.`);
    const { status } = await cluster.client.get(DAEMON_SETS, key('agent'));
    expect(status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3 });
    const releases = await cluster.client.list(SECRETS, { namespace: NAMESPACE, labelSelector: 'owner=helm' });
    expect(releases.items.map(({ metadata, type }) => [metadata.name, type])).toEqual([
      ['sh.helm.release.v1.agent.v1', 'helm.sh/release.v1'],
    ]);
  });

  it('refuses to install twice, and finds what it installed', async () => {
    expect((await run('install', 'agent', CHART)).stderr).toContain('cannot re-use a name that is still in use');
    expect(JSON.parse(await ok('list', '-o', 'json'))).toMatchObject([
      { name: 'agent', revision: '1', status: 'deployed' },
    ]);
    expect(await ok('get', 'manifest', 'agent')).toContain('kind: Probe');
  });

  it('upgrades, and what is new in the chart comes to be', async () => {
    const changes = [
      '--set',
      'image=registry.example/agent:2.0',
      '--set',
      'level=debug',
      '--set',
      'dashboard.enabled=true',
    ];
    expect(await ok('upgrade', 'agent', CHART, ...changes, ...waiting)).toMatch(/^REVISION: 2$/m);
    expect(await image()).toBe('registry.example/agent:2.0');
    expect((await cluster.client.get(CONFIG_MAPS, key('agent'))).data).toEqual({ level: 'debug' });
    expect(await exists(DEPLOYMENTS, 'agent-dashboard')).toBe(true);
  });

  it('runs the tests of the chart', async () => {
    expect(await ok('test', 'agent', '--timeout', '120s')).toMatch(/^Phase: +Succeeded$/m);
  });

  it('upgrades with a dry run on the server and changes nothing', async () => {
    expect(await ok('upgrade', 'agent', CHART, '--dry-run=server')).toMatch(/^STATUS: pending-upgrade$/m);
    expect(await image()).toBe('registry.example/agent:2.0');
  });

  it('fails an upgrade the server refuses, and says why', async () => {
    const { code, stderr } = await run('upgrade', 'agent', CHART, '--reuse-values', '--set', 'image=');
    expect(code).not.toBe(0);
    expect(stderr).toContain('spec.template.spec.containers[0].image: Required value');
  });

  it('rolls back, and what was new goes', async () => {
    expect(await ok('rollback', 'agent', '1', ...waiting)).toContain('Rollback was a success');
    expect(await image()).toBe('registry.example/agent:1.0');
    expect(await exists(DEPLOYMENTS, 'agent-dashboard')).toBe(false);
    const history = JSON.parse(await ok('history', 'agent', '-o', 'json')) as readonly { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'failed', 'deployed']);
  });

  it('uninstalls, and leaves nothing but its definitions', async () => {
    expect(await ok('uninstall', 'agent', ...waiting)).toContain('release "agent" uninstalled');
    expect(JSON.parse(await ok('list', '--all', '-o', 'json'))).toEqual([]);
    const left = await cluster.client.list(SECRETS, { namespace: NAMESPACE });
    expect(left.items).toEqual([]);
    const pods = async (): Promise<string> =>
      (
        await cluster.client.list(PODS, { namespace: NAMESPACE, labelSelector: 'app.kubernetes.io/instance=agent' })
      ).items
        .map(({ metadata }) => metadata.name)
        .join();
    await eventually(pods, /^$/);
  });
});
