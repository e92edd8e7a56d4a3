import { describe, expect, it } from 'vitest';
import { TICKET_CONDITIONS } from '../api/names.ts';
import type { Node } from '../api/types/core-v1.ts';
import { findCondition } from '../kube/conditions.ts';
import { formatTime } from '../kube/time.ts';
import { createEngine } from './engine.ts';
import type { PlacementSpec } from './node-anchors.ts';
import type { OrderDefinition } from './order-definition.ts';
import type { NodeWish } from './testing/samples.ts';
import { makeDefinition, makeTicket, MINUTE, readyNode, SECOND, taint } from './testing/ticket-samples.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { markOf, withMark } from './ticket-phase.ts';
import { GRACE, ticketRules, WORK } from './ticket-rules.ts';
import { manageTickets } from './ticket-work.ts';
import { NODE_KNOWN } from './verdict.ts';

/** One Order, one node and its Ticket, kept as the controller keeps them: it works whenever it is told to, and at due times. */
function createHouse(placement: PlacementSpec = {}, more: Partial<OrderDefinition> = {}) {
  const definition = makeDefinition(more, placement);
  let engine = createEngine(ticketRules());
  const state: { now: number; node: Node | undefined; ticket: DaemonTicket | undefined; version: number } = {
    now: 0,
    node: readyNode('n0'),
    ticket: makeTicket({ phase: 'Reserved', nodeUid: 'uid-of-n0' }),
    version: 1,
  };
  const log: string[] = [];

  function start(): void {
    engine = createEngine(ticketRules(), state.now);
    engine.apply({ type: 'daemon', daemon: definition });
    if (state.node !== undefined) engine.apply({ type: 'node', node: state.node });
    if (state.ticket !== undefined) engine.apply({ type: 'child', daemon: 'order', child: state.ticket });
  }

  function work(): void {
    const view = engine.daemon('order');
    for (const place of view?.listed(WORK) ?? []) {
      if (view === undefined) return;
      const { remove, mark } = manageTickets(
        definition,
        view.verdict(place),
        engine.node(place),
        view.children(place),
        state.now,
      );
      for (const { ticket, why } of remove) {
        log.push(`${state.now / SECOND}s ${why}`);
        state.ticket = undefined;
        engine.apply({ type: 'child-gone', daemon: 'order', child: ticket });
      }
      for (const { ticket, mark: written } of mark) {
        const conditions = withMark(ticket.status?.conditions, written, formatTime(state.now));
        state.version += 1;
        const child = {
          ...ticket,
          metadata: { ...ticket.metadata, resourceVersion: String(state.version) },
          status: { ...ticket.status, conditions },
        };
        state.ticket = child;
        engine.apply({ type: 'child', daemon: 'order', child, old: ticket });
      }
    }
  }

  start();
  return {
    log,
    state,
    isInGrace: () => (engine.daemon('order')?.count(GRACE) ?? 0) > 0,
    restart: start,
    setNode(wish: NodeWish) {
      state.node = readyNode('n0', wish);
      engine.apply({ type: 'node', node: state.node });
      work();
    },
    /** Time passes; the controller wakes at the times that the engine says, and at no other. */
    pass(ms: number) {
      const end = state.now + ms;
      for (;;) {
        const due = engine.daemon('order')?.nextDue;
        if (due === undefined || due > end) break;
        state.now = Math.max(state.now, due);
        engine.apply({ type: 'time', now: state.now });
        work();
      }
      state.now = end;
    },
  };
}

const DOWN: NodeWish = { ready: 'Unknown', taints: [taint('node.kubernetes.io/unreachable', 'NoExecute')] };

