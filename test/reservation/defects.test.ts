/**
 * Defects of the operator that Orders and Tickets come from, one test each, named after the defect. Those of claims and quotas stand
 * with claims and quotas.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { RESERVATION_CONTROLLERS } from '../../src/assembly/catalogue/reservation.ts';
import { GUARDIAN_PRIORITY_CLASS, RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { NODES, ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Toleration } from '../../src/core/api/types/core-v1.ts';
import type { Ticket } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { formatTime } from '../../src/core/kube/time.ts';
import { order, REQUESTS, template } from './support/orders.ts';
import { createOrderWorld, namespace, nodeOf, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(({ task }) => (task.name.startsWith('have no right') ? undefined : world.stop()));

const MINUTE = 60_000;
const GPU = { key: 'gpu', value: 'yes' } as const;

const claim = ({ metadata: { name } }: Stored<Ticket>) =>
  world.client.patch(
    TICKETS,
    { namespace, name },
    { type: 'merge', body: { status: { phase: 'Claimed', claimedTime: formatTime(world.clock.now()) } } },
    { subresource: 'status' },
  );

async function begin(nodes: Parameters<typeof createOrderWorld>[0], spec: Parameters<typeof order>[0] = {}) {
  world = await createOrderWorld(nodes);
  await world.client.create(ORDERS, order(spec));
}

const uids = (tickets: readonly Stored<Ticket>[]): readonly string[] =>
  tickets.map(({ metadata }) => metadata.uid).sort();

describe('mended: Orders in daemonSet mode', () => {
  it('have no right to read nodes', () => {
    const rules = RESERVATION_CONTROLLERS.flatMap(({ rights = [] }) => rights.flatMap((right) => right.rules));
    const nodes = rules.find(({ resources = [] }) => resources.includes('nodes'));
    expect(nodes?.verbs).toEqual(expect.arrayContaining(['list', 'watch']));
  });

  it('count eligible nodes only, without a pin: two Tickets on one node and none on another', async () => {
    await begin({ nodes: 3 });
    await world.available(3);
    const tickets = await world.tickets();
    expect(tickets.map(nodeOf)).toEqual(['node-0', 'node-1', 'node-2']);
    expect((await world.guardians()).map(({ spec }) => spec.nodeName ?? '').sort()).toEqual([
      'node-0',
      'node-1',
      'node-2',
    ]);
  });

  it('keep the Ticket of a node that left or is not eligible any more', async () => {
    await begin({ nodes: 3 }, { template: template({ nodeSelector: { 'kubernetes.io/os': 'linux' } }) });
    await world.available(3);
    await world.client.delete(NODES, { name: 'node-0' });
    const labels = { 'kubernetes.io/os': 'windows' };
    await world.client.patch(NODES, { name: 'node-1' }, { type: 'merge', body: { metadata: { labels } } });
    await world.available(1);
    expect((await world.tickets()).map(nodeOf)).toEqual(['node-2']);
  });

  it('take a toleration with an empty key for one of every effect', async () => {
    const taints = [{ ...GPU, effect: 'NoExecute' }];
    const tolerations: readonly Toleration[] = [{ operator: 'Exists', effect: 'NoSchedule' }];
    await begin({ nodes: [{ name: 'gpu', count: 1, taints }] }, { template: template({ tolerations }) });
    await world.clock.advance(MINUTE);
    expect(await world.tickets()).toEqual([]);
  });

  it('stay away from nodes with a PreferNoSchedule taint', async () => {
    await begin({ nodes: [{ name: 'gpu', count: 1, taints: [{ ...GPU, effect: 'PreferNoSchedule' }] }] });
    await world.available(1);
  });

  it('ignore node affinity', async () => {
    const required = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['a'] }] }],
    };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const nodes = [
      { name: 'a', count: 1, labels: { pool: 'a' } },
      { name: 'b', count: 1, labels: { pool: 'b' } },
    ];
    await begin({ nodes }, { template: template({ affinity }) });
    await world.available(1);
    expect((await world.tickets()).map(nodeOf)).toEqual(['a-0']);
  });

  it('bypass the scheduler with nodeName, so that a guardian lands where there is no room', async () => {
    await begin(
      { nodes: [{ name: 'node', count: 1, capacity: { cpu: '1', memory: '1Gi', pods: '10' } }] },
      { template: template({ resources: { requests: { cpu: '2' } } }) },
    );
    await world.clock.advance(MINUTE);
    const [ticket] = await world.tickets();
    expect(ticket?.status).toMatchObject({ phase: 'Pending', reason: 'Unschedulable' });
    expect((await world.guardians()).map(({ spec }) => spec.nodeName ?? '')).toEqual(['']);
  });

  it('with Always delete every Ticket at each reconcile', async () => {
    await begin({ nodes: 2 }, { strategy: { type: 'OneTime', refreshPolicy: 'Always' } });
    await world.available(2);
    const before = uids(await world.tickets());
    await world.join({ name: 'late', count: 1 });
    await world.available(3);
    expect(uids(await world.tickets())).toEqual(expect.arrayContaining([...before]));
  });

  it('know nothing of the documented label korder.dev/role=guardian', async () => {
    await begin({ nodes: 1 });
    await world.available(1);
    const [guardian] = await world.guardians();
    expect(guardian?.metadata.labels?.[RESERVATION_LABELS.role]).toBe('guardian');
  });
});

describe('mended: Orders with replicas', () => {
  it('name Tickets by their number, which collides once a lower one is gone', async () => {
    await begin({ nodes: 3 }, { daemonSet: false, replicas: 3 });
    await world.available(3);
    const [first] = await world.tickets();
    await world.client.delete(TICKETS, { namespace, name: first?.metadata.name ?? '' });
    await world.eventually(
      async () =>
        (await world.tickets()).length === 3 && !uids(await world.tickets()).includes(first?.metadata.uid ?? ''),
    );
    await world.available(3);
  });

  it('never scale down', async () => {
    await begin({ nodes: 2 }, { daemonSet: false, replicas: 4 });
    await world.available(4);
    await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body: { spec: { replicas: 1 } } });
    await world.available(1);
    expect(await world.tickets()).toHaveLength(1);
  });
});

describe('mended: Tickets of Orders', () => {
  it('are not created again after a claim with OnClaim, because a claimed Ticket counts as active', async () => {
    await begin({ nodes: 1 });
    await world.available(1);
    const [first] = await world.tickets();
    if (first !== undefined) await claim(first);
    await world.eventually(async () => (await world.tickets()).some(({ status }) => status?.phase === 'Reserved'));
    expect((await world.tickets()).map(({ status }) => status?.phase ?? '').sort()).toEqual(['Claimed', 'Reserved']);
  });

  it('do not get the annotations of the template', async () => {
    await begin({ nodes: 1 }, { template: template({}, { annotations: { team: 'storage' }, labels: { a: 'b' } }) });
    await world.available(1);
    const [ticket] = await world.tickets();
    expect(ticket?.metadata).toMatchObject({ annotations: { team: 'storage' }, labels: { a: 'b' } });
  });

  it('are found by the name of the Order, so that another Order of that name deletes them', async () => {
    await begin({ nodes: 1 });
    await world.available(1);
    const [own] = await world.tickets();
    const { labels } = own?.metadata ?? {};
    const stray: Ticket = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'stray', namespace, labels: { ...labels, [RESERVATION_LABELS.orderUid]: 'another' } },
      spec: { duration: '1h', ...REQUESTS },
    };
    await world.client.create(TICKETS, stray);
    await world.client.delete(ORDERS, { namespace, name: 'rooms' });
    await world.clock.advance(5 * MINUTE);
    const { items } = await world.client.list(TICKETS, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['stray']);
  });

  it('are renewed in the local time zone, by a cron whose next tick is always a minute away', async () => {
    const strategy = {
      type: 'Scheduled',
      refreshPolicy: 'Never',
      schedule: '30 9 * * *',
      timeZone: 'Asia/Tokyo',
    } as const;
    // The clock begins at midnight UTC, which is nine in Tokyo: the next tick is half an hour away.
    await begin({ nodes: 1 }, { strategy });
    await world.clock.advance(29 * MINUTE);
    expect(await world.tickets()).toEqual([]);
    await world.clock.advance(2 * MINUTE);
    await world.available(1);
  });
});

describe('mended: a Ticket', () => {
  it('is Ready before its guardian runs, with an empty node that a claim takes for one', async () => {
    await begin({ nodes: 1, scheduler: false });
    await world.clock.advance(MINUTE);
    const [ticket] = await world.tickets();
    expect(ticket?.status?.phase ?? 'Pending').toBe('Pending');
    expect(ticket?.status?.nodeName).toBeUndefined();
  });

  it('ignores the start of its window', async () => {
    await begin({ nodes: 1 });
    await world.available(1);
    const startTime = formatTime(world.clock.now() + 30 * MINUTE);
    await world.client.create(TICKETS, {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'later', namespace },
      spec: { duration: '1h', startTime, ...REQUESTS },
    });
    const later = async () =>
      (await world.client.get(TICKETS, { namespace, name: 'later' })).status?.phase ?? 'Pending';
    await world.clock.advance(29 * MINUTE);
    expect(await later()).toBe('Pending');
    await world.clock.advance(2 * MINUTE);
    expect(await later()).toBe('Reserved');
  });

  it('does not expire before some other event, and never goes after its TTL', async () => {
    await begin(
      { nodes: 1 },
      {
        strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
        template: template({ duration: '10m', ttlSecondsAfterFinished: 60 }),
      },
    );
    await world.available(1);
    const [first] = await world.tickets();
    await world.clock.advance(10 * MINUTE + 2000);
    const phaseOf = async () =>
      (await world.tickets()).find(({ metadata }) => metadata.uid === first?.metadata.uid)?.status?.phase;
    expect(await phaseOf()).toBe('Expired');
    await world.clock.advance(2 * MINUTE);
    expect(await phaseOf()).toBeUndefined();
  });

  it('has a guardian of priority 0 without a security context, that anything preempts', async () => {
    await begin({ nodes: 1 });
    await world.available(1);
    const [guardian] = await world.guardians();
    expect(guardian?.spec).toMatchObject({
      priorityClassName: GUARDIAN_PRIORITY_CLASS,
      priority: 1_000_000_000,
      securityContext: { runAsNonRoot: true },
      terminationGracePeriodSeconds: 1,
    });
  });
});
