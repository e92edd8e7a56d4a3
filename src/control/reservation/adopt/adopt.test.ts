import { beforeEach, describe, expect, it } from 'vitest';
import { NODES, ORDERS, PODS, REPLICA_SETS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { pinOfTicket } from '../../../core/daemons/ticket-child.ts';
import { createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import type { ObjectMeta, OwnerReference } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf, controllerReference } from '../../../core/kube/owner-references.ts';
import { forbiddenRequest } from '../../../core/kube/status-error.ts';
import { createSeededRandom } from '../../../machinery/random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../../../machinery/testing/fake-client.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { guardianPod } from '../ticket/guardian-pod.ts';
import { type Adopted, adoptInto, type AdoptRequest } from './adopt.ts';

const NAMESPACE = 'shop';
let client: FakeClient;
let order: Stored<Order>;

beforeEach(async () => {
  client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom('adopt') });
  for (const name of ['node-1', 'node-2', 'node-3']) await client.create(NODES, node(name));
  order = await client.create(ORDERS, orderOf({ daemonSet: true }));
});

const node = (name: string, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, os: 'linux' } },
  spec,
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

const orderOf = (spec: Order['spec'], template: TicketSpec = {}): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'agents', namespace: NAMESPACE },
  spec: {
    ...spec,
    template: {
      metadata: { labels: { team: 'platform' } },
      spec: { resources: { requests: { cpu: '100m', memory: '200Mi' } }, nodeSelector: { os: 'linux' }, ...template },
    },
  },
});

interface Wish {
  readonly node?: string;
  readonly cpu?: string;
  readonly meta?: Partial<ObjectMeta>;
  readonly spec?: Partial<Pod['spec']>;
  readonly status?: Pod['status'];
}

const RUNNING: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

const placeholder = (name: string, wish: Wish = {}): Promise<Stored<Pod>> =>
  client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE, labels: { app: 'placeholder' }, ...wish.meta },
    spec: {
      nodeName: wish.node ?? 'node-1',
      priority: 1_000_000_000,
      containers: [{ name: 'pause', resources: { requests: { cpu: wish.cpu ?? '100m', memory: '1Gi' } } }],
      ...wish.spec,
    },
    status: wish.status ?? RUNNING,
  });

const owner = (kind: string, name: string, uid = `uid-of-${name}`): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid,
  controller: true,
});

const adopt = async (request: Partial<AdoptRequest> = {}): Promise<readonly Adopted[]> =>
  (
    await adoptInto(
      { client },
      { namespace: NAMESPACE, order: 'agents', kind: 'pods', selector: 'app=placeholder', dryRun: false, ...request },
    )
  ).items;

const pods = async (): Promise<readonly Stored<Pod>[]> => (await client.list(PODS)).items;
const tickets = async (): Promise<readonly Stored<Ticket>[]> => (await client.list(TICKETS)).items;
const ticketOn = async (name: string): Promise<Stored<Ticket> | undefined> =>
  (await tickets()).find((ticket) => pinOfTicket(ticket)?.value === name);
const writes = (): readonly string[] =>
  client.requests
    .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    .map(({ verb, resource }) => `${verb} ${resource}`);