describe('a Ticket on a node that stops being eligible', () => {
  const reasons: readonly (readonly [string, NodeWish, PlacementSpec])[] = [
    ['not Ready', { ready: 'False' }, {}],
    [
      'tainted not-ready:NoExecute',
      { ready: 'False', taints: [taint('node.kubernetes.io/not-ready', 'NoExecute')] },
      {},
    ],
    ['unreachable', DOWN, {}],
    ['cordoned', { unschedulable: true }, {}],
    ['cordoned, whatever the Order tolerates', { unschedulable: true }, { tolerations: [{ operator: 'Exists' }] }],
  ];
  it.each(reasons)('stays for the grace period and then goes: %s', (_what, wish, placement) => {
    const house = createHouse(placement);
    house.pass(10 * SECOND);
    house.setNode(wish);
    expect(house.isInGrace()).toBe(true);
    expect(markOf(house.state.ticket ?? makeTicket())?.since).toBe(10 * SECOND);
    house.pass(5 * MINUTE - SECOND);
    expect(house.log).toEqual([]);
    house.pass(SECOND);
    expect(house.log).toEqual(['310s grace-over']);
  });

  it('stays when the node comes back in time, however often it flaps', () => {
    const house = createHouse();
    for (let flap = 0; flap < 20; flap += 1) {
      house.setNode(DOWN);
      house.pass(4 * MINUTE);
      house.setNode({});
      expect(house.isInGrace()).toBe(false);
      expect(markOf(house.state.ticket ?? makeTicket())).toBeUndefined();
      house.pass(SECOND);
    }
    expect(house.log).toEqual([]);
  });

  it('goes on time when the controller restarts in the grace period: the Ticket says when it began', () => {
    const house = createHouse();
    house.setNode(DOWN);
    house.pass(3 * MINUTE);
    house.restart();
    expect(house.isInGrace()).toBe(true);
    house.pass(2 * MINUTE - SECOND);
    expect(house.log).toEqual([]);
    house.restart();
    house.pass(SECOND);
    expect(house.log).toEqual(['300s grace-over']);
  });

  it('is in one grace period when one reason follows another', () => {
    const house = createHouse();
    house.setNode({ unschedulable: true });
    house.pass(2 * MINUTE);
    house.setNode({ ...DOWN, unschedulable: true });
    house.pass(2 * MINUTE);
    house.setNode(DOWN);
    house.pass(MINUTE);
    expect(house.log).toEqual(['300s grace-over']);
  });

  it('has a whole grace period when the node goes down again before the mark of the last time is cleared', () => {
    const down = (since: number): Node => ({
      ...readyNode('n0', DOWN),
      status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: formatTime(since) }] },
    });
    const definition = makeDefinition();
    const marked = makeTicket({ phase: 'Reserved', mark: { since: 0, reason: 'NodeNotReady' } });
    const removedAt = (now: number): number => {
      const node = down(4 * MINUTE);
      const verdict = definition.eligibility.judge(node) | NODE_KNOWN;
      return manageTickets(definition, verdict, node, [marked], now).remove.length;
    };
    expect(removedAt(6 * MINUTE)).toBe(0);
    expect(removedAt(9 * MINUTE - SECOND)).toBe(0);
    expect(removedAt(9 * MINUTE)).toBe(1);
  });

  it('goes at once without a grace period', () => {
    const house = createHouse({}, { graceMs: 0 });
    house.setNode(DOWN);
    expect(house.log).toEqual(['0s grace-over']);
  });

  it('goes at once under a NoExecute taint that is not tolerated, and when labels change', () => {
    const tainted = createHouse();
    tainted.setNode({ taints: [taint('maintenance', 'NoExecute')] });
    expect(tainted.log).toEqual(['0s not-eligible']);
    const labelled = createHouse({ nodeSelector: { zone: 'a' } });
    labelled.setNode({ labels: { zone: 'b' } });
    expect(labelled.log).toEqual(['0s not-eligible']);
  });
});

