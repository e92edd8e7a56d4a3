/**
 * Takes the taint `everynode.dev/unreserved` off nodes: pending pods rush onto a node the moment it is Ready, so a node may register with
 * the taint and keep it until its room is reserved. Only nodes with the taint cost anything.
 */
import { RESERVATION_EVENTS } from '../../../core/api/names.ts';
import { NODES, ORDERS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { pinOfTicket } from '../../../core/daemons/ticket-child.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { HandlerRegistration, Informer } from '../../../machinery/cache/informer.ts';
import type { Change, IndexFunction } from '../../../machinery/cache/object-store.ts';
import { Overlay } from '../../../machinery/children/overlay.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import { measured } from '../common/measured.ts';
import { DaemonOrders } from './daemon-orders.ts';
import { removeTaint } from './remove-taint.ts';
import { TaintedNodes } from './tainted-nodes.ts';
import { describeWaits, isBeingSetUp, PATIENCE_MS, taintIndex, type Wait, waitsFor } from './unreserved-node.ts';

export interface UnreservedTaintOptions extends Surroundings {
  /** Receives the events of nodes; started and stopped by its owner. */
  readonly events: EventRecorder;
}

const CONCURRENCY = 16;
/** The node has changed under the patch; its watch event is under way. */
const RETRY_MS = 100;

export function createUnreservedTaintController(options: UnreservedTaintOptions): Actor {
  const { client, clock, informers } = options;
  const nodes = informers.for(NODES);
  const tickets = informers.for(TICKETS);
  const orders = informers.for(ORDERS);
  const known = new DaemonOrders();
  const tainted = new TaintedNodes(clock);
  /** Nodes as own patches left them. */
  const written = new Overlay<Node>(nodes);
  const registrations: HandlerRegistration[] = [];

  async function reconcile(name: string): Promise<ReconcileResult | undefined> {
    const cached = nodes.lister.get(name);
    const node = cached === undefined ? undefined : written.latest(cached);
    if (node === undefined || taintIndex(node) < 0) return undefined;
    const leftMs = tainted.timeLeft(node);
    if (leftMs === undefined) return undefined;
    const waits = waitsOf(node, known, tickets, clock.now());
    if (leftMs > 0 && (waits.length > 0 || isBeingSetUp(node))) return { requeueAfterMs: leftMs };
    const removed = await removeTaint(client, node);
    if (removed === 'gone') return undefined;
    if (removed === 'changed') return { requeueAfterMs: RETRY_MS };
    written.wrote(removed);
    options.events.event(withType(NODES, node), noteOf(waits));
    return undefined;
  }

  const controller = createController<string>({
    name: 'unreserved-taint',
    clock,
    random: options.random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: CONCURRENCY,
    describe: (name) => ({ node: name }),
    waitFor: [async (signal) => void (await Promise.all(registrations.map((each) => each.synced(signal))))],
    reconcile: measured(options, 'node', reconcile),
  });
  const { queue } = controller;

  function seeNode(change: Change<Node>): void {
    if (change.type === 'delete') written.forget(change.object.metadata.uid);
    if (tainted.see(change)) queue.add(change.object.metadata.name);
  }

  function seeTicket({ object }: Change<Ticket>): void {
    if (tainted.size === 0) return;
    for (const name of byNode(object)) if (tainted.has(name)) queue.add(name);
  }

  function seeOrder(change: Change<Order>): void {
    if (known.see(change) && isOfInterest(change)) for (const name of tainted.names()) queue.add(name);
  }

  return {
    name: 'unreserved-taint-controller',
    ready: () => controller.ready(),
    async start(signal) {
      registrations.push(
        nodes.addHandler({ batch: (changes) => changes.forEach(seeNode) }),
        tickets.addHandler({ batch: (changes) => changes.forEach(seeTicket) }),
        orders.addHandler({ batch: (changes) => changes.forEach(seeOrder) }),
      );
      try {
        await controller.start(signal);
      } finally {
        for (const registration of registrations) registration.remove();
      }
    },
  };
}

const BY_NODE = 'reservation.node';
const NONE: readonly string[] = Object.freeze([]);

const byNode: IndexFunction<Ticket> = (ticket) => {
  const pin = pinOfTicket(ticket);
  return pin?.by === 'name' ? [pin.value] : NONE;
};

/** Orders that the node has to wait for. */
function waitsOf(node: Stored<Node>, known: DaemonOrders, tickets: Informer<Ticket>, now: number): readonly Wait[] {
  if (known.size === 0) return [];
  // Clusters whose nodes never have the taint do without the index.
  tickets.addIndex(BY_NODE, byNode);
  const here = [...tickets.lister.byIndex(BY_NODE, node.metadata.name)];
  const waits: Wait[] = [];
  for (const { order, verdict } of known.on(node)) {
    const own = here.filter((ticket) => controllerOf(ticket)?.uid === order.metadata.uid);
    const why = waitsFor({ order, verdict, tickets: own }, now);
    if (why !== undefined) waits.push({ order, why });
  }
  return waits;
}

function noteOf(waits: readonly Wait[]): Parameters<EventRecorder['event']>[1] {
  const reason = RESERVATION_EVENTS.nodeReleased;
  if (waits.length === 0) {
    const note = 'opened the node to workload: every Order that wants room here holds it, or has said why not';
    return { type: 'Normal', reason, note };
  }
  const minutes = PATIENCE_MS / 60_000;
  const note = `opened the node to workload after ${minutes} minutes without room for ${describeWaits(waits)}`;
  return { type: 'Warning', reason, note };
}

/** Counts in the status of an Order change with every Ticket; its spec and conditions seldom do. */
const isOfInterest = ({ type, object, old }: Change<Order>): boolean =>
  type !== 'update' ||
  old.metadata.generation !== object.metadata.generation ||
  old.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
  old.status?.conditions !== object.status?.conditions;
