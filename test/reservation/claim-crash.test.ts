/** The Ticket controller, or the scheduler of claimants, ends after any of its writes in a handover, and another goes on. */
import { afterEach, describe, expect, it } from 'vitest';
import { createClaimScheduler } from '../../src/assembly/catalogue/claim-scheduler.ts';
import { createScheduler } from '../../src/control/scheduler/scheduler.ts';
import { CLAIM_ANNOTATIONS, CLAIM_SCHEDULER } from '../../src/core/api/names.ts';
import { PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { type Accident, withAccident } from './support/accident.ts';
import { SlotStream } from './support/slot-stream.ts';
import { createTicketWorld, namespace, pod, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const containers = [{ name: 'main', image: 'example.test/web:1', resources: { requests: { cpu: '800m' } } }];
const claim = { [CLAIM_ANNOTATIONS.ticketRequest]: 'room', [CLAIM_ANNOTATIONS.claim]: 'Required' };

async function begin(accident: Accident, of: 'controller' | 'scheduler'): Promise<void> {
  const restarts: (() => void)[] = [];
  const through = withAccident(accident, () => restarts.forEach((restart) => restart()));
  world = await createTicketWorld({
    nodes: [{ name: 'node', count: 1, allocatable: { cpu: '1', memory: '64Gi', pods: '110' } }],
    scheduler: false,
    controller: false,
    more: (around) => [createScheduler(around)],
  });
  const startController = (): void =>
    void world.startController(of === 'controller' ? { client: through(world.direct) } : {}, of !== 'controller');
  const startScheduler = (): void => {
    const client = of === 'scheduler' ? through(world.direct) : world.direct;
    const { clock } = world;
    const random = createSeededRandom(3);
    const informers = createInformers(client, { clock, random });
    const scheduler = createClaimScheduler({ client, informers, clock, random, schedulerName: CLAIM_SCHEDULER });
    void informers.start(new AbortController().signal);
    void scheduler.start(new AbortController().signal);
  };
  startController();
  startScheduler();
  restarts.push(() => void world.clock.after(500, of === 'controller' ? startController : startScheduler));
}

async function rival(name: string): Promise<void> {
  await world.client.create(PODS, pod(name, { containers }));
}

const claimant = (): Promise<Stored<Pod>> => world.client.get(PODS, { namespace, name: 'claimant' });

async function play(): Promise<void> {
  await world.client.create(TICKETS, ticket({ resources: { requests: { cpu: '800m' } } }));
  await world.eventually(async () => (await world.phase()) === 'Reserved');
  const stream = new SlotStream(world.direct, 'node-0');
  await rival('standing');
  const made = pod('claimant', { containers, schedulerName: CLAIM_SCHEDULER });
  await world.client.create(PODS, { ...made, metadata: { ...made.metadata, annotations: claim } });
  for (let i = 0; i < 10; i += 1) {
    await rival(`rival-${i}`);
    await world.clock.advance(200);
  }
  await world.eventually(async () => (await world.phase()) === 'Claimed');
  await world.eventually(async () => (await claimant()).status?.phase === 'Running');
  await world.clock.advance(10_000);
  const { items } = await world.client.list(PODS, { namespace });
  expect(items.filter(({ spec }) => spec.nodeName).map(({ metadata }) => metadata.name)).toEqual(['claimant']);
  expect(stream.uncovered('800m')).toEqual([]);
}

/** More writes than a Ticket takes from its creation to its claimant. */
const WRITES = 12;

describe.each(['ends', 'lost', 'refused'] as const)('a Ticket controller whose write %s', (sort) => {
  it.each(Array.from({ length: WRITES }, (_, at) => at))('at write %i', async (at) => {
    await begin({ at, sort }, 'controller');
    await play();
  });
});

describe.each(['ends', 'lost', 'refused'] as const)('a scheduler of claimants whose write %s', (sort) => {
  it.each([0, 1, 2])('at write %i', async (at) => {
    await begin({ at, sort }, 'scheduler');
    await play();
  });
});
