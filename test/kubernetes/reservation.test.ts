/**
 * Orders on a real control plane: kube-apiserver, an unmodified kube-scheduler and kube-controller-manager, everynode as a service
 * account with the rights that are listed and no others.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import { UNRESERVED_TAINT } from '../../src/core/api/names.ts';
import { NODES, ORDERS, PODS, SERVICE_ACCOUNTS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Node, Pod } from '../../src/core/api/types/core-v1.ts';
import type { Order } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { createAccount, giveRights, rightsOf } from '../operator/support/account.ts';
import { defineReservations } from '../operator/support/reservation-definitions.ts';
import { startWatched, type WatchedOperator, withToken } from '../operator/support/watched-operator.ts';
import { startKubelets, type Running } from '../support/operator.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { until } from './support/daemonset-world.ts';
import { missingPrograms } from './support/programs.ts';

const NODE_COUNT = 200;
const POD_COUNT = 1000;
const TAINT = { key: UNRESERVED_TAINT, effect: 'NoSchedule' };
/** Longest time that a node may keep the taint after it is Ready. */
const LONGEST_MS = 120_000;
const AT_ONCE = 32;

const order: Order = {
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'buffer', namespace: 'default' },
  spec: {
    daemonSet: true,
    strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
    template: { spec: { duration: '1h', resources: { requests: { cpu: '500m', memory: '64Mi' } } } },
  },
};

/** Two nodes' worth of pods would fit onto one: without the taint the first nodes would be full before their room is held. */
const waitingPod = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `web-${index}`, namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '250m', memory: '16Mi' } } }] },
});

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;
const isTainted = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === TAINT.key) === true;

/** Follows nodes: for how long each kept the taint while it was Ready, in milliseconds; undefined: it still has the taint. */
async function followTaints(client: Client, signal: AbortSignal, kept: Map<string, number | undefined>): Promise<void> {
  const since = new Map<string, number>();
  const note = (node: Stored<Node>): void => {
    const { name } = node.metadata;
    if (!since.has(name) && isReady(node)) since.set(name, Date.now());
    if (isTainted(node)) kept.set(name, undefined);
    else if (kept.get(name) === undefined) kept.set(name, Date.now() - (since.get(name) ?? Date.now()));
  };
  for await (const events of client.watch(NODES, { sendInitialEvents: true, allowWatchBookmarks: true, signal }))
    for (const event of events) if (event.type === 'ADDED' || event.type === 'MODIFIED') note(event.object);
}

describe.skipIf(missingPrograms().length > 0)('Orders beside an unmodified kube-scheduler', () => {
  let plane: ControlPlane | undefined;
  let admin: Client;
  let kubelets: Running | undefined;
  let operator: WatchedOperator | undefined;
  const stopping = new AbortController();

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: '*', scheduler: true });
    admin = await plane.clientOf(plane.admin);
    kubelets = await startKubelets(admin);
    const token = await createAccount(admin);
    await defineReservations(admin);
    await until(
      () => admin.get(SERVICE_ACCOUNTS, { namespace: 'default', name: 'default' }).catch(() => undefined),
      (account) => account !== undefined,
    );
    await giveRights(admin, rightsOf('base', 'reservation'));
    const config = withToken(await loadKubeconfig({ path: plane.admin, clock: realClock }), token);
    operator = await startWatched({ config, controllers: ['reservation'] });
  });
  afterAll(async () => {
    stopping.abort();
    await operator?.stop();
    await kubelets?.stop();
    await plane?.stop();
  });

  it('have room on each of 200 nodes that join under 1,000 pending pods, and no node keeps the taint for long', async () => {
    await admin.create(ORDERS, order);
    for (let from = 0; from < POD_COUNT; from += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, POD_COUNT - from) }, (_, i) => admin.create(PODS, waitingPod(from + i))),
      );
    const kept = new Map<string, number | undefined>();
    const followed = followTaints(admin, stopping.signal, kept).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    const group = {
      name: 'node',
      count: NODE_COUNT,
      taints: [TAINT],
      capacity: { cpu: '2', memory: '4Gi', pods: '20' },
    };
    await createNodes(admin, [group], [], realClock, undefined, undefined);

    const reserved = await until(
      async () => {
        const { items } = await admin.list(TICKETS, { namespace: 'default' });
        return { phases: items.map(({ status }) => status?.phase), failure: operator?.failure() };
      },
      ({ phases, failure }) =>
        failure !== undefined || phases.filter((phase) => phase === 'Reserved').length === NODE_COUNT,
    );
    expect(reserved.failure).toBeUndefined();
    await until(
      () => Promise.resolve([...kept.values()]),
      (all) => all.length === NODE_COUNT && all.every((ms) => ms !== undefined),
    );
    expect(Math.max(...[...kept.values()].map((ms) => ms ?? Infinity))).toBeLessThan(LONGEST_MS);

    // The pods have what is left: the guardians gave none of it up.
    await until(
      async () => (await admin.list(PODS, { namespace: 'default', labelSelector: 'app=web' })).items,
      (pods) => pods.every(({ spec }) => (spec.nodeName ?? '') !== ''),
    );
    const { items } = await admin.list(TICKETS, { namespace: 'default' });
    expect(new Set(items.map(({ status }) => status?.nodeName)).size).toBe(NODE_COUNT);
    expect(items.every(({ status }) => status?.phase === 'Reserved')).toBe(true);
    const { status } = await admin.get(ORDERS, { namespace: 'default', name: 'buffer' });
    expect(status).toMatchObject({ replicas: NODE_COUNT });
    expect(operator?.refusals()).toEqual([]);
    stopping.abort();
    await followed;
  }, 400_000);
});
