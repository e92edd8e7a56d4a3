/**
 * Claims on a real control plane: an unmodified kube-scheduler gives every room it sees to rivals of all user priorities, while
 * everynode, with the rights that are listed and no others, hands rooms over and is stopped in the middle.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodes } from '../../src/assembly/create-nodes.ts';
import { CLAIM_ANNOTATIONS, CLAIM_SCHEDULER, RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { ORDERS, PODS, PRIORITY_CLASSES, SERVICE_ACCOUNTS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { createAccount, giveRights, rightsOf } from '../operator/support/account.ts';
import { defineReservations } from '../operator/support/reservation-definitions.ts';
import { startWatched, type WatchedOperator, withToken } from '../operator/support/watched-operator.ts';
import { SlotStream } from '../reservation/support/slot-stream.ts';
import { startKubelets, type Running } from '../support/operator.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { until } from './support/daemonset-world.ts';
import { missingPrograms } from './support/programs.ts';

const NODE_COUNT = 40;
const CPU = '800m';
const PRIORITIES = [0, 1000, 999_999_999];
/** A claimant that matters less than its rivals would be preempted like any pod, after the handover. */
const CLAIMANT = 1_000_000_000;
const namespace = 'default';

const podOf = (name: string, priority: number, spec: Partial<Pod['spec']> = {}, annotations = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, annotations, labels: { app: name.replace(/-.*/, '') } },
  spec: {
    containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: CPU } } }],
    priorityClassName: `user-${priority}`,
    terminationGracePeriodSeconds: 1,
    ...spec,
  },
});

describe.skipIf(missingPrograms().length > 0)('claims beside an unmodified kube-scheduler', () => {
  let plane: ControlPlane | undefined;
  let admin: Client;
  let kubelets: Running | undefined;
  let operator: WatchedOperator | undefined;
  let startOperator: () => Promise<WatchedOperator>;

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: '*', scheduler: true });
    const { admin: path } = plane;
    admin = await plane.clientOf(path);
    kubelets = await startKubelets(admin);
    const token = await createAccount(admin);
    await defineReservations(admin);
    await until(
      () => admin.get(SERVICE_ACCOUNTS, { namespace, name: 'default' }).catch(() => undefined),
      (account) => account !== undefined,
    );
    await giveRights(admin, [...rightsOf('base', 'reservation'), ...rightsOf('claim-scheduler')]);
    const config = withToken(await loadKubeconfig({ path, clock: realClock }), token);
    startOperator = () => startWatched({ config, controllers: ['reservation', 'claim-scheduler'] });
    operator = await startOperator();
    for (const value of [...PRIORITIES, CLAIMANT])
      await admin.create(PRIORITY_CLASSES, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: `user-${value}` },
        value,
      });
  });
  afterAll(async () => {
    await operator?.stop();
    await kubelets?.stop();
    await plane?.stop();
  });

  const pods = async (app: string): Promise<readonly Stored<Pod>[]> =>
    (await admin.list(PODS, { namespace, labelSelector: `app=${app}` })).items;

  async function rivals(name: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const priority = PRIORITIES[i % PRIORITIES.length] ?? 0;
      await admin.create(PODS, podOf(`rival-${name}-${i}`, priority, { tolerations: [{ operator: 'Exists' }] }));
    }
  }

  it('give every claimant its slot, and none to a rival, also when the operator is stopped in the middle', async () => {
    const group = { name: 'node', count: NODE_COUNT, capacity: { cpu: '1', memory: '4Gi', pods: '30' } };
    await createNodes(admin, [group], [], realClock, undefined, undefined);
    await admin.create(ORDERS, {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Order',
      metadata: { name: 'rooms', namespace },
      spec: {
        daemonSet: true,
        strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
        template: { spec: { duration: '1h', resources: { requests: { cpu: CPU } } } },
      },
    });
    const phases = async (): Promise<readonly string[]> =>
      (await admin.list(TICKETS, { namespace })).items.map(({ status }) => status?.phase ?? '');
    const count = (all: readonly string[], phase: string): number => all.filter((each) => each === phase).length;
    await until(phases, (all) => count(all, 'Reserved') === NODE_COUNT);
    const streams = Array.from({ length: NODE_COUNT }, (_, i) => new SlotStream(admin, `node-${i}`));
    await rivals('standing', 20);

    const annotations = { [CLAIM_ANNOTATIONS.orderRequest]: 'rooms', [CLAIM_ANNOTATIONS.claim]: 'Required' };
    for (let i = 0; i < NODE_COUNT; i += 1) {
      await admin.create(PODS, podOf(`claimant-${i}`, CLAIMANT, { schedulerName: CLAIM_SCHEDULER }, annotations));
      if (i % 4 === 0) await rivals(`new-${i}`, 1);
      // In whatever step of a handover it is.
      if (i % 10 === 5) {
        await operator?.stop();
        operator = await startOperator();
      }
    }
    await until(phases, (all) => count(all, 'Claimed') === NODE_COUNT);
    await until(
      () => pods('claimant'),
      (all) => all.every(({ status }) => status?.phase === 'Running' || status?.phase === 'Failed'),
    );
    expect((await pods('claimant')).filter(({ status }) => status?.phase !== 'Running')).toEqual([]);
    const claimed = (await admin.list(TICKETS, { namespace })).items.filter(
      ({ status }) => status?.phase === 'Claimed',
    );
    expect(new Set(claimed.map(({ status }) => status?.claim?.podUID)).size).toBe(NODE_COUNT);
    expect((await pods('rival')).filter(({ spec }) => spec.nodeName).map(({ metadata }) => metadata.name)).toEqual([]);
    const shades = async () =>
      (await admin.list(PODS, { namespace, labelSelector: `${RESERVATION_LABELS.role}=shade` })).items;
    await until(shades, (left) => left.length === 0);
    for (const stream of streams) {
      await stream.stop();
      expect(stream.uncovered(CPU)).toEqual([]);
    }
    expect(operator?.refusals()).toEqual([]);
  }, 400_000);
});
