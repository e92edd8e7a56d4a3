/**
 * The Orders that a controller knows, with the engines that count their Tickets, fed by the caches and by the answers to own
 * writes. An answer counts at once (read your own writes), and a state that the cache shows later counts only if it is newer;
 * so no Ticket is created or deleted twice because a watch is slow.
 */
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { DaemonView } from '../../../core/daemons/engine-types.ts';
import type { OrderDefinition } from '../../../core/daemons/order-definition.ts';
import { createRolloutOrder } from '../../../core/daemons/rollout-order.ts';
import { type DaemonTicket, FINISHED } from '../../../core/daemons/ticket-child.ts';
import { readiness } from '../../../core/daemons/verdict.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { LabelSelector } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import { hasSeen, Overlay } from '../../../machinery/children/overlay.ts';
import { selectsWith } from '../../../machinery/children/selectors.ts';
import { newTurn } from '../../../machinery/children/turn.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { addSlot, type Board, nodeBoard, slotBoard, slotOf } from './board.ts';
import type { KnownOrder } from './known-order.ts';
import { ObjectGroups } from './object-groups.ts';
import { OrderIndex } from './order-index.ts';

export type OrderView = DaemonView<DaemonTicket, OrderDefinition>;

export interface OrderRegistryOptions {
  readonly clock: Clock;
  readonly tickets: Informer<Ticket>;
  /** Something changed that a reconcile of this Order may have to act on. */
  readonly onChange: (order: KnownOrder) => void;
}

export class OrderRegistry {
  /** The engine of all Orders in daemonSet mode: knows every node. */
  readonly nodes: Board;
  /** Orders in daemonSet mode that have no eligible node. Kept by `report.ts`. */
  readonly withoutNodes = new Set<KnownOrder>();
  /** Grows with every change of nodes that may matter to eligibility. */
  nodesVersion = 0;
  readonly #options: OrderRegistryOptions;
  readonly #orders = new OrderIndex();
  /** Tickets whose controller is an Order that is not registered, by its UID. */
  readonly #waiting = new ObjectGroups<Ticket>();
  /** Tickets without a controller, by namespace. */
  readonly #orphans = new ObjectGroups<Ticket>();

  constructor(options: OrderRegistryOptions) {
    this.#options = options;
    this.nodes = nodeBoard(options.clock.now());
  }

  byUid(uid: string): KnownOrder | undefined {
    return this.#orders.byUid(uid);
  }

  /** @param key as `keyText` writes it. */
  byName(key: string): KnownOrder | undefined {
    return this.#orders.byName(key);
  }

  all(): Iterable<KnownOrder> {
    return this.#orders.all();
  }

  /** The engine's counts of this Order. */
  view(order: KnownOrder): OrderView {
    const found = order.board.engine.daemon(order.uid);
    if (found === undefined) throw new Error(`Order ${keyText(order.key)} is not registered`);
    return found;
  }

