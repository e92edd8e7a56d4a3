import { beforeEach, describe, expect, it } from 'vitest';
import { NODES, REPLICA_SETS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { guardianPod } from '../ticket/guardian-pod.ts';
import { type AdoptWorld, createAdoptWorld, NAMESPACE, node, owner, type PodWish } from './testing/adopt-world.ts';

let world: AdoptWorld;

beforeEach(async () => {
  world = await createAdoptWorld();
});

describe('placeholder pods', () => {
  it('become guardians of the Tickets that the Order would make', async () => {
    const first = await world.placeholder('ph-1');
    await world.placeholder('ph-2', { node: 'node-2', meta: { annotations: { mine: 'kept' } } });
    const items = await world.adopt();
    const [one, two] = (await Promise.all(['node-1', 'node-2'].map(world.ticketOn))) as [
      Stored<Ticket>,
      Stored<Ticket>,
    ];
    expect(items).toEqual([
      { name: 'ph-1', node: 'node-1', ticket: one.metadata.name, result: 'adopted' },
      { name: 'ph-2', node: 'node-2', ticket: two.metadata.name, result: 'adopted' },
    ]);
    const nodes = world.nodes;
    const wanted = createTicketMaker(world.order)(nodes[0]?.metadata ?? { name: '', uid: '' }, '', undefined);
    expect(one).toMatchObject({
      ...wanted,
      metadata: {
        ...wanted.metadata,
        annotations: { ...wanted.metadata.annotations, 'everynode.dev/adopted-guardian': 'ph-1' },
      },
    });
    const [pod, other] = await world.pods();
    expect(pod?.metadata.uid).toBe(first.metadata.uid);
    expect(pod?.spec).toEqual(first.spec);
    const guardian = guardianPod(one, '').metadata;
    expect(pod?.metadata).toMatchObject({
      labels: { app: 'placeholder', ...guardian.labels },
      annotations: { ...guardian.annotations },
      ownerReferences: guardian.ownerReferences,
    });
    expect(other?.metadata.annotations).toMatchObject({ mine: 'kept' });
    expect(world.client.requests.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });

  it('are adopted once: the command can be repeated', async () => {
    await world.placeholder('ph-1');
    const [first] = await world.adopt();
    const before = world.client.revision;
    expect(await world.adopt()).toEqual([{ ...first, result: 'already' }]);
    expect(world.client.revision).toBe(before);
  });

  it('stay as they are in a dry run', async () => {
    await world.placeholder('ph-1');
    const before = world.client.revision;
    const [item] = await world.adopt({ dryRun: true });
    expect(item).toMatchObject({ name: 'ph-1', node: 'node-1', result: 'would-adopt' });
    expect(world.client.revision).toBe(before);
    expect((await world.adopt())[0]?.ticket).toBe(item?.ticket);
  });

  it('are told of a priority that others can preempt, and of an end', async () => {
    await world.placeholder('ph-1', { spec: { priority: -10, activeDeadlineSeconds: 60 } });
    expect((await world.adopt())[0]?.notes).toEqual([
      expect.stringContaining('priority -10, below everynode-guardian'),
      expect.stringContaining('ends after 60 s'),
    ]);
  });

  it.each<[string, PodWish, RegExp, RegExp | undefined]>([
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
    await world.placeholder('ph-1', wish);
    const before = world.client.revision;
    const [item] = await world.adopt();
    expect(item).toMatchObject({ result: 'refused', why: expect.stringMatching(why) as string });
    if (fix === undefined) expect(item?.fix).toBeUndefined();
    else expect(item?.fix).toMatch(fix);
    expect(world.client.revision).toBe(before);
  });

  it('name the Deployment behind a ReplicaSet, which comes first', async () => {
    const set = await world.client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: NAMESPACE, ownerReferences: [owner('Deployment', 'web')] },
      spec: { selector: {} },
    });
    await world.placeholder('ph-1', { meta: { ownerReferences: [owner('ReplicaSet', 'web-1', set.metadata.uid)] } });
    expect((await world.adopt())[0]).toMatchObject({
      why: 'belongs to Deployment web (ReplicaSet web-1), which would replace it',
      fix: expect.stringContaining(
        'kubectl delete deployment web -n shop --cascade=orphan && kubectl delete replicaset web-1 -n shop --cascade=orphan',
      ) as string,
    });
  });

  it('are refused on nodes that are not eligible, with the reason', async () => {
    await world.client.create(NODES, node('node-4', { unschedulable: true }));
    await world.placeholder('ph-4', { node: 'node-4' });
    expect((await world.adopt())[0]).toMatchObject({
      result: 'refused',
      why: expect.stringMatching(/^node node-4 is not eligible: .*unschedulable/) as string,
      fix: expect.stringContaining('uncordon') as string,
    });
  });

  it('are adopted once a node', async () => {
    await world.placeholder('ph-1');
    await world.placeholder('ph-2');
    expect((await world.adopt()).map(({ result }) => result)).toEqual(['adopted', 'refused']);
    expect(await world.tickets()).toHaveLength(1);
  });

  it('are refused where a Ticket of the Order holds room, and taken where it could not', async () => {
    const make = createTicketMaker(world.order);
    const nodes = world.nodes;
    const [held, pending] = await Promise.all(
      nodes.slice(0, 2).map(({ metadata }) => world.client.create(TICKETS, make(metadata, '', undefined))),
    );
    await world.client.update(
      TICKETS,
      { ...(held as Ticket), status: { phase: 'Reserved', nodeName: 'node-1' } },
      { subresource: 'status' },
    );
    await world.placeholder('ph-1');
    await world.placeholder('ph-2', { node: 'node-2' });
    const items = await world.adopt();
    expect(items).toMatchObject([
      { result: 'refused', why: expect.stringContaining(`${held?.metadata.name} of the Order holds room`) as string },
      { result: 'adopted', ticket: pending?.metadata.name },
    ]);
    expect((await world.ticketOn('node-2'))?.metadata.annotations).toMatchObject({
      'everynode.dev/adopted-guardian': 'ph-2',
    });
    expect(controllerOf((await world.pods())[1] as Pod)?.uid).toBe(pending?.metadata.uid);
  });

  it('fill the replicas of an Order without daemonSet mode, and no more', async () => {
    world = await createAdoptWorld({ replicas: 2 });
    for (const name of ['ph-1', 'ph-2', 'ph-3']) await world.placeholder(name);
    const items = await world.adopt();
    expect(items.map(({ result }) => result)).toEqual(['adopted', 'adopted', 'refused']);
    expect(items[2]?.fix).toContain('kubectl scale order agents -n shop --replicas=3');
    const slots = (await world.tickets()).map(({ metadata }) => metadata.annotations?.['everynode.dev/slot'] ?? '');
    expect(slots.toSorted()).toEqual(['0', '1']);
  });
});
