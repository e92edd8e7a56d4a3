/**
 * The Tickets of an Order as its controller makes them: the template with the labels of the Order, in daemonSet mode pinned to one
 * node by its name. All Tickets of a template share everything but their metadata and their pin.
 */
import { orderPlan } from '../api/kinds/reservation/order-plan.ts';
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../api/names.ts';
import type { TopologySpreadConstraint } from '../api/types/core-v1.ts';
import type { Order, Ticket, TicketSpec } from '../api/types/korder-v1alpha1.ts';
import { formatGoDuration } from '../kube/go-duration.ts';
import { childName } from '../kube/hash.ts';
import { deepEqual } from '../kube/immutable.ts';
import { labelOf, type Labels } from '../kube/labels.ts';
import type { ObjectMeta } from '../kube/meta-v1.ts';
import type { Stored } from '../kube/objects.ts';
import { controllerReference } from '../kube/owner-references.ts';
import { type NodeIdentity, pinnedTo } from './daemon-pod.ts';
import { HOSTNAME_LABEL } from './node-table.ts';
import { templateHash } from './reservation-hash.ts';

const API_VERSION = 'core.korder.dev/v1alpha1';
const LABEL_LIMIT = 63;

/**
 * Makes the Ticket for a node. `predecessor` is the UID of the Ticket that it follows there, empty for the first, and only part of its
 * name; `takesOver` the UID of the Ticket whose guardian it gets.
 */
export type TicketMaker = (node: NodeIdentity, predecessor: string, takesOver: string | undefined) => Ticket;
/** Makes the Ticket for one of the replicas, counted from 0. */
export type SlotTicketMaker = (slot: number, predecessor: string, takesOver: string | undefined) => Ticket;

export function createTicketMaker(order: Stored<Order>): TicketMaker {
  const make = maker(order);
  const base = sharedSpec(order);
  const { affinity } = base;
  return (node, predecessor, takesOver) =>
    make(
      [node.uid, predecessor],
      takesOver,
      { [RESERVATION_ANNOTATIONS.nodeUid]: node.uid },
      pin(base, affinity, node.name),
    );
}

export function createSlotTicketMaker(order: Stored<Order>): SlotTicketMaker {
  const make = maker(order);
  const spec = sharedSpec(order);
  return (slot, predecessor, takesOver) =>
    make([String(slot), predecessor], takesOver, { [RESERVATION_ANNOTATIONS.slot]: String(slot) }, spec);
}

/** The spec of a Ticket of this Order, as the makers write it. */
export function ticketSpec(order: Stored<Order>, nodeName: string): TicketSpec {
  const base = sharedSpec(order);
  return orderPlan(order.spec).daemonSet ? pin(base, base.affinity, nodeName) : base;
}

const pin = (base: TicketSpec, affinity: TicketSpec['affinity'], nodeName: string): TicketSpec => ({
  ...base,
  affinity: pinnedTo(affinity, nodeName),
});

function sharedSpec(order: Stored<Order>): TicketSpec {
  const { daemonSet, ticket } = orderPlan(order.spec);
  const { nodeName, ...template } = order.spec.template?.spec ?? {};
  const hasDuration = (template.duration ?? template.window?.duration) !== undefined;
  const duration =
    hasDuration || ticket.durationMs === undefined ? {} : { duration: formatGoDuration(ticket.durationMs) };
  // The pin says as much as the name, and lets the scheduler see whether there is room.
  if (daemonSet) return { ...template, ...duration };
  const isSpread = (template.topologySpreadConstraints ?? []).length > 0 || (nodeName ?? '') !== '';
  return {
    ...template,
    ...duration,
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(isSpread ? {} : { topologySpreadConstraints: [spreadOf(order.metadata.uid)] }),
  };
}

/** Replicas of an Order on one node are lost together, so they are kept apart where there is room to. */
const spreadOf = (orderUid: string): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: HOSTNAME_LABEL,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { [RESERVATION_LABELS.orderUid]: orderUid } },
});

/** Whether replicas of some Order whose template says nothing of spreading are spread like this. */
export function isDefaultSpread(constraints: readonly TopologySpreadConstraint[]): boolean {
  const orderUid = labelOf(constraints[0]?.labelSelector?.matchLabels, RESERVATION_LABELS.orderUid);
  return orderUid !== undefined && deepEqual(constraints, [spreadOf(orderUid)]);
}

type Make = (nameParts: readonly string[], takesOver: string | undefined, place: Labels, spec: TicketSpec) => Ticket;

function maker(order: Stored<Order>): Make {
  const { name, namespace, uid } = order.metadata;
  const template = order.spec.template?.metadata;
  const shared: Omit<ObjectMeta, 'name' | 'annotations'> = {
    labels: { ...template?.labels, ...orderLabels(order) },
    ...(template?.finalizers === undefined ? {} : { finalizers: template.finalizers }),
    ownerReferences: [controllerReference({ ...order, apiVersion: API_VERSION, kind: 'Order' })],
    ...(namespace === undefined ? {} : { namespace }),
  };
  return (nameParts, takesOver, place, spec) => ({
    apiVersion: API_VERSION,
    kind: 'Ticket',
    metadata: {
      name: childName(name, [uid, ...nameParts]),
      ...shared,
      annotations: {
        ...template?.annotations,
        ...place,
        ...(takesOver === undefined ? {} : { [RESERVATION_ANNOTATIONS.predecessor]: takesOver }),
      },
    },
    spec,
  });
}

/** The labels by which the Tickets of an Order are known. A name that is too long for a label is cut, and stays one of a kind. */
export function orderLabels({ metadata, spec }: Stored<Order>): Labels {
  const { name, uid } = metadata;
  return {
    [RESERVATION_LABELS.order]: name.length <= LABEL_LIMIT ? name : childName(name, [uid], LABEL_LIMIT),
    [RESERVATION_LABELS.orderUid]: uid,
    [RESERVATION_LABELS.templateHash]: templateHash(spec),
  };
}
