import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TICKET_PHASES } from '../api/names.ts';
import type { Node } from '../api/types/core-v1.ts';
import { desired } from './desired.ts';
import { createEngine } from './engine.ts';
import type { Engine } from './engine-types.ts';
import type { OrderDefinition } from './order-definition.ts';
import {
  anyDefinition,
  anyOrderNodeWish,
  anyTicketWish,
  makeDefinition,
  makeTicket,
  readyNode,
  SECOND,
  type TicketWish,
} from './testing/ticket-samples.ts';
import type { NodeWish } from './testing/samples.ts';
import { type DaemonTicket, FINISHED, isTerminating, ticketChild } from './ticket-child.ts';
import { isFinished, isHanded, nodeUidOf } from './ticket-phase.ts';
import {
  AVAILABLE,
  CLAIMED,
  DENIED,
  ENDED,
  EXTEND,
  GRACE,
  GRACE_UNMARKED,
  MARKED_WRONGLY,
  MISSING,
  OUTDATED,
  OUTDATED_HELD,
  NO_ROOM,
  RENEW,
  RESERVED,
  SPENT,
  SURPLUS,
  TERMINAL,
  TICK,
  ticketRules,
  UPDATED,
  WANTED,
  WORK,
} from './ticket-rules.ts';
import { manageTickets } from './ticket-work.ts';
import { NODE_KNOWN, SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';

const RULES = ticketRules();
const NODES = ['n0', 'n1'];
const UIDS = ['t0', 't1', 't2', 't3'];

type Step =
  | { readonly do: 'node'; readonly name: string; readonly uid: string; readonly wish: NodeWish }
  | { readonly do: 'node-gone'; readonly name: string }
  | { readonly do: 'order'; readonly definition: OrderDefinition }
  | { readonly do: 'ticket'; readonly uid: string; readonly node: string; readonly wish: TicketWish }
  | { readonly do: 'ticket-gone'; readonly uid: string }
  | { readonly do: 'time'; readonly by: number };

const name = fc.constantFrom(...NODES);
const uid = fc.constantFrom(...UIDS);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('node' as const),
      name,
      uid: fc.constantFrom('node-a', 'node-a', 'node-b'),
      wish: anyOrderNodeWish,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('node-gone' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('order' as const), definition: anyDefinition }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ticket' as const), uid, node: name, wish: anyTicketWish }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ticket-gone' as const), uid }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('time' as const), by: fc.integer({ min: 0, max: 15_000 }) }) },
);

function createModel() {
  const nodes = new Map<string, Node>();
  const tickets = new Map<string, DaemonTicket>();
  const state = { now: 0, version: 0, definition: makeDefinition() };
  return {
    nodes,
    tickets,
    state,
    run(engine: Engine<DaemonTicket, OrderDefinition>, step: Step): void {
      switch (step.do) {
        case 'node': {
          const node = readyNode(step.name, step.wish, step.uid);
          nodes.set(step.name, node);
          engine.apply({ type: 'node', node });
          return;
        }
        case 'node-gone':
          nodes.delete(step.name);
          engine.apply({ type: 'node-gone', name: step.name });
          return;
        case 'order':
          state.definition = step.definition;
          engine.apply({ type: 'daemon', daemon: step.definition });
          return;
        case 'ticket': {
          const id = `order/${step.uid}`;
          const old = tickets.get(id);
          const child = makeTicket({ ...step.wish, uid: id, node: step.node, version: (state.version += 1) });
          tickets.set(id, child);
          engine.apply({ type: 'child', daemon: 'order', child, old });
          return;
        }
        case 'ticket-gone': {
          const child = tickets.get(`order/${step.uid}`);
          if (child === undefined) return;
          tickets.delete(child.metadata.uid);
          engine.apply({ type: 'child-gone', daemon: 'order', child });
          return;
        }
        case 'time':
          state.now += step.by;
          engine.apply({ type: 'time', now: state.now });
      }
    },
  };
}

const BITS = Array.from({ length: 31 }, (_, i) => 1 << i);
const LISTED = BITS.filter((bit) => (RULES.listed & bit) !== 0);

