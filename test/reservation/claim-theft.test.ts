/** Rivals of every user priority wait for the room that is handed over, under a scheduler that knows nothing of Tickets. */
import { afterEach, describe, expect, it } from 'vitest';
import { createClaimScheduler } from '../../src/assembly/catalogue/claim-scheduler.ts';
import { createDaemonSetController } from '../../src/control/daemonset/daemonset-controller.ts';
import { createOrderController } from '../../src/control/reservation/order/order-controller.ts';
import { createScheduler } from '../../src/control/scheduler/scheduler.ts';
import { CLAIM_ANNOTATIONS, CLAIM_SCHEDULER, RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { DAEMON_SETS, ORDERS, PODS, PRIORITY_CLASSES } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { SlotStream } from './support/slot-stream.ts';
import { createTicketWorld, namespace, order, pod, type TicketWorld, type TicketWorldOptions } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const CPU = '800m';
const PRIORITIES = [0, 1000, 999_999_999];
/** The shade protects the handover, not the life after it: a claimant that matters less than its rivals is preempted like any pod. */
const CLAIMANT = 1_000_000_000;

async function start(nodes: number, options: TicketWorldOptions = {}): Promise<void> {
  world = await createTicketWorld({
    nodes: [{ name: 'node', count: nodes, allocatable: { cpu: '1', memory: '64Gi', pods: '110' } }],
    scheduler: false,
    more: (around) => [
      createScheduler(around),
      createClaimScheduler({ ...around, schedulerName: CLAIM_SCHEDULER }),
      createOrderController(around),
      createDaemonSetController(around),
    ],
    ...options,
  });
  for (const value of [...PRIORITIES, CLAIMANT])
    await world.client.create(PRIORITY_CLASSES, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: `user-${value}` },
      value,
    });
  const template = { spec: { resources: { requests: { cpu: CPU } } } };
  await world.client.create(ORDERS, order({ daemonSet: true, template }));
  await reserved(nodes);
}

const reserved = (count: number): Promise<void> =>
  world.eventually(
    async () => (await world.tickets()).filter(({ status }) => status?.phase === 'Reserved').length === count,
  );

const resources = { requests: { cpu: CPU } };
const containers = [{ name: 'main', image: 'example.test/web:1', resources }];

async function rivals(name: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const priorityClassName = `user-${PRIORITIES[i % PRIORITIES.length] ?? 0}`;
    const tolerations = [{ operator: 'Exists' }];
    await world.client.create(PODS, pod(`${name}-${i}`, { containers, priorityClassName, tolerations }));
  }
}

const CLAIM = { [CLAIM_ANNOTATIONS.orderRequest]: 'rooms', [CLAIM_ANNOTATIONS.claim]: 'Required' };

async function claimants(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const priorityClassName = `user-${CLAIMANT}`;
    const made = pod(`claimant-${i}`, { containers, priorityClassName, schedulerName: CLAIM_SCHEDULER });
    await world.client.create(PODS, { ...made, metadata: { ...made.metadata, annotations: CLAIM } });
  }
}

const pods = async (prefix: string): Promise<readonly Stored<Pod>[]> =>
  (await world.client.list(PODS, { namespace })).items.filter(({ metadata }) => metadata.name.startsWith(prefix));

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';

describe('a claimant', () => {
  it('never loses its slot to a rival: 200 claims on full nodes', { timeout: 120_000 }, async () => {
    await start(200);
    const streams = Array.from({ length: 200 }, (_, i) => new SlotStream(world.direct, `node-${i}`));
    await rivals('standing', 60);
    await world.clock.advance(1_000);
    await claimants(200);
    for (let wave = 0; wave < 5; wave += 1) {
      await rivals(`new-${wave}`, 8);
      await world.clock.advance(500);
    }
    await world.eventually(async () => (await pods('claimant')).every(isRunning));
    await world.clock.advance(5_000);
    expect((await pods('claimant')).filter((each) => !isRunning(each))).toEqual([]);
    expect((await pods('standing')).concat(await pods('new')).filter(({ spec }) => spec.nodeName)).toEqual([]);
    const claimed = (await world.tickets()).filter(({ status }) => status?.phase === 'Claimed');
    expect(new Set(claimed.map(({ status }) => status?.claim?.podUID)).size).toBe(200);
    expect((await pods('')).filter(({ metadata }) => metadata.labels?.[RESERVATION_LABELS.role] === 'shade')).toEqual(
      [],
    );
    for (const stream of streams) expect(stream.uncovered(CPU)).toEqual([]);
  });

  it('is robbed without a shade: the reason for it', async () => {
    /** The controller of a cluster, some milliseconds away from the API server, whose shades are created nowhere. */
    const without = (client: Client, clock: VirtualClock): Client => ({
      ...client,
      async create(resource, object, options) {
        await clock.sleep(20);
        if (object.metadata.labels?.[RESERVATION_LABELS.role] !== 'shade')
          return client.create(resource, object, options);
        const metadata = { ...object.metadata, uid: 'shade', resourceVersion: '999999999', creationTimestamp: '' };
        return { ...object, metadata };
      },
      async list(...args) {
        await clock.sleep(20);
        return client.list(...args);
      },
      async bind(...args) {
        await clock.sleep(20);
        return client.bind(...args);
      },
    });
    await start(1, { through: without });
    await claimants(1);
    for (let wave = 0; wave < 50; wave += 1) {
      await rivals(`rival-${wave}`, 1);
      await world.clock.advance(10);
    }
    await world.clock.advance(5_000);
    expect((await pods('rival')).filter(({ spec }) => spec.nodeName)).toHaveLength(1);
    expect((await pods('claimant')).filter(isRunning)).toEqual([]);
  });
});

const agent = (image: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    template: {
      // No kubelet stops a pod at once; the shade is there before it has.
      metadata: {
        labels: { app: 'agent' },
        annotations: { ...CLAIM, 'everynode.dev/stop-delay': '2s' },
      } as unknown as DaemonSet['metadata'],
      spec: {
        schedulerName: CLAIM_SCHEDULER,
        priorityClassName: `user-${CLAIMANT}`,
        terminationGracePeriodSeconds: 5,
        containers: [{ name: 'agent', image, resources }],
      },
    },
  },
});

describe('a DaemonSet that claims an OnClaim Order', () => {
  it('keeps every slot through twenty rolling updates on full nodes', { timeout: 120_000 }, async () => {
    await start(3);
    const streams = [0, 1, 2].map((i) => new SlotStream(world.direct, `node-${i}`));
    await rivals('standing', 9);
    await world.client.create(DAEMON_SETS, agent('example.test/agent:0'));
    const rolledOut = async (image: string): Promise<boolean> => {
      const agents = await pods('agent');
      return agents.length === 3 && agents.every((each) => isRunning(each) && each.spec.containers[0]?.image === image);
    };
    await world.eventually(() => rolledOut('example.test/agent:0'));
    for (let update = 1; update <= 20; update += 1) {
      const image = `example.test/agent:${update}`;
      await world.client.update(DAEMON_SETS, agent(image));
      await world.eventually(() => rolledOut(image), 300_000);
    }
    expect((await pods('standing')).filter(({ spec }) => spec.nodeName)).toEqual([]);
    for (const stream of streams) expect(stream.uncovered(CPU)).toEqual([]);
  });
});