  /** @param mode whether its Tickets belong to nodes or to slots. */
  register(
    object: Stored<Order>,
    mode: Board['mode'],
    selector: LabelSelector,
    definition: OrderDefinition,
  ): KnownOrder {
    const { uid, namespace = '' } = object.metadata;
    const board = mode === 'nodes' ? this.nodes : slotBoard(this.#options.clock.now());
    const order = this.#newOrder(object, board, selector, definition);
    this.#orders.add(order);
    board.engine.apply({ type: 'daemon', daemon: definition });
    for (const ticket of this.#waiting.of(uid)) this.#take(order, ticket, undefined);
    this.#waiting.deleteGroup(uid);
    for (const ticket of this.#orphans.of(namespace)) this.#offer(order, ticket);
    return order;
  }

  #newOrder(object: Stored<Order>, board: Board, selector: LabelSelector, definition: OrderDefinition): KnownOrder {
    const order: KnownOrder = {
      key: keyOf(object),
      uid: object.metadata.uid,
      object,
      board,
      selector,
      selects: selectsWith(selector),
      definition,
      defined: undefined,
      maker: undefined,
      children: { wrote: (ticket) => this.#wrote(order, ticket), gone: (ticket) => this.#gone(order, ticket) },
      doubts: new Map(),
      answers: new Overlay(this.#options.tickets),
      claims: { adoptable: new Map(), releasable: new Map(), strays: new Map(), knowsOrphans: wasReconciled(object) },
      noNodes: undefined,
      line: createRolloutOrder(board.engine),
      schedule: undefined,
      failure: undefined,
      doneTick: undefined,
      reportedAt: -Infinity,
      turn: newTurn(),
      changes: 0,
    };
    return order;
  }

  define(order: KnownOrder, definition: OrderDefinition): void {
    order.definition = definition;
    order.board.engine.apply({ type: 'daemon', daemon: definition });
  }

  forget(order: KnownOrder): void {
    // The Tickets live on until the garbage collector deletes them; should the Order be registered again, they are still its own.
    for (const ticket of this.view(order).allChildren()) this.#waiting.set(order.uid, ticket);
    for (const group of [order.claims.releasable, order.claims.strays])
      for (const ticket of group.values()) this.#waiting.set(order.uid, ticket);
    this.#orders.delete(order);
    this.withoutNodes.delete(order);
    order.board.engine.apply({ type: 'daemon-gone', key: order.uid });
  }

  /** @param old the state before; undefined for a node that has joined. */
  seeNode(node: Stored<Node>, old: Stored<Node> | undefined): void {
    this.#notify(this.nodes.engine.apply({ type: 'node', node }));
    if (old === undefined || !isAsEligible(old, node)) this.#seeNodes();
  }

  nodeGone(node: Stored<Node>): void {
    this.#notify(this.nodes.engine.apply({ type: 'node-gone', name: node.metadata.name }));
    this.#seeNodes();
  }

  /** Orders without an eligible node say why, and the reason may be another one now. The engine does not count reasons. */
  #seeNodes(): void {
    this.nodesVersion += 1;
    for (const order of this.withoutNodes) this.#options.onChange(order);
  }

  seeTickets(changes: readonly Change<Ticket>[]): void {
    for (const { type, object, old } of changes) {
      if (type === 'delete') this.#lose(object);
      else if (old !== undefined && old.metadata.uid !== object.metadata.uid) {
        // The Ticket was deleted and another of its name created between two events.
        this.#lose(old);
        this.#see(object, undefined);
      } else this.#see(object, old);
    }
  }

  /** Drops answers that the cache is past; Tickets that it does not show are gone. */
  dropSeenAnswers(order: KnownOrder): void {
    for (const ticket of order.answers.takeSeen())
      if (this.#cached(ticket)?.metadata.uid !== ticket.metadata.uid) this.#count(order, ticket, 'gone');
  }

  /** Lets the engine of this Order count by the time of now: Tickets become available, and grace ends, by waiting. */
  tick(order: KnownOrder): void {
    this.#notify(order.board.engine.apply({ type: 'time', now: this.#options.clock.now() }));
  }

  #notify(touched: readonly string[]): void {
    for (const uid of touched) {
      const order = this.#orders.byUid(uid);
      if (order !== undefined) this.#options.onChange(order);
    }
  }

  #cached({ metadata: { name, namespace } }: DaemonTicket): DaemonTicket | undefined {
    return this.#options.tickets.lister.get(name, namespace);
  }

  #see(ticket: DaemonTicket, old: DaemonTicket | undefined): void {
    const before = old === undefined ? undefined : orderOf(old);
    const owner = orderOf(ticket);
    if (before !== undefined && before !== owner && old !== undefined) this.#leave(before, old);
    if (owner === undefined) {
      if (controllerOf(ticket) === undefined) this.#seeOrphan(ticket);
      return;
    }
    this.#dropOrphan(ticket);
    const order = this.#orders.byUid(owner);
    if (order === undefined) this.#waiting.set(owner, ticket);
    else this.#take(order, ticket, old);
  }

  /** The cache shows this Ticket of the Order. */
  #take(order: KnownOrder, ticket: DaemonTicket, old: DaemonTicket | undefined): void {
    const { uid } = ticket.metadata;
    const { answers } = order;
    if (answers.hides(uid)) return;
    answers.confirm(ticket);
    this.#notify(this.#count(order, ticket, old));
  }

