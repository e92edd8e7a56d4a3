import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from './engine.ts';
import { createRolloutOrder } from './rollout-order.ts';
import { makeDefinition, makeTicket, readyNode, type TicketWish } from './testing/ticket-samples.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { planReplacements } from './ticket-rollout.ts';
import { OUTDATED, SPENT, ticketRules, WORK } from './ticket-rules.ts';
import { manageTickets } from './ticket-work.ts';

const OUTDATED_TICKET: TicketWish = { phase: 'Reserved', hash: 'old', isOtherSize: true };

/** Nodes with a Ticket each, and a controller that does what it is told; new Tickets are Reserved when `reserve` is called. */
function createHouse(wishes: readonly TicketWish[], maxUnavailable: number) {
  const engine = createEngine(ticketRules());
  const definition = makeDefinition();
  engine.apply({ type: 'daemon', daemon: definition });
  let version = 10;
  let least = wishes.length;
  const held = new Map<string, DaemonTicket>();
  const put = (ticket: DaemonTicket): void => {
    held.set(ticket.metadata.uid, ticket);
    engine.apply({ type: 'child', daemon: 'order', child: ticket });
  };
  const remove = (ticket: DaemonTicket): void => {
    held.delete(ticket.metadata.uid);
    engine.apply({ type: 'child-gone', daemon: 'order', child: ticket });
  };
  wishes.forEach((wish, index) => {
    engine.apply({ type: 'node', node: readyNode(`n${index}`) });
    put(makeTicket({ ...wish, uid: `t${index}`, node: `n${index}` }));
  });
  const order = createRolloutOrder(engine);
  const view = engine.daemon('order');
  if (view === undefined) throw new Error('the Order is not known');
  const reservedCount = (): number => [...held.values()].filter(({ status }) => status?.phase === 'Reserved').length;
  return {
    view,
    least: () => least,
    deleted: [] as string[],
    step(): readonly string[] {
      const chosen = planReplacements(engine, view, maxUnavailable, order, 0);
      for (const ticket of chosen) remove(ticket);
      for (const place of [...view.listed(WORK)]) {
        const { create, remove: gone } = manageTickets(
          definition,
          view.verdict(place),
          engine.node(place),
          view.children(place),
          0,
        );
        for (const { ticket } of gone) remove(ticket);
        if (create !== undefined)
          put(makeTicket({ uid: `new${(version += 1)}`, node: engine.nodeName(place), version }));
      }
      least = Math.min(least, reservedCount());
      return chosen.map(({ metadata }) => metadata.uid);
    },
    reserve(): void {
      for (const ticket of held.values()) {
        const { uid } = ticket.metadata;
        if (ticket.status?.phase !== 'Pending' || !uid.startsWith('new')) continue;
        const node = ticket.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
        const name = node?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0] ?? '';
        put(makeTicket({ uid, node: name, phase: 'Reserved', version: (version += 1) }));
      }
    },
  };
}

describe('a changed template whose guardians must change', () => {
  it('replaces Tickets node by node, in order, one at a time', () => {
    const house = createHouse([OUTDATED_TICKET, OUTDATED_TICKET, OUTDATED_TICKET], 1);
    expect(house.step()).toEqual(['t0']);
    expect(house.step()).toEqual([]);
    house.reserve();
    expect(house.step()).toEqual(['t1']);
    house.reserve();
    expect(house.step()).toEqual(['t2']);
    house.reserve();
    expect(house.step()).toEqual([]);
    expect(house.view.count(OUTDATED)).toBe(0);
  });

  it('stops where nodes are without room already', () => {
    const house = createHouse([OUTDATED_TICKET, { phase: 'Pending', reason: 'Unschedulable' }], 1);
    expect(house.step()).toEqual([]);
    expect(house.view.count(SPENT)).toBe(1);
  });

  it('leaves claimed Tickets alone', () => {
    const house = createHouse([{ ...OUTDATED_TICKET, phase: 'Claimed' }, OUTDATED_TICKET], 5);
    expect(house.step()).toEqual(['t1']);
  });

  it('never frees more room at a time than it may, and comes to an end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 4 }), (count, maxUnavailable) => {
        const house = createHouse(
          Array.from({ length: count }, () => OUTDATED_TICKET),
          maxUnavailable,
        );
        for (let round = 0; round < count + 1; round += 1) {
          house.step();
          house.reserve();
        }
        expect(house.least()).toBeGreaterThanOrEqual(count - Math.max(1, maxUnavailable));
        expect(house.view.count(OUTDATED)).toBe(0);
      }),
    );
  });
});