describe('placeholder pods', () => {
  it('become guardians of the Tickets that the Order would make', async () => {
    const first = await placeholder('ph-1');
    await placeholder('ph-2', { node: 'node-2', meta: { annotations: { mine: 'kept' } } });
    const items = await adopt();
    const [one, two] = (await Promise.all(['node-1', 'node-2'].map(ticketOn))) as [Stored<Ticket>, Stored<Ticket>];
    expect(items).toEqual([
      { name: 'ph-1', node: 'node-1', ticket: one.metadata.name, result: 'adopted' },
      { name: 'ph-2', node: 'node-2', ticket: two.metadata.name, result: 'adopted' },
    ]);
    const nodes = (await client.list(NODES)).items;
    const wanted = createTicketMaker(order)(nodes[0]?.metadata ?? { name: '', uid: '' }, '', undefined);
    expect(one).toMatchObject({
      ...wanted,
      metadata: {
        ...wanted.metadata,
        annotations: { ...wanted.metadata.annotations, 'everynode.dev/adopted-guardian': 'ph-1' },
      },
    });
    const [pod, other] = await pods();
    expect(pod?.metadata.uid).toBe(first.metadata.uid);
    expect(pod?.spec).toEqual(first.spec);
    const guardian = guardianPod(one, '').metadata;
    expect(pod?.metadata).toMatchObject({
      labels: { app: 'placeholder', ...guardian.labels },
      annotations: { ...guardian.annotations },
      ownerReferences: guardian.ownerReferences,
    });
    expect(other?.metadata.annotations).toMatchObject({ mine: 'kept' });
    expect(writes().filter((each) => each.startsWith('delete'))).toEqual([]);
  });

  it('are adopted once: the command can be repeated', async () => {
    await placeholder('ph-1');
    const [first] = await adopt();
    const before = client.revision;
    expect(await adopt()).toEqual([{ ...first, result: 'already' }]);
    expect(client.revision).toBe(before);
  });

  it('stay as they are in a dry run', async () => {
    await placeholder('ph-1');
    const before = client.revision;
    const [item] = await adopt({ dryRun: true });
    expect(item).toMatchObject({ name: 'ph-1', node: 'node-1', result: 'would-adopt' });
    expect(client.revision).toBe(before);
    expect((await adopt())[0]?.ticket).toBe(item?.ticket);
  });

  it('are told of a priority that others can preempt, and of an end', async () => {
    await placeholder('ph-1', { spec: { priority: -10, activeDeadlineSeconds: 60 } });
    expect((await adopt())[0]?.notes).toEqual([
      expect.stringContaining('priority -10, below everynode-guardian'),
      expect.stringContaining('ends after 60 s'),
    ]);
  });

  it.each<[string, Wish, RegExp, RegExp | undefined]>([
    [
      'owned by a ReplicaSet',
      { meta: { ownerReferences: [owner('ReplicaSet', 'web-1')] } },
      /belongs to ReplicaSet web-1/,
      /kubectl delete replicaset web-1 -n shop --cascade=orphan$/,
    ],
    [
      'owned by a DaemonSet',
      { meta: { ownerReferences: [owner('DaemonSet', 'd')] } },
      /belongs to DaemonSet d/,
      /kubectl delete daemonset d -n shop --cascade=orphan$/,
    ],
    [
      'owned by another Ticket',
      { meta: { ownerReferences: [owner('Ticket', 't')] } },
      /guardian of Ticket t/,
      /--tickets/,
    ],
    ['static', { meta: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }, /static pod/, /file/],
    [
      'being deleted',
      { meta: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] } },
      /being deleted/,
      undefined,
    ],
    ['without a node', { node: '' }, /has no node/, /delete it/],
    ['ended', { status: { phase: 'Failed' } }, /has ended \(Failed\)/, /delete it/],
    ['not ready', { status: { phase: 'Running' } }, /not running and Ready/, /repeat/],
    ['too small', { cpu: '50m' }, /requests less than the template: cpu 50m of 100m$/, /lower the requests/],
    ['on a node that is gone', { node: 'node-9' }, /no node node-9/, undefined],
  ])('are refused when %s', async (_what, wish, why, fix) => {
    await placeholder('ph-1', wish);
    const before = client.revision;
    const [item] = await adopt();
    expect(item).toMatchObject({ result: 'refused', why: expect.stringMatching(why) as string });
    if (fix === undefined) expect(item?.fix).toBeUndefined();
    else expect(item?.fix).toMatch(fix);
    expect(client.revision).toBe(before);
  });

  it('name the Deployment behind a ReplicaSet, which comes first', async () => {
    const set = await client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: NAMESPACE, ownerReferences: [owner('Deployment', 'web')] },
      spec: { selector: {} },
    });
    await placeholder('ph-1', { meta: { ownerReferences: [owner('ReplicaSet', 'web-1', set.metadata.uid)] } });
    expect((await adopt())[0]).toMatchObject({
      why: 'belongs to Deployment web (ReplicaSet web-1), which would replace it',
      fix: expect.stringContaining(
        'kubectl delete deployment web -n shop --cascade=orphan && kubectl delete replicaset web-1 -n shop --cascade=orphan',
      ) as string,
    });
  });

  it('are refused on nodes that are not eligible, with the reason', async () => {
    await client.create(NODES, node('node-4', { unschedulable: true }));
    await placeholder('ph-4', { node: 'node-4' });
    expect((await adopt())[0]).toMatchObject({
      result: 'refused',
      why: expect.stringMatching(/^node node-4 is not eligible: .*unschedulable/) as string,
      fix: expect.stringContaining('uncordon') as string,
    });
  });

  it('are adopted once a node', async () => {
    await placeholder('ph-1');
    await placeholder('ph-2');
    expect((await adopt()).map(({ result }) => result)).toEqual(['adopted', 'refused']);
    expect(await tickets()).toHaveLength(1);
  });

  it('are refused where a Ticket of the Order holds room, and taken where it could not', async () => {
    const make = createTicketMaker(order);
    const nodes = (await client.list(NODES)).items;
    const [held, pending] = await Promise.all(
      nodes.slice(0, 2).map(({ metadata }) => client.create(TICKETS, make(metadata, '', undefined))),
    );
    await client.update(
      TICKETS,
      { ...(held as Ticket), status: { phase: 'Reserved', nodeName: 'node-1' } },
      { subresource: 'status' },
    );
    await placeholder('ph-1');
    await placeholder('ph-2', { node: 'node-2' });
    const items = await adopt();
    expect(items).toMatchObject([
      { result: 'refused', why: expect.stringContaining(`${held?.metadata.name} of the Order holds room`) as string },
      { result: 'adopted', ticket: pending?.metadata.name },
    ]);
    expect((await ticketOn('node-2'))?.metadata.annotations).toMatchObject({
      'everynode.dev/adopted-guardian': 'ph-2',
    });
    expect(controllerOf((await pods())[1] as Pod)?.uid).toBe(pending?.metadata.uid);
  });

  it('fill the replicas of an Order without daemonSet mode, and no more', async () => {
    await client.delete(ORDERS, { namespace: NAMESPACE, name: 'agents' });
    order = await client.create(ORDERS, orderOf({ replicas: 2 }));
    for (const name of ['ph-1', 'ph-2', 'ph-3']) await placeholder(name);
    const items = await adopt();
    expect(items.map(({ result }) => result)).toEqual(['adopted', 'adopted', 'refused']);
    expect(items[2]?.fix).toContain('kubectl scale order agents -n shop --replicas=3');
    expect((await tickets()).map(({ metadata }) => metadata.annotations?.['everynode.dev/slot'])).toEqual(['0', '1']);
  });
});

