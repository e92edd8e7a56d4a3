/**
 * The record of one Order in the controller, beside the engine's counts. All of it can be lost and found again. The parts are
 * records, each changed by the one file that is named with it.
 */
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Eligibility } from '../../../core/daemons/eligibility.ts';
import type { OrderDefinition } from '../../../core/daemons/order-definition.ts';
import type { RolloutOrder } from '../../../core/daemons/rollout-order.ts';
import type { DaemonTicket } from '../../../core/daemons/ticket-child.ts';
import type { LabelSelector } from '../../../core/kube/meta-v1.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import type { Doubts } from '../../../machinery/children/child-writer.ts';
import type { ChildSink, Overlay } from '../../../machinery/children/overlay.ts';
import type { Selects } from '../../../machinery/children/selectors.ts';
import type { Turn } from '../../../machinery/children/turn.ts';
import type { Board } from './board.ts';
import type { KnownSchedule } from './order-ticks.ts';

/** Makes the Ticket of a place. @param predecessor UID of the Ticket that was there; part of the new one's name. */
export type PlaceTicketMaker = (
  place: number,
  predecessor: string,
  takesOver: string | undefined,
) => Ticket | undefined;

export interface KnownOrder {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The newest state seen, by watch or as the answer to a write. */
  object: Stored<Order>;
  /** Where its Tickets are counted. */
  readonly board: Board;
  /** The selector in effect: an Order with another one is registered anew. */
  readonly selector: LabelSelector;
  readonly selects: Selects;
  /** The definition that the engine of `board` has. Changed by `OrderRegistry.define`. */
  definition: OrderDefinition;
  /** What `definition` was made from; undefined before the first reconcile. Changed by `sync.ts`. */
  defined: DefinedFrom | undefined;
  /** The maker of Tickets of the current template; undefined before the first reconcile. Replaced whenever Tickets come out differently. */
  maker: PlaceTicketMaker | undefined;
  /** Where answers to writes of Tickets go: into the registry. */
  readonly children: ChildSink<Ticket>;
  /** Tickets whose last write had no clear outcome. Changed by the child writer. */
  readonly doubts: Doubts<Ticket>;
  /** Answers about Tickets that the cache has not caught up with. Changed by the registry. */
  readonly answers: Overlay<Ticket>;
  readonly claims: ClaimRecord;
  /** Undefined where a node is eligible, or was at the last reconcile. */
  noNodes: NoNodes | undefined;
  /** Places whose Tickets a changed template replaces, in order. Used by `ticket-rollout.ts`. */
  readonly line: RolloutOrder;
  /** The schedule as read; undefined where there is none. Changed by `sync.ts`. */
  schedule: KnownSchedule | undefined;
  /** The last failure of a write, as the condition Failure has it; undefined once all writes go well. Changed by `sync.ts`. */
  failure: OrderFailure | undefined;
  /** Epoch ms of the last tick whose work is done, where the status does not say so yet. Changed by `sync.ts`. */
  doneTick: number | undefined;
  /** Monotonic time of the last write of the status. Changed by `report.ts`. */
  reportedAt: number;
  readonly turn: Turn;
  /** Changes of Tickets and nodes that asked for a reconcile since the last one began. */
  changes: number;
}

/** Tickets whose controller reference is to change, or that have no place. Filled by the registry, worked off by `ticket-claims.ts`. */
interface ClaimRecord {
  /** Orphans that the selector matches and that are not being deleted, by UID. */
  readonly adoptable: Map<string, DaemonTicket>;
  /** Own Tickets that the selector no longer matches, by UID. The engine does not count them. */
  readonly releasable: Map<string, DaemonTicket>;
  /** Own Tickets that belong to no node or slot, by UID. The engine does not count them. */
  readonly strays: Map<string, DaemonTicket>;
  /** Every orphan from before the Order is certain to be in `adoptable`. Never false again. */
  knowsOrphans: boolean;
}

/** The parts of an Order that its definition depends on, compared by identity. */
interface DefinedFrom {
  readonly spec: Order['spec'];
  readonly annotations: Order['metadata']['annotations'];
  readonly tick: number | undefined;
}

export interface OrderFailure {
  readonly reason: string;
  readonly message: string;
}

/** Why no node is eligible. Changed by `report.ts`. */
interface NoNodes {
  readonly sentence: string;
  /** `OrderRegistry.nodesVersion` and the eligibility that this was found out for. */
  readonly version: number;
  readonly eligibility: Eligibility;
}
