/** Several operators on one cluster: one acts, the next takes over where it left off, and nobody acts beside another. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATOR_LEASE } from '../../src/assembly/catalogue/rights.ts';
import { DAEMON_SETS, LEASES, PODS } from '../../src/core/api/registry/resources.ts';
import { formatMicroTime } from '../../src/core/kube/time.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import type { RestConfig } from '../../src/machinery/client/http/rest-config.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { daemonSet } from '../daemonset/world.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createAccount, giveRights, NAMESPACE, rightsOf } from './support/account.ts';
import { startProxy } from './support/proxy.ts';
import {
  QUICK,
  startWatched,
  type WatchedOperator,
  type WatchedOptions,
  withToken,
} from './support/watched-operator.ts';

const NODES = 3;
const CONTROLLERS = ['daemonset', 'scheduler'];
let cluster: TestCluster;
let config: RestConfig;
let token = '';
const started: WatchedOperator[] = [];

beforeEach(async () => {
  cluster = await startTestCluster({
    groups: [{ name: 'node', count: NODES }],
    controllers: ['*', '-daemonset-controller'],
    scheduler: false,
  });
  token = await createAccount(cluster.client);
  await giveRights(cluster.client, rightsOf('base', 'rollout-driver', ...CONTROLLERS));
  config = withToken(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), token);
}, 60_000);
afterEach(async () => {
  for (const operator of started.splice(0)) await operator.stop();
  await cluster.stop();
});

async function start(options: Partial<WatchedOptions> = {}): Promise<WatchedOperator> {
  const operator = await startWatched({ config, controllers: CONTROLLERS, ...options });
  started.push(operator);
  return operator;
}

const ask = async (port: number, path: string): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${response.status}\n${await response.text()}`;
};
const isReady = (operator: WatchedOperator): Promise<string> =>
  eventually(() => ask(operator.healthPort, '/readyz?verbose'), /^200/);
const leads = (operator: WatchedOperator): Promise<string> =>
  eventually(() => ask(operator.healthPort, '/readyz?verbose'), /^200[^]*leader-election ok: leads/);
const lease = async () => (await cluster.client.get(LEASES, { namespace: NAMESPACE, name: OPERATOR_LEASE })).spec;
const available = (name = 'agent') =>
  eventually(
    async () => String((await cluster.client.get(DAEMON_SETS, { namespace: 'default', name })).status?.numberAvailable),
    new RegExp(`^${NODES}$`),
  );
const pods = async () => (await cluster.client.list(PODS, { namespace: 'default' })).items;

describe('operators', () => {
  it(
    'one leads and acts; another waits, ready, and takes over at once when that one stops',
    { timeout: 60_000 },
    async () => {
      const first = await start();
      expect(await leads(first)).toContain('daemonset running, scheduler running');
      const second = await start();
      expect(await isReady(second)).toMatch(
        /leader-election ok: operator-\d+ leads\n.*daemonset waiting, scheduler waiting/,
      );
      await cluster.client.create(DAEMON_SETS, daemonSet());
      await available();
      expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
      const before = await lease();

      await first.stop();
      // It has let go: nobody has to wait for its lease to run out.
      await leads(second);
      const after = await lease();
      expect(after.leaseTransitions).toBeGreaterThan(before.leaseTransitions ?? 0);
      expect(Date.parse(after.acquireTime ?? '') - Date.parse(before.renewTime ?? '')).toBeLessThan(15_000);
      expect(first.failure()).toBe(undefined);
      await cluster.client.create(DAEMON_SETS, daemonSet({}, {}, 'other'));
      await available('other');
      const names = (await pods()).map((pod) => pod.metadata.name);
      expect(new Set(names).size).toBe(2 * NODES);
    },
  );

  it('whoever loses the lead writes nothing any more, and gives up', { timeout: 60_000 }, async () => {
    const operator = await start();
    await leads(operator);
    const body = { spec: { holderIdentity: 'intruder', renewTime: formatMicroTime(realClock.now()) } };
    await cluster.client.patch(LEASES, { namespace: NAMESPACE, name: OPERATOR_LEASE }, { type: 'merge', body });
    await eventually(() => Promise.resolve(String(operator.failure())), /another candidate holds the lease/);
    expect(operator.isLeading()).toBe(false);
    await cluster.client.create(DAEMON_SETS, daemonSet());
    await realClock.sleep(1000);
    expect(await pods()).toEqual([]);
    expect((await lease()).holderIdentity).toBe('intruder');
    await operator.stop();
    expect((await lease()).holderIdentity).toBe('intruder');
  });

  it('what another one does on this cluster is left to it, and the rest is done', { timeout: 60_000 }, async () => {
    await cluster.client.create(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'kube-system', name: 'kube-controller-manager' },
      spec: { holderIdentity: 'master-0', leaseDurationSeconds: 3600, renewTime: formatMicroTime(realClock.now()) },
    });
    const operator = await start({ controllers: ['rollout-driver', 'daemonset'] });
    const refused = await eventually(() => ask(operator.healthPort, '/readyz?verbose'), /daemonset refused/);
    expect(refused).toMatch(/^500/);
    expect(refused).toContain(
      'rollout-driver running, daemonset refused: kube-controller-manager (master-0) does its work',
    );
    expect(await ask(operator.metricsPort, '/metrics')).toContain(
      'everynode_controller_running{controller="daemonset"} 0',
    );
    await cluster.client.create(DAEMON_SETS, daemonSet());
    await realClock.sleep(500);
    expect(await pods()).toEqual([]);
    // It gives its Lease back, as it does when it ends in good order.
    const body = { spec: { holderIdentity: '' } };
    const key = { namespace: 'kube-system', name: 'kube-controller-manager' };
    await cluster.client.patch(LEASES, key, { type: 'merge', body });
    expect(await leads(operator)).toContain('rollout-driver running, daemonset running');
    await eventually(async () => String((await pods()).length), new RegExp(`^${NODES}$`));
    const again = { spec: { holderIdentity: 'master-0', renewTime: formatMicroTime(realClock.now()) } };
    await cluster.client.patch(LEASES, key, { type: 'merge', body: again });
    await eventually(() => ask(operator.healthPort, '/readyz?verbose'), /^500[^]*daemonset refused/);
    await operator.stop();

    const alone = await start({ controllers: ['daemonset'] });
    await eventually(
      () => Promise.resolve(String(alone.failure())),
      /nothing to do on this cluster: daemonset \(kube-controller-manager \(master-0\) does its work/,
    );
    expect(alone.failure()).toMatchObject({ code: 'EN_ASSEMBLY_NOTHING_RUNS' });
    await alone.stop();

    const told = await start({ controllers: CONTROLLERS, insteadOfUpstream: true });
    await leads(told);
    await available();
  });

  it('a server that does not say what runs inside it is no proof that nothing does', { timeout: 60_000 }, async () => {
    // As any other server than ours: no word of what it runs, and no Lease of kube-controller-manager (k3s has none).
    const foreign = await startProxy(config, (path, body) => {
      if (path !== '/version') return body;
      const { everynode: _everynode, ...version } = JSON.parse(body) as { everynode?: unknown };
      return JSON.stringify(version);
    });
    try {
      const options = { config: { ...config, server: foreign.server, tls: {} }, controllers: ['daemonset'] };
      const operator = await start(options);
      await eventually(
        () => Promise.resolve(String(operator.failure())),
        /nothing proves that kube-controller-manager leaves this to others.*--instead-of-upstream/,
      );
      await cluster.client.create(DAEMON_SETS, daemonSet());
      await realClock.sleep(500);
      expect(await pods()).toEqual([]);
      await operator.stop();
      const told = await start({ ...options, insteadOfUpstream: true });
      await leads(told);
      await eventually(async () => String((await pods()).length), new RegExp(`^${NODES}$`));
    } finally {
      for (const operator of started.splice(0)) await operator.stop();
      await foreign.stop();
    }
  });

  it(
    'what a cluster in one process does itself is left to it, though no Lease says so',
    { timeout: 60_000 },
    async () => {
      const whole = await startTestCluster({ groups: [{ name: 'node', count: 1 }] });
      const onWhole = await loadKubeconfig({ path: whole.kubeconfigFile, clock: realClock });
      try {
        const election = { namespace: 'kube-system', name: OPERATOR_LEASE, identity: 'me', ...QUICK };
        const told = { config: onWhole, controllers: CONTROLLERS, insteadOfUpstream: true };
        const operator = await startWatched({ ...told, election });
        try {
          await eventually(() => Promise.resolve(String(operator.failure())), /nothing to do on this cluster/);
          expect(operator.failure()).toMatchObject({
            code: 'EN_ASSEMBLY_NOTHING_RUNS',
            message: expect.stringContaining("everynode up with --controllers '*,-daemonset-controller'") as string,
          });
        } finally {
          await operator.stop();
        }
      } finally {
        await whole.stop();
      }
    },
  );

  it('tells what it does, and no secret', { timeout: 60_000 }, async () => {
    const operator = await start();
    await leads(operator);
    await cluster.client.create(DAEMON_SETS, daemonSet());
    await available();
    const metrics = await ask(operator.metricsPort, '/metrics');
    for (const name of [
      'leader_election_master_status{name="everynode-operator"} 1',
      'rest_client_requests_total{code="201",method="POST"',
      'rest_client_request_duration_seconds_bucket',
      'workqueue_adds_total{name="daemonset"',
      'workqueue_depth{name="daemonset"',
      'controller_runtime_reconcile_total{controller="daemonset",result="success"}',
      'scheduler_schedule_attempts_total',
      'everynode_cache_objects{group="",resource="nodes"} 3',
      'everynode_cache_synced{group="apps",resource="daemonsets"} 1',
      'everynode_build_info{version=',
      'process_resident_memory_bytes',
    ])
      expect(metrics).toContain(name);
    expect(await ask(operator.healthPort, '/livez')).toBe('200\nok\n');
    expect(await ask(operator.healthPort, '/readyz')).toBe('200\nok\n');
    expect(await ask(operator.healthPort, '/metrics')).toMatch(/^404/);
    const said = metrics + JSON.stringify(operator.lines) + (await ask(operator.healthPort, '/readyz?verbose'));
    expect(said).not.toContain(token);
    expect(said).not.toContain(token.slice(-40));
  });

  it(
    'is not ready while it may not see what it needs, says so, and becomes ready when it may',
    { timeout: 60_000 },
    async () => {
      await giveRights(cluster.client, rightsOf('base', 'daemonset'));
      const operator = await start();
      const unready = await eventually(() => ask(operator.healthPort, '/readyz'), /not known yet: [^\n]*services/);
      expect(unready).toMatch(/^500/);
      expect(await ask(operator.healthPort, '/livez')).toBe('200\nok\n');
      await giveRights(cluster.client, rightsOf('base', ...CONTROLLERS));
      await leads(operator);
    },
  );
});
