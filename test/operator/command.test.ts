/** `everynode operator` as a process: what it says, how it ends, and what is left when it is killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_SETS, LEASES, PODS } from '../../src/core/api/registry/resources.ts';
import { cli, type Cli, folder, run } from '../cli/run-cli.ts';
import { daemonSet } from '../daemonset/world.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

const NODES = 3;
const LEASE = { namespace: 'kube-system', name: 'everynode-operator' };
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster({
    groups: [{ name: 'node', count: NODES }],
    controllers: ['*', '-daemonset-controller'],
    scheduler: false,
  });
}, 60_000);
afterAll(() => cluster.stop());

function operator(home: string, ...flags: string[]): Cli {
  const common = ['--kubeconfig', cluster.kubeconfigFile, '--health-port', '0', '--metrics-port', '0'];
  return cli(['operator', ...common, '--controllers', '*,daemonset,scheduler', ...flags], { home });
}
const holder = async (): Promise<string> => (await cluster.client.get(LEASES, LEASE)).spec.holderIdentity ?? '';
const available = (name: string) =>
  eventually(
    async () => String((await cluster.client.get(DAEMON_SETS, { namespace: 'default', name })).status?.numberAvailable),
    new RegExp(`^${NODES}$`),
  );

describe('everynode operator', () => {
  it('runs until SIGTERM, lets go of its lease, and ends with 0', async () => {
    const process = operator(folder(), '--instance', 'one');
    await process.says('Became leader');
    expect(await process.says('The operator has started')).toMatch(/"server":"https:/);
    expect(await holder()).toMatch(/^one_[0-9a-f-]{36}$/);
    await cluster.client.create(DAEMON_SETS, daemonSet({}, {}, 'first'));
    await available('first');
    process.child.kill('SIGTERM');
    const { code, stdout, stderr } = await process.ended;
    expect([code, stdout, await holder()]).toEqual([0, '', '']);
    expect(stderr).toContain('Stopped leading');
    // Every line but those for whoever sits at the terminal is JSON.
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Stopping…'));
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg');
  });

  it('is replaced when it is killed in the middle of a rollout, and nothing is made twice', async () => {
    const times = [
      '--leader-elect-lease-duration=6s',
      '--leader-elect-renew-deadline=5s',
      '--leader-elect-retry-period=1s',
    ];
    const first = operator(folder(), '--instance', 'first', ...times);
    await first.says('Became leader');
    const second = operator(folder(), '--instance', 'second', ...times);
    await second.says('There is a new leader');
    await cluster.client.create(DAEMON_SETS, daemonSet({}, {}, 'killed'));
    await eventually(
      async () => String((await cluster.client.list(PODS, { labelSelector: 'app=killed' })).items.length),
      /[1-9]/,
    );
    first.child.kill('SIGKILL');
    await second.says('Became leader');
    await available('killed');
    const { items } = await cluster.client.list(PODS, { labelSelector: 'app=killed' });
    expect(new Set(items.map((pod) => pod.spec.nodeName)).size).toBe(NODES);
    expect(items).toHaveLength(NODES);
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(130);
  });

  it('ends at once at the second signal', async () => {
    const process = operator(folder(), '--log-format', 'text');
    expect(await process.says('Became leader')).toMatch(/^\S+Z INFO {2}Became leader/m);
    process.child.kill('SIGTERM');
    process.child.kill('SIGTERM');
    expect([0, 143]).toContain((await process.ended).code);
  });

  it.each([
    [['--kubeconfig', 'nowhere'], 'nowhere', 'Name a kubeconfig with --kubeconfig FILE'],
    [['--kubeconfig', 'KUBECONFIG', '--context', 'other'], 'other', 'Name a kubeconfig'],
    [['--kubeconfig', 'GONE'], 'could not be reached: connect ECONNREFUSED', 'Look at the server'],
    [['--kubeconfig', 'STRANGER'], 'does not accept the credentials', 'Look at the server'],
    [['--kubeconfig', 'KUBECONFIG', '--controllers', 'nobody'], '"nobody" is not in the list of known', 'Leave it out'],
    [
      ['--kubeconfig', 'DAMAGED'],
      'user "everynode": client-key-data holds no private key',
      '(EN_MACHINERY_KUBECONFIG)',
    ],
    [['--kubeconfig', 'KUBECONFIG', '--bind-address', '203.0.113.1'], '203.0.113.1 is no address', '--bind-address'],
  ])('given %j it says what is wrong and what to do, and ends with 1', async (args, wrong, fix) => {
    const home = folder();
    const text = cluster.kubeconfig;
    const gone = text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
    const stranger = JSON.stringify({
      ...(JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Config' })) as object),
      'current-context': 'x',
      clusters: [{ name: 'x', cluster: { server: cluster.server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'x', user: { token: 'not-a-token-of-this-cluster' } }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    });
    const damaged = text.replace(/(client-key-data\W+).{40}/, `$1${'A'.repeat(40)}`);
    const files = { KUBECONFIG: text, GONE: gone, STRANGER: stranger, DAMAGED: damaged };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content, { mode: 0o600 });
    const ports = ['--health-port', '0', '--metrics-port', '0'];
    const { code, stdout, stderr } = await run(['operator', ...ports, ...args], { home });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(wrong);
    expect(stderr).toContain(fix);
    expect(stderr).not.toContain('not-a-token');
  });
});