describe('a Ticket that tolerates a NoExecute taint for a time', () => {
  const placement: PlacementSpec = {
    tolerations: [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
  };
  const tainted = (addedAt?: number): NodeWish => ({ taints: [taint('maintenance', 'NoExecute', addedAt)] });

  it('goes on time, counted from the time of the taint', () => {
    const house = createHouse(placement);
    house.pass(100 * SECOND);
    house.setNode(tainted(90 * SECOND));
    house.pass(49 * SECOND);
    expect(house.log).toEqual([]);
    house.pass(SECOND);
    expect(house.log).toEqual(['150s toleration-over']);
  });

  it('goes at once where that time is over already', () => {
    const house = createHouse(placement);
    house.pass(100 * SECOND);
    house.setNode(tainted(10 * SECOND));
    expect(house.log).toEqual(['100s toleration-over']);
  });

  it('follows the time of the taint when that changes', () => {
    const house = createHouse(placement);
    house.setNode(tainted(0));
    house.pass(30 * SECOND);
    house.setNode(tainted(30 * SECOND));
    house.pass(59 * SECOND);
    expect(house.log).toEqual([]);
    house.pass(SECOND);
    expect(house.log).toEqual(['90s toleration-over']);
  });

  it('goes earlier when the taint says that it is older than thought', () => {
    const house = createHouse(placement);
    house.pass(50 * SECOND);
    house.setNode(tainted(50 * SECOND));
    house.setNode(tainted(20 * SECOND));
    house.pass(60 * SECOND);
    expect(house.log).toEqual(['80s toleration-over']);
  });

  it('counts from the mark where the taint has no time, also after a restart', () => {
    const house = createHouse(placement);
    house.pass(100 * SECOND);
    house.setNode(tainted());
    house.pass(30 * SECOND);
    house.restart();
    house.pass(30 * SECOND);
    expect(house.log).toEqual(['160s toleration-over']);
  });

  it('has a whole grace period when the node flaps under the taint', () => {
    const house = createHouse(
      { tolerations: [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3600 }] },
      {},
    );
    house.setNode(tainted(0));
    house.pass(30 * MINUTE);
    house.setNode({ ...tainted(0), ready: 'False' });
    house.pass(4 * MINUTE);
    house.setNode(tainted(0));
    house.pass(26 * MINUTE - SECOND);
    expect(house.log).toEqual([]);
    house.pass(SECOND);
    expect(house.log).toEqual(['3600s toleration-over']);
  });

  it('ends with the first of grace period and toleration where an unreachable node has both', () => {
    const house = createHouse({
      tolerations: [
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
      ],
    });
    house.setNode(DOWN);
    house.pass(5 * MINUTE);
    expect(house.log).toEqual(['30s toleration-over']);
  });

  it('stays for good once the taint is gone', () => {
    const house = createHouse(placement);
    house.setNode(tainted(0));
    house.pass(59 * SECOND);
    house.setNode({});
    house.pass(60 * MINUTE);
    expect(house.log).toEqual([]);
    const condition = findCondition(house.state.ticket?.status?.conditions, TICKET_CONDITIONS.nodeEligible);
    expect(condition?.status).toBe('True');
  });
});

describe('the mark of a Ticket', () => {
  const at = (seconds: number): string => formatTime(seconds * SECOND);
  const notReady = { reason: 'NodeNotReady', message: 'm' };
  it('keeps its time while reasons of one sort follow each other, and begins anew with another sort', () => {
    const first = withMark(undefined, notReady, at(1));
    expect(findCondition(first, 'NodeEligible')?.lastTransitionTime).toBe(at(1));
    const cordoned = withMark(first, { reason: 'NodeCordoned', message: 'm' }, at(2));
    expect(findCondition(cordoned, 'NodeEligible')?.lastTransitionTime).toBe(at(1));
    const timed = withMark(cordoned, { reason: 'TaintToleratedForATime', message: 'm' }, at(3));
    expect(findCondition(timed, 'NodeEligible')?.lastTransitionTime).toBe(at(3));
  });
  it('is not written where it is there, nor cleared where none is', () => {
    const marked = withMark(undefined, notReady, at(1));
    expect(withMark(marked, notReady, at(2))).toBe(marked);
    const cleared = withMark(marked, undefined, at(3));
    expect(withMark(cleared, undefined, at(4))).toBe(cleared);
    expect(withMark(undefined, undefined, at(4))).toEqual([]);
  });
});
