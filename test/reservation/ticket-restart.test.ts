/** The controller ends after any of its writes, with or without having heard the answer, and another goes on. */
import { afterEach, describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS } from '../../src/core/api/names.ts';
import { ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import { isAlive, isHolding } from '../../src/control/reservation/ticket/guardian-state.ts';
import type { VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { type Accident, withAccident } from './support/accident.ts';
import { createTicketWorld, madeBy, namespace, order, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

/** Plays the whole life of two Tickets; the rest is up to the controller. */
async function play(): Promise<void> {
  const owner = await world.client.create(ORDERS, order());
  const spec = { duration: '1m', ttlSecondsAfterFinished: 5 };
  await world.client.create(TICKETS, ticket(spec, { name: 'one', ...madeBy(owner) }));
  await world.eventually(async () => (await world.phase('one')) === 'Reserved');
  const [lost] = await world.guardians();
  await world.client.delete(PODS, { namespace, name: lost?.metadata.name ?? '' });
  await world.eventually(async () => {
    const [next] = (await world.guardians()).filter(isHolding);
    return next !== undefined && next.metadata.uid !== lost?.metadata.uid && (await world.phase('one')) === 'Reserved';
  });
  await world.eventually(async () => (await world.phase('one')) === 'Expired');
  const annotations = { [RESERVATION_ANNOTATIONS.predecessor]: (await world.ticket('one')).metadata.uid };
  await world.client.create(TICKETS, ticket(spec, { name: 'two', annotations, ...madeBy(owner) }));
  await world.eventually(async () => (await world.phase('two')) === 'Reserved');
  await world.eventually(async () => (await world.tickets()).length === 1);
  expect((await world.guardians()).filter(isAlive)).toHaveLength(1);
  const body = { spec: { paused: true } };
  await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body });
  await world.eventually(async () => (await world.tickets()).length === 0);
  await world.eventually(async () => (await world.guardians()).length === 0, 10_000);
}

/** Never two guardians of one Ticket that are alive, at any revision. */
async function watchForTwins(clock: VirtualClock, signal: AbortSignal): Promise<void> {
  const alive = new Map<string, Set<string>>();
  for await (const batch of world.direct.watch(PODS, { namespace, signal }))
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue;
      const { uid, ownerReferences = [] } = event.object.metadata;
      for (const pods of alive.values()) pods.delete(uid);
      const owner = ownerReferences[0]?.uid;
      if (owner === undefined || event.type === 'DELETED' || !isAlive(event.object)) continue;
      const pods = alive.get(owner) ?? new Set();
      alive.set(owner, pods.add(uid));
      if (pods.size > 1) throw new Error(`two guardians of ${owner} at ${clock.monotonic()}`);
    }
}

async function playWith(accident: Accident): Promise<void> {
  const restarts: (() => void)[] = [];
  world = await createTicketWorld({
    nodes: 1,
    controller: false,
    through: withAccident(accident, () => restarts.forEach((restart) => restart())),
  });
  restarts.push(() => void world.clock.after(500, () => world.startController({}, false)));
  world.startController({}, false);
  const stopping = new AbortController();
  let twins: unknown;
  void watchForTwins(world.clock, stopping.signal).catch((error: unknown) => (twins = error));
  await play();
  stopping.abort();
  if (twins instanceof Error && twins.name !== 'AbortError') throw twins;
}

/** More than a whole life takes without accident. */
const WRITES = 14;

describe.each(['ends', 'lost', 'refused'] as const)('a controller whose write %s', (sort) => {
  it.each(Array.from({ length: WRITES }, (_, at) => at))('at write %i', async (at) => {
    await playWith({ at, sort });
  });
});