function compare(engine: Engine<DaemonTicket, OrderDefinition>, model: ReturnType<typeof createModel>): void {
  const { definition, now } = model.state;
  const all = [...desired(RULES, model.nodes.values(), definition, model.tickets.values(), now).values()];
  const view = engine.daemon('order');
  if (view === undefined) throw new Error('the Order is not known');
  const placeOf = (nodeName: string): number => engine.placeOf(nodeName) ?? -1;
  const having = (bit: number): readonly string[] =>
    all.filter(({ judgement }) => (judgement & bit) !== 0).map((each) => each.name);
  const told = {
    nodes: all.map((each) => {
      const place = placeOf(each.name);
      return [view.judgement(place), view.verdict(place), view.children(place).map(({ metadata }) => metadata.uid)];
    }),
    counts: BITS.map((bit) => view.count(bit)),
    lists: LISTED.map((bit) => [...view.listed(bit)].map((place) => engine.nodeName(place)).toSorted()),
    finished: view.ofRevision(FINISHED),
  };
  const right = {
    nodes: all.map((each) => [each.judgement, each.verdict, each.children.map(({ metadata }) => metadata.uid)]),
    counts: BITS.map((bit) => having(bit).length),
    lists: LISTED.map((bit) => having(bit).toSorted()),
    finished: [...model.tickets.values()].filter(isFinished).length,
  };
  if (JSON.stringify(told) !== JSON.stringify(right)) expect(told).toEqual(right);
}

/** What must hold of the work of any place, whatever led there. */
function checkWork(engine: Engine<DaemonTicket, OrderDefinition>, model: ReturnType<typeof createModel>): void {
  const view = engine.daemon('order');
  for (const nodeName of NODES) {
    const place = engine.placeOf(nodeName);
    if (view === undefined || place === undefined) continue;
    const [bits, verdict, node, tickets] = [
      view.judgement(place),
      view.verdict(place),
      engine.node(place),
      view.children(place),
    ];
    const work = manageTickets(view.definition, verdict, node, tickets, model.state.now);
    const { create, remove, mark, extend } = work;
    const isIdle = create === undefined && remove.length + mark.length + extend.length === 0;
    const isGone = (ticket: DaemonTicket): boolean =>
      node === undefined || (nodeUidOf(ticket) !== '' && nodeUidOf(ticket) !== node.metadata.uid);
    const going = new Set(remove.map(({ ticket }) => ticket));
    // As one list: assertions by the thousand cost more than what they look at.
    const wrong = {
      work: ((bits & WORK) === 0) !== isIdle,
      missing: ((bits & MISSING) === 0) !== (create === undefined),
      surplus: ((bits & SURPLUS) === 0) !== (remove.length === 0),
      wanted: ((bits & WANTED) === 0) !== ((verdict & SHOULD_RUN) === 0),
      createdWhereNotEligible: create !== undefined && (verdict & SHOULD_RUN) === 0,
      deletedTwice: going.size !== remove.length || remove.some(({ ticket }) => isTerminating(ticket)),
      deletedWhileGivenToPod: remove.some(({ ticket }) => isHanded(ticket) && !isGone(ticket)),
      deletedBeforeTakenOver: remove.some(({ ticket }) => ticket.metadata.uid === create?.takesOver),
      markedAndDeleted: mark.some(({ ticket }) => going.has(ticket)),
    };
    const found = Object.entries(wrong).filter(([, isWrong]) => isWrong);
    if (found.length > 0) expect({ found, tickets, verdict, work }).toEqual({});
  }
}