describe('an adoption, disturbed', () => {
  it('goes on where the Order controller has made the Ticket in between', async () => {
    await placeholder('ph-1');
    const make = createTicketMaker(order);
    const [first] = (await client.list(NODES)).items;
    let once = true;
    client.before = async ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'tickets' || !once) return;
      once = false;
      await client.create(TICKETS, make(first?.metadata ?? { name: '', uid: '' }, '', undefined));
    };
    expect(await adopt()).toMatchObject([{ result: 'adopted' }]);
    const [ticket, ...more] = await tickets();
    expect(more).toEqual([]);
    expect(controllerOf((await pods())[0] as Pod)?.uid).toBe(ticket?.metadata.uid);
    expect(ticket?.metadata.annotations).toMatchObject({ 'everynode.dev/adopted-guardian': 'ph-1' });
  });

  it('is content where the Ticket controller was quicker to take the pod', async () => {
    await placeholder('ph-1');
    client.after = async ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'tickets') return;
      const [ticket] = await tickets();
      const [pod] = await pods();
      await client.update(PODS, {
        ...(pod as Stored<Pod>),
        metadata: {
          ...(pod as Stored<Pod>).metadata,
          ownerReferences: [controllerReference(ticket as Stored<Ticket>)],
        },
      });
    };
    expect(await adopt()).toMatchObject([{ result: 'adopted' }]);
  });

  it('is finished by its repetition after a crash at any write', async () => {
    for (let crash = 0; crash < 3; crash += 1) {
      client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom('crash') });
      await client.create(NODES, node('node-1'));
      order = await client.create(ORDERS, orderOf({ daemonSet: true }));
      const pod = await placeholder('ph-1');
      let count = -1;
      client.before = ({ verb }) => {
        if (!['create', 'patch'].includes(verb)) return;
        count += 1;
        if (count >= crash) throw new Error('the process ended');
      };
      await expect(adopt()).rejects.toThrow('the process ended');
      client.before = undefined;
      expect(await adopt()).toMatchObject([{ result: 'adopted' }]);
      const [now] = await pods();
      expect([now?.metadata.uid, controllerOf(now as Pod)?.uid]).toEqual([
        pod.metadata.uid,
        (await tickets())[0]?.metadata.uid,
      ]);
      expect(await tickets()).toHaveLength(1);
    }
  });

  it('looks again at a pod that somebody changes, and leaves one alone that has an owner by then', async () => {
    const pod = await placeholder('ph-1');
    let changes = 2;
    client.before = async ({ verb, resource }) => {
      if (verb !== 'patch' || resource !== 'pods' || changes === 0) return;
      changes -= 1;
      const now = await client.get(PODS, { namespace: NAMESPACE, name: 'ph-1' });
      const references = changes === 0 ? { ownerReferences: [owner('ReplicaSet', 'web-1')] } : {};
      await client.update(PODS, {
        ...now,
        metadata: { ...now.metadata, labels: { ...now.metadata.labels, x: String(changes) }, ...references },
      });
    };
    expect(await adopt()).toMatchObject([{ result: 'refused', why: 'belongs to ReplicaSet web-1 by now' }]);
    const [now] = await pods();
    expect([now?.metadata.uid, now?.metadata.labels]).toEqual([pod.metadata.uid, { app: 'placeholder', x: '0' }]);
    expect(await tickets()).toEqual([]);
  });

  it('takes the labels back where the API server refuses the Ticket', async () => {
    const pod = await placeholder('ph-1');
    client.before = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'tickets') throw forbiddenRequest(TICKETS, 'x', 'exceeded quota');
    };
    expect(await adopt()).toMatchObject([
      { result: 'refused', why: expect.stringContaining('exceeded quota') as string },
    ]);
    expect((await pods())[0]?.metadata.labels).toEqual(pod.metadata.labels);
  });
});

