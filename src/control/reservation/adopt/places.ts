/**
 * The places of an Order that can take an adopted Ticket: nodes in daemonSet mode, replicas otherwise. Each place is given away
 * once. Pure but for that record.
 */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { orderEligibility } from '../../../core/daemons/order-definition.ts';
import { isTerminating, pinOfTicket } from '../../../core/daemons/ticket-child.ts';
import { createSlotTicketMaker, createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import { isFinished, isHeld } from '../../../core/daemons/ticket-phase.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isControlledBy } from '../../../core/kube/owner-references.ts';
import { refused, type Refusal } from './adoption.ts';

interface Place {
  readonly outcome: 'place';
  /** The Ticket that the Order would create here. */
  readonly model: Ticket;
  /** The Ticket of the Order that is here, and holds no room. */
  readonly present?: Stored<Ticket>;
}

export interface Places {
  /** The room that a Ticket of the Order reserves on this node; its name means nothing. */
  sample(node: Stored<Node>): Ticket;
  /** The place for room on this node; a second one for the same place is refused. */
  take(node: Stored<Node>): Place | Refusal;
}

export interface OrderState {
  readonly order: Stored<Order>;
  readonly nodes: ReadonlyMap<string, Stored<Node>>;
  /** All Tickets of the namespace. */
  readonly tickets: readonly Stored<Ticket>[];
}

export const placesOf = (state: OrderState): Places =>
  orderPlan(state.order.spec).daemonSet ? nodePlaces(state) : slotPlaces(state);

const ownTickets = ({ order, tickets }: OrderState): readonly Stored<Ticket>[] =>
  tickets.filter((ticket) => isControlledBy(ticket, order) && !isTerminating(ticket));

function nodePlaces(state: OrderState): Places {
  const { order, nodes } = state;
  const { namespace = '' } = order.metadata;
  const make = createTicketMaker(order);
  const eligible = eligibility(order);
  const present = Map.groupBy(ownTickets(state), (ticket) => nodeNameOf(ticket, nodes) ?? '');
  const taken = new Set<string>();
  return {
    sample: (node) => make(node.metadata, '', undefined),
    take(node) {
      const { name } = node.metadata;
      if (taken.has(name)) return refused(`node ${name} gets its Ticket from another one that was selected`, SURPLUS);
      const no = eligible(node);
      if (no !== undefined) return no;
      const obstacle = obstacleAt(present.get(name) ?? [], `on node ${name}`, namespace);
      if (obstacle.outcome === 'refused') return obstacle;
      taken.add(name);
      return { outcome: 'place', model: make(node.metadata, '', undefined), ...obstacle.present };
    },
  };
}

const SURPLUS =
  'an Order in daemonSet mode holds room once a node: delete the surplus one, or reserve more in the template';

function slotPlaces(state: OrderState): Places {
  const { order } = state;
  const { name, namespace = '' } = order.metadata;
  const { replicas } = orderPlan(order.spec);
  const make = createSlotTicketMaker(order);
  const eligible = eligibility(order);
  const present = Map.groupBy(ownTickets(state), slotOf);
  const taken = new Set<number>();
  const isFree = (slot: number): boolean =>
    !taken.has(slot) && obstacleAt(present.get(slot) ?? [], '', namespace).outcome === 'free';
  const firstFree = (): number | undefined => {
    for (let slot = 0; slot < replicas; slot += 1) if (isFree(slot)) return slot;
    return undefined;
  };
  return {
    sample: () => make(0, '', undefined),
    take(node) {
      const no = eligible(node);
      if (no !== undefined) return no;
      const slot = firstFree();
      if (slot === undefined)
        return refused(
          `all ${replicas} replicas of Order ${name} have their Tickets`,
          `raise them first: kubectl scale order ${name} -n ${namespace} --replicas=${replicas + 1}`,
        );
      taken.add(slot);
      const [pending] = present.get(slot) ?? [];
      return {
        outcome: 'place',
        model: make(slot, '', undefined),
        ...(pending === undefined ? {} : { present: pending }),
      };
    },
  };
}

function slotOf({ metadata }: Ticket): number {
  const text = labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.slot) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}

const eligibility = (order: Stored<Order>): ((node: Stored<Node>) => Refusal | undefined) => {
  const { explain } = orderEligibility(order.spec);
  return (node) => {
    const nos = explain(node);
    const [first] = nos;
    if (first === undefined) return undefined;
    const why = [...new Set(nos.map(({ message }) => message.replace(/^node\(s\) /, '')))].join(', ');
    return refused(`node ${node.metadata.name} is not eligible: ${why}`, first.fix);
  };
};

type Obstacle = Refusal | { readonly outcome: 'free'; readonly present?: { readonly present: Stored<Ticket> } };

/** Tickets of the Order that are at the place already. */
function obstacleAt(tickets: readonly Stored<Ticket>[], where: string, namespace: string): Obstacle {
  const held = tickets.find(isHeld);
  if (held !== undefined)
    return refused(
      `Ticket ${held.metadata.name} of the Order holds room ${where} already`,
      'delete the selected one once nobody needs its room',
    );
  const over = tickets.find(isFinished);
  if (over !== undefined)
    return refused(
      `Ticket ${over.metadata.name} of the Order ${where} is ${over.status?.phase}`,
      `repeat the command when its successor is there, or delete it: kubectl delete ticket ${over.metadata.name} -n ${namespace}`,
    );
  const [present] = tickets;
  return present === undefined ? { outcome: 'free' } : { outcome: 'free', present: { present } };
}

const HOSTNAME = 'kubernetes.io/hostname';

/** The name of the node on which the Ticket holds room, or to which it is pinned. */
export function nodeNameOf(ticket: Stored<Ticket>, nodes: ReadonlyMap<string, Stored<Node>>): string | undefined {
  if (ticket.status?.nodeName) return ticket.status.nodeName;
  const pin = pinOfTicket(ticket);
  if (pin === undefined || pin.by === 'name') return pin?.value;
  for (const [name, { metadata }] of nodes) if (labelOf(metadata.labels, HOSTNAME) === pin.value) return name;
  return undefined;
}