  /** Counts the Ticket where it belongs: in the engine, among those to be released, or among the strays. */
  #count(order: KnownOrder, ticket: DaemonTicket, old: DaemonTicket | 'gone' | undefined): readonly string[] {
    const { uid, labels } = ticket.metadata;
    const { board, claims } = order;
    const finished = this.view(order).ofRevision(FINISHED);
    const known = old === 'gone' || old === undefined ? ticket : old;
    const isOwn = old !== 'gone' && order.selects(labels);
    const isPinned = isOwn && board.pin(ticket) !== undefined;
    const isReleasable = put(claims.releasable, uid, ticket, old !== 'gone' && !isOwn);
    const isStray = put(claims.strays, uid, ticket, isOwn && !isPinned);
    if (!isPinned) {
      const touched = board.engine.apply({ type: 'child-gone', daemon: order.uid, child: known });
      return isReleasable || isStray || this.view(order).ofRevision(FINISHED) !== finished ? [order.uid] : touched;
    }
    if (board.mode === 'slots') addSlot(board, slotOf(ticket) ?? 0);
    const touched = board.engine.apply({
      type: 'child',
      daemon: order.uid,
      child: ticket,
      ...(known === ticket ? {} : { old: known }),
    });
    // A place with several finished Tickets is judged alike with one more or less; the status counts them.
    return this.view(order).ofRevision(FINISHED) !== finished ? [order.uid] : touched;
  }

  /** The Ticket has another controller, or none, now. */
  #leave(owner: string, ticket: DaemonTicket): void {
    this.#waiting.delete(owner, ticket);
    const order = this.#orders.byUid(owner);
    if (order === undefined) return;
    order.answers.forget(ticket.metadata.uid);
    this.#count(order, ticket, 'gone');
    this.#options.onChange(order);
  }

  /** The Ticket is gone from the cache. */
  #lose(ticket: DaemonTicket): void {
    this.#dropOrphan(ticket);
    const owner = orderOf(ticket);
    if (owner === undefined) return;
    this.#waiting.delete(owner, ticket);
    const order = this.#orders.byUid(owner);
    if (order === undefined) return;
    order.answers.forget(ticket.metadata.uid);
    this.#notify(this.#count(order, ticket, 'gone'));
  }

  #seeOrphan(ticket: DaemonTicket): void {
    const { namespace = '' } = ticket.metadata;
    this.#orphans.set(namespace, ticket);
    for (const order of this.#orders.inNamespace(namespace))
      if (this.#offer(order, ticket)) this.#options.onChange(order);
  }

  /** Whether the Order may adopt the Ticket. One that has found no node yet is no Ticket of a node. */
  #offer({ claims, selects, board }: KnownOrder, ticket: DaemonTicket): boolean {
    const { uid, labels } = ticket.metadata;
    const isWanted =
      !isBeingDeleted(ticket) && selects(labels) && (board.mode === 'slots' || board.pin(ticket) !== undefined);
    return put(claims.adoptable, uid, ticket, isWanted) && isWanted;
  }

  #dropOrphan(ticket: DaemonTicket): void {
    const { namespace = '', uid } = ticket.metadata;
    if (!this.#orphans.delete(namespace, ticket)) return;
    for (const order of this.#orders.inNamespace(namespace)) order.claims.adoptable.delete(uid);
  }

  /** The answer to a write: the Ticket is as it says. */
  #wrote(order: KnownOrder, ticket: DaemonTicket): void {
    const { answers } = order;
    const { uid } = ticket.metadata;
    const cached = this.#cached(ticket);
    const isShown = cached?.metadata.uid === uid;
    if (!isShown && hasSeen(this.#options.tickets, ticket)) {
      // The watch was quicker than the answer and will say no more: the Ticket has come and gone.
      answers.forget(uid);
      this.#notify(this.#count(order, ticket, 'gone'));
      return;
    }
    if (!isShown || !hasSeen(cached.metadata, ticket)) answers.wrote(ticket);
    this.#count(order, ticket, orderOf(ticket) === order.uid ? undefined : 'gone');
  }

  /** The answer to a delete or a get: the Ticket is gone. */
  #gone(order: KnownOrder, ticket: DaemonTicket): void {
    const { uid } = ticket.metadata;
    // The cache may even come to show a Ticket that was created and deleted before the watch told of either.
    if (this.#cached(ticket)?.metadata.uid === uid || !hasSeen(this.#options.tickets, ticket))
      order.answers.gone(ticket);
    else order.answers.forget(uid);
    // The watch will have nothing to add: the place may want another Ticket now.
    this.#notify(this.#count(order, ticket, 'gone'));
  }
}

/** Whether both states of a node are sure to be eligible for the same Orders. Heartbeats leave the parts as they are. */
const isAsEligible = (a: Node, b: Node): boolean =>
  a.metadata.uid === b.metadata.uid &&
  a.metadata.labels === b.metadata.labels &&
  a.spec === b.spec &&
  readiness(a) === readiness(b);

/** Sets or deletes an entry. Whether that changed anything. */
function put<T>(map: Map<string, T>, key: string, value: T, isIn: boolean): boolean {
  if (!isIn) return map.size > 0 && map.delete(key);
  const isNew = map.get(key) !== value;
  map.set(key, value);
  return isNew;
}

/** The UID of the Order that controls the Ticket. */
function orderOf(ticket: Ticket): string | undefined {
  const reference = controllerOf(ticket);
  return reference?.kind === 'Order' ? reference.uid : undefined;
}

/** An Order controller has brought it to its desired state before, with all orphans there were. */
const wasReconciled = ({ status }: Order): boolean => (status?.observedGeneration ?? 0) > 0;