describe('the rules of Orders', () => {
  it('are held by the engine after any sequence of events as judging everything anew would give', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 30, maxLength: 100 }), (steps) => {
        const engine = createEngine(RULES);
        const model = createModel();
        engine.apply({ type: 'daemon', daemon: model.state.definition });
        for (const step of steps) {
          model.run(engine, step);
          compare(engine, model);
          checkWork(engine, model);
        }
      }),
      { numRuns: Number(process.env['FC_RUNS'] ?? 100) },
    );
  });

  it('judge a Ticket that is alone as one beside a Ticket that ended long ago', () => {
    const verdict = SHOULD_RUN | SHOULD_CONTINUE | NODE_KNOWN;
    const node = readyNode('n0', {}, 'node-a');
    const isLive = (phase: string | undefined): boolean =>
      phase === TICKET_PHASES.pending || phase === TICKET_PHASES.reserved;
    fc.assert(
      fc.property(anyDefinition, anyTicketWish, (definition, wish) => {
        fc.pre(isLive(wish.phase) && wish.nodeUid !== 'node-b' && wish.isDeleting !== true);
        const ticket = makeTicket(wish);
        const ended = makeTicket({ uid: 'ended', phase: TICKET_PHASES.expired, hash: 'older' });
        const alone = RULES.judge(definition, verdict, node, [ticket], 30 * SECOND);
        expect(RULES.judge(definition, verdict, node, [ticket, ended], 30 * SECOND)).toBe(alone | TERMINAL);
      }),
    );
  });

  const READY = SHOULD_RUN | SHOULD_CONTINUE | NODE_KNOWN;
  const judge = (definition: Partial<OrderDefinition>, ...wishes: readonly TicketWish[]): number => {
    const { compare: better } = ticketChild();
    const tickets = wishes.map((wish, index) => makeTicket({ uid: `t${index}`, ...wish })).toSorted(better);
    return RULES.judge(makeDefinition(definition), READY, readyNode('n0'), tickets, 60 * SECOND);
  };
  const has = (bits: number, ...wanted: readonly number[]): void => {
    const all = [WANTED, MISSING, SURPLUS, RESERVED, AVAILABLE, UPDATED, OUTDATED, CLAIMED, TERMINAL, GRACE];
    const more = [
      EXTEND,
      GRACE_UNMARKED,
      MARKED_WRONGLY,
      RENEW,
      OUTDATED_HELD,
      SPENT,
      TICK,
      WORK,
      ENDED,
      NO_ROOM,
      DENIED,
    ];
    const names = [...all, ...more].filter((bit) => (bits & bit) !== 0);
    expect(names).toEqual([...all, ...more].filter((bit) => wanted.includes(bit)));
  };

  it('count an empty node as missing, and as nothing while the schedule waits', () => {
    has(judge({}), WANTED, MISSING, SPENT, WORK);
    has(judge({ strategy: 'Scheduled' }), WANTED);
    has(judge({ strategy: 'Scheduled', tick: 50 * SECOND }), WANTED, MISSING, SPENT, WORK, TICK);
  });
  it('count a Pending Ticket as updated and not available, a refused one as such', () => {
    has(judge({}, {}), WANTED, UPDATED, SPENT);
    has(judge({}, { reason: 'Unschedulable' }), WANTED, UPDATED, SPENT, NO_ROOM);
    has(judge({}, { reason: 'GuardianCreateFailed' }), WANTED, UPDATED, SPENT, DENIED);
    has(judge({}, { reason: 'GuardianTooSmall' }), WANTED, UPDATED, SPENT, DENIED);
    has(judge({}, { reason: 'ClaimFailed' }), WANTED, UPDATED, SPENT);
    has(judge({}, { reason: 'GuardianLost' }), WANTED, UPDATED, SPENT);
  });
  it('count a Reserved Ticket as available after minReadySeconds', () => {
    has(judge({}, { phase: 'Reserved', at: 30 * SECOND }), WANTED, UPDATED, RESERVED, AVAILABLE);
    has(judge({ minReadySeconds: 31 }, { phase: 'Reserved', at: 30 * SECOND }), WANTED, UPDATED, RESERVED, SPENT);
    has(judge({ minReadySeconds: 30 }, { phase: 'Reserved', at: 30 * SECOND }), WANTED, UPDATED, RESERVED, AVAILABLE);
  });
  it('count a claimed Ticket neither as available nor as missing where none follows', () => {
    has(judge({ refresh: 'Always' }, { phase: 'Claimed' }), WANTED, UPDATED, CLAIMED);
    has(judge({ refresh: 'Always' }, { phase: 'Claiming' }), WANTED, UPDATED, CLAIMED);
  });
  it('count a Ticket that the tick extends', () => {
    const recurring = { strategy: 'Recurring', refresh: 'Always', tick: 50 * SECOND } as const;
    has(judge(recurring, { phase: 'Reserved' }), WANTED, UPDATED, RESERVED, AVAILABLE, EXTEND, TICK, WORK);
  });
  it('count what has ended for good', () => {
    has(judge({ refresh: 'Never' }, { phase: 'Expired' }), WANTED, TERMINAL, ENDED);
  });
  it('count no room as free while an expired Ticket holds it for its successor', () => {
    has(judge({}, { phase: 'Expired', hasGuardian: true }), WANTED, TERMINAL, MISSING, RENEW, WORK);
  });
});