describe('Tickets made by hand', () => {
  const byHand = (name: string, spec: TicketSpec, status: Ticket['status'], meta: Partial<ObjectMeta> = {}) =>
    client.create(TICKETS, {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name, namespace: NAMESPACE, labels: { made: 'by-hand' }, ...meta },
      spec: { resources: { requests: { cpu: '200m', memory: '200Mi' } }, ...spec },
      ...(status === undefined ? {} : { status }),
    });
  const handmade = (request: Partial<AdoptRequest> = {}) =>
    adopt({ kind: 'tickets', selector: 'made=by-hand', ...request });

  it('become Tickets of the Order, and their guardians ones that a successor can take over', async () => {
    const one = await byHand('by-hand', { nodeName: 'node-1' }, { phase: 'Reserved', nodeName: 'node-1' });
    const guardian = await client.create(PODS, guardianPod(one, ''));
    expect(await handmade({ dryRun: true })).toEqual([
      { name: 'by-hand', node: 'node-1', ticket: 'by-hand', result: 'would-adopt' },
    ]);
    expect(await handmade()).toEqual([{ name: 'by-hand', node: 'node-1', ticket: 'by-hand', result: 'adopted' }]);
    const [ticket] = await tickets();
    expect(controllerOf(ticket as Ticket)?.uid).toBe(order.metadata.uid);
    expect(ticket?.spec).toEqual(one.spec);
    expect(ticket?.metadata.labels).toMatchObject({ made: 'by-hand', team: 'platform', 'korder.dev/order': 'agents' });
    const [first] = (await client.list(NODES)).items;
    const model = createTicketMaker(order)(first?.metadata ?? { name: '', uid: '' }, '', undefined);
    expect(ticket?.metadata.labels?.['everynode.dev/template-hash']).toBe(
      model.metadata.labels?.['everynode.dev/template-hash'],
    );
    const [pod] = await pods();
    const wanted = guardianPod({ ...(ticket as Stored<Ticket>), spec: model.spec }, '').metadata.labels;
    expect(pod?.metadata.uid).toBe(guardian.metadata.uid);
    expect(pod?.metadata.labels).toMatchObject({
      'everynode.dev/guardian-hash': wanted?.['everynode.dev/guardian-hash'],
      'korder.dev/order': 'agents',
    });
    const before = client.revision;
    expect((await handmade())[0]?.result).toBe('already');
    expect(client.revision).toBe(before);
  });

  it('are refused with the reason', async () => {
    const small = { resources: { requests: { cpu: '10m' } } };
    await byHand('a-small', { nodeName: 'node-1', ...small }, { phase: 'Reserved', nodeName: 'node-1' });
    await byHand('b-over', { nodeName: 'node-1' }, { phase: 'Expired' });
    await byHand('c-nowhere', {}, { phase: 'Pending' });
    await byHand('d-other', { nodeName: 'node-1' }, undefined, { ownerReferences: [owner('Order', 'other')] });
    await byHand('e-gone', { nodeName: 'node-9' }, { phase: 'Reserved' });
    await byHand('f-first', { nodeName: 'node-2' }, { phase: 'Reserved', nodeName: 'node-2' });
    await byHand('g-second', { nodeName: 'node-2' }, { phase: 'Reserved', nodeName: 'node-2' });
    expect((await handmade()).map(({ name, result, why }) => [name, result, why])).toEqual([
      ['a-small', 'refused', 'reserves less than the template: cpu 10m of 100m, memory 0 of 200Mi'],
      ['b-over', 'refused', 'is Expired and holds no room'],
      ['c-nowhere', 'refused', 'is pinned to no node and holds no room yet'],
      ['d-other', 'refused', 'belongs to Order other'],
      ['e-gone', 'refused', 'there is no node node-9'],
      ['f-first', 'adopted', undefined],
      ['g-second', 'refused', 'node node-2 gets its Ticket from another one that was selected'],
    ]);
  });

  it('get a replica of an Order without daemonSet mode', async () => {
    await client.delete(ORDERS, { namespace: NAMESPACE, name: 'agents' });
    order = await client.create(ORDERS, orderOf({ replicas: 1 }));
    await byHand('by-hand', {}, { phase: 'Reserved', nodeName: 'node-3' });
    expect(await handmade()).toMatchObject([{ result: 'adopted', node: 'node-3' }]);
    expect((await tickets())[0]?.metadata.annotations).toMatchObject({ 'everynode.dev/slot': '0' });
  });
});
