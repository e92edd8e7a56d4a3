import { beforeEach, describe, expect, it } from 'vitest';
import { PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf, controllerReference } from '../../../core/kube/owner-references.ts';
import { forbiddenRequest } from '../../../core/kube/status-error.ts';
import { type AdoptWorld, createAdoptWorld, NAMESPACE, owner } from './testing/adopt-world.ts';

let world: AdoptWorld;

beforeEach(async () => {
  world = await createAdoptWorld();
});

describe('an adoption, disturbed', () => {
  it('goes on where the Order controller has made the Ticket in between', async () => {
    await world.placeholder('ph-1');
    const make = createTicketMaker(world.order);
    const [first] = world.nodes;
    let once = true;
    world.client.before = async ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'tickets' || !once) return;
      once = false;
      await world.client.create(TICKETS, make(first?.metadata ?? { name: '', uid: '' }, '', undefined));
    };
    expect(await world.adopt()).toMatchObject([{ result: 'adopted' }]);
    const [ticket, ...more] = await world.tickets();
    expect(more).toEqual([]);
    expect(controllerOf((await world.pods())[0] as Pod)?.uid).toBe(ticket?.metadata.uid);
    expect(ticket?.metadata.annotations).toMatchObject({ 'everynode.dev/adopted-guardian': 'ph-1' });
  });

  it('is content where the Ticket controller was quicker to take the pod', async () => {
    await world.placeholder('ph-1');
    world.client.after = async ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'tickets') return;
      const [ticket] = await world.tickets();
      const [pod] = await world.pods();
      await world.client.update(PODS, {
        ...(pod as Stored<Pod>),
        metadata: {
          ...(pod as Stored<Pod>).metadata,
          ownerReferences: [controllerReference(ticket as Stored<Ticket>)],
        },
      });
    };
    expect(await world.adopt()).toMatchObject([{ result: 'adopted' }]);
  });

  it('is finished by its repetition after a crash at any write', async () => {
    for (let crash = 0; crash < 3; crash += 1) {
      world = await createAdoptWorld();
      const pod = await world.placeholder('ph-1');
      let count = -1;
      world.client.before = ({ verb }) => {
        if (!['create', 'patch'].includes(verb)) return;
        count += 1;
        if (count >= crash) throw new Error('the process ended');
      };
      await expect(world.adopt()).rejects.toThrow('the process ended');
      world.client.before = undefined;
      expect(await world.adopt()).toMatchObject([{ result: 'adopted' }]);
      const [now] = await world.pods();
      expect([now?.metadata.uid, controllerOf(now as Pod)?.uid]).toEqual([
        pod.metadata.uid,
        (await world.tickets())[0]?.metadata.uid,
      ]);
      expect(await world.tickets()).toHaveLength(1);
    }
  });

  it('looks again at a pod that somebody changes, and leaves one alone that has an owner by then', async () => {
    const pod = await world.placeholder('ph-1');
    let changes = 2;
    world.client.before = async ({ verb, resource }) => {
      if (verb !== 'patch' || resource !== 'pods' || changes === 0) return;
      changes -= 1;
      const now = await world.client.get(PODS, { namespace: NAMESPACE, name: 'ph-1' });
      const references = changes === 0 ? { ownerReferences: [owner('ReplicaSet', 'web-1')] } : {};
      await world.client.update(PODS, {
        ...now,
        metadata: { ...now.metadata, labels: { ...now.metadata.labels, x: String(changes) }, ...references },
      });
    };
    expect(await world.adopt()).toMatchObject([{ result: 'refused', why: 'belongs to ReplicaSet web-1 by now' }]);
    const [now] = await world.pods();
    expect([now?.metadata.uid, now?.metadata.labels]).toEqual([pod.metadata.uid, { app: 'placeholder', x: '0' }]);
    expect(await world.tickets()).toEqual([]);
  });

  it('takes the labels back where the API server refuses the Ticket', async () => {
    const pod = await world.placeholder('ph-1');
    world.client.before = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'tickets') throw forbiddenRequest(TICKETS, 'x', 'exceeded quota');
    };
    expect(await world.adopt()).toMatchObject([
      { result: 'refused', why: expect.stringContaining('exceeded quota') as string },
    ]);
    expect((await world.pods())[0]?.metadata.labels).toEqual(pod.metadata.labels);
  });
});
