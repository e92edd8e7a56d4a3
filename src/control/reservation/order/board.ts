/**
 * Where the Tickets of an Order are counted. All Orders in daemonSet mode share one engine, whose places are nodes. An Order with
 * replicas has a small engine of its own, whose places are slots: it is a daemon that wants the first `replicas` of them.
 */
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { type Eligibility, ORDER_POLICY } from '../../../core/daemons/eligibility.ts';
import { createEngine } from '../../../core/daemons/engine.ts';
import type { Engine } from '../../../core/daemons/engine-types.ts';
import type { OrderDefinition } from '../../../core/daemons/order-definition.ts';
import { type DaemonTicket, pinOfTicket, ticketChild } from '../../../core/daemons/ticket-child.ts';
import { ticketRules } from '../../../core/daemons/ticket-rules.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from '../../../core/daemons/verdict.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { NodePin } from '../../../core/placement/node-affinity.ts';

type OrderEngine = Engine<DaemonTicket, OrderDefinition>;

export interface Board {
  readonly mode: 'nodes' | 'slots';
  readonly engine: OrderEngine;
  /** The place of the Ticket; undefined: it belongs to none. */
  readonly pin: (ticket: DaemonTicket) => NodePin | undefined;
}

export function nodeBoard(now: number): Board {
  return { mode: 'nodes', engine: createEngine(ticketRules(), now), pin: pinOfTicket };
}

export function slotBoard(now: number): Board {
  return { mode: 'slots', engine: createEngine(ticketRules(ticketChild(pinOfSlot)), now), pin: pinOfSlot };
}

/** The slot that the Ticket says it has; undefined where it says nothing readable. */
export function slotOf({ metadata }: Ticket): number | undefined {
  const text = labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.slot) ?? '';
  return /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : undefined;
}

function pinOfSlot(ticket: Ticket): NodePin | undefined {
  const slot = slotOf(ticket);
  return slot === undefined ? undefined : { by: 'name', value: String(slot) };
}

/** Makes sure that the slot exists. A Ticket at a place without a node counts as left behind by one that is gone. */
export function addSlot({ engine }: Board, slot: number): void {
  if (engine.nodes.find(String(slot)) === undefined) engine.apply({ type: 'node', node: slotNode(slot) });
}

export function addSlots(board: Board, count: number): void {
  for (let slot = 0; slot < count; slot += 1) addSlot(board, slot);
}

const slotNodes: Node[] = [];

/** Slots are the same for all Orders. */
function slotNode(slot: number): Node {
  const node =
    slotNodes[slot] ?? Object.freeze({ apiVersion: 'v1', kind: 'Node', metadata: { name: String(slot) }, spec: {} });
  slotNodes[slot] = node;
  return node;
}

const NO_KEYS: ReadonlySet<string> = new Set();
/** By number of replicas: the engine compares by identity. */
const eligibilities = new Map<number, Eligibility>();
const MAX_KEPT = 1000;

/** The eligibility of slots for an Order with so many replicas. */
export function slotsFor(replicas: number): Eligibility {
  let found = eligibilities.get(replicas);
  if (found === undefined) {
    found = slotsBelow(replicas);
    if (eligibilities.size >= MAX_KEPT) eligibilities.clear();
    eligibilities.set(replicas, found);
  }
  return found;
}

const slotsBelow = (replicas: number): Eligibility => ({
  policy: ORDER_POLICY,
  judge: (slot) => (Number(slot.metadata.name) < replicas ? SHOULD_RUN | SHOULD_CONTINUE : 0),
  explain: () => [],
  toleratedUntil: () => Infinity,
  labelKeys: NO_KEYS,
  anchors: undefined,
});
