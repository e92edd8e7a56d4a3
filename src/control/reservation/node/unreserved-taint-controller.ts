/**
 * Takes the taint `everynode.dev/unreserved` off nodes: pending pods rush onto a node the moment it is Ready, so a node may register with
 * the taint and keep it until its room is reserved. Only nodes with the taint cost anything.
 */
import { RESERVATION_EVENTS } from '../../../core/api/names.ts';
import { NODES, ORDERS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { pinOfTicket } from '../../../core/daemons/ticket-child.ts';
import { timeOf } from '../../../core/daemons/ticket-phase.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { HandlerRegistration } from '../../../machinery/cache/informer.ts';
import type { Change, IndexFunction } from '../../../machinery/cache/object-store.ts';
import { Overlay } from '../../../machinery/children/overlay.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import { measured } from '../common/measured.ts';
import { DaemonOrders } from './daemon-orders.ts';
import { describeWaits, isBeingSetUp, isOpen, PATIENCE_MS, taintIndex, waitsFor } from './unreserved-node.ts';

export interface UnreservedTaintOptions extends Surroundings {
  /** Receives the events of nodes; started and stopped by its owner. */
  readonly events: EventRecorder;
}

/** A node with the taint. */
interface TaintedNode {
  readonly uid: string;
  /** The node was seen without the taint, not Ready or cordoned: its time begins when that ends, not with its Ready condition. */
  wasClosed: boolean;
  /** Monotonic end of the node's time; undefined while the node is not Ready or cordoned. */
  until: number | undefined;
}

const CONCURRENCY = 16;
/** The node has changed under the patch; its watch event is under way. */
const RETRY_MS = 100;
const BY_NODE = 'reservation.node';
const NONE: readonly string[] = Object.freeze([]);

const byNode: IndexFunction<Ticket> = (ticket) => {
  const pin = pinOfTicket(ticket);
  return pin?.by === 'name' ? [pin.value] : NONE;
};

export function createUnreservedTaintController(options: UnreservedTaintOptions): Actor {
  const { client, clock, informers } = options;
  const nodes = informers.for(NODES);
  const tickets = informers.for(TICKETS);
  const orders = informers.for(ORDERS);
  const known = new DaemonOrders();
  /** By name: the nodes with the taint. */
  const tainted = new Map<string, TaintedNode>();
  const written = new Overlay<Node>(nodes);
  const registrations: HandlerRegistration[] = [];

  function seeNode({ type, object, old }: Change<Node>): void {
    const { name, uid } = object.metadata;
    if (type === 'delete') {
      tainted.delete(name);
      written.forget(uid);
      return;
    }
    if (taintIndex(object) < 0) {
      tainted.delete(name);
      return;
    }
    const isSame = old !== undefined && old.metadata.uid === uid;
    if (tainted.get(name)?.uid !== uid) {
      const wasClosed = isSame && (taintIndex(old) < 0 || !isOpen(old));
      tainted.set(name, { uid, wasClosed, until: undefined });
    }
    // Heartbeats change nothing.
    if (!isSame || old.spec !== object.spec || isOpen(old) !== isOpen(object)) controller.queue.add(name);
  }

  function seeTicket({ object }: Change<Ticket>): void {
    if (tainted.size === 0) return;
    for (const name of byNode(object)) if (tainted.has(name)) controller.queue.add(name);
  }

  function seeOrder(change: Change<Order>): void {
    if (known.see(change) && isOfInterest(change)) for (const name of tainted.keys()) controller.queue.add(name);
  }

  /** Begins or stops the node's time; true while it runs. */
  function keepTime(entry: TaintedNode, node: Stored<Node>): boolean {
    if (!isOpen(node)) {
      entry.wasClosed = true;
      entry.until = undefined;
      return false;
    }
    if (entry.until !== undefined) return true;
    const now = clock.now();
    const readySince = timeOf(findCondition(node.status?.conditions, 'Ready')?.lastTransitionTime) ?? now;
    const passed = entry.wasClosed ? 0 : Math.max(0, now - readySince);
    entry.until = clock.monotonic() + Math.max(0, PATIENCE_MS - passed);
    return true;
  }

  /** Orders that the node has to wait for. */
  function waitsOf(node: Stored<Node>): readonly { readonly order: Stored<Order>; readonly why: string }[] {
    const waits: { readonly order: Stored<Order>; readonly why: string }[] = [];
    if (known.size === 0) return waits;
    // Clusters whose nodes never have the taint do without the index.
    tickets.addIndex(BY_NODE, byNode);
    const here = [...tickets.lister.byIndex(BY_NODE, node.metadata.name)];
    const now = clock.now();
    for (const { order, verdict } of known.on(node)) {
      const own = here.filter((ticket) => controllerOf(ticket)?.uid === order.metadata.uid);
      const why = waitsFor({ order, verdict, tickets: own }, now);
      if (why !== undefined) waits.push({ order, why });
    }
    return waits;
  }

  async function reconcile(name: string): Promise<ReconcileResult | undefined> {
    const entry = tainted.get(name);
    const cached = nodes.lister.get(name);
    const node = cached === undefined ? undefined : written.latest(cached);
    if (entry === undefined || node === undefined || node.metadata.uid !== entry.uid || taintIndex(node) < 0)
      return undefined;
    if (!keepTime(entry, node)) return undefined;
    const waits = waitsOf(node);
    const leftMs = (entry.until ?? 0) - clock.monotonic();
    if (leftMs > 0 && (waits.length > 0 || isBeingSetUp(node))) return { requeueAfterMs: leftMs };
    return (await removeTaint(node)) ? tell(node, waits) : { requeueAfterMs: RETRY_MS };
  }

  /** Removes that one taint, at its index, if it is still there. False: the node has changed meanwhile. */
  async function removeTaint(node: Stored<Node>): Promise<boolean> {
    const index = taintIndex(node);
    const path = `/spec/taints/${index}`;
    const value = { ...node.spec?.taints?.[index] } as Json;
    const body: readonly Json[] = [
      { op: 'test', path: '/metadata/uid', value: node.metadata.uid },
      { op: 'test', path, value },
      { op: 'remove', path },
    ];
    try {
      written.wrote(await client.patch(NODES, { name: node.metadata.name }, { type: 'json', body }));
      return true;
    } catch (error) {
      if (isStatus(error, 'Invalid') || isStatus(error, 'Conflict')) return false;
      if (isStatus(error, 'NotFound')) return true;
      throw error;
    }
  }

  function tell(node: Stored<Node>, waits: ReturnType<typeof waitsOf>): undefined {
    const isLate = waits.length > 0;
    const note = isLate
      ? `opened the node to workload after ${PATIENCE_MS / 60_000} minutes without room for ${describeWaits(waits)}`
      : 'opened the node to workload: every Order that wants room here holds it, or has said why not';
    const type = isLate ? 'Warning' : 'Normal';
    options.events.event(withType(NODES, node), { type, reason: RESERVATION_EVENTS.nodeReleased, note });
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

/** Counts in the status of an Order change with every Ticket; its spec and conditions seldom do. */
const isOfInterest = ({ type, object, old }: Change<Order>): boolean =>
  type !== 'update' ||
  old.metadata.generation !== object.metadata.generation ||
  old.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
  old.status?.conditions !== object.status?.conditions;
