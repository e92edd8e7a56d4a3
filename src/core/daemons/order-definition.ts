/** From an Order to its definition for the engine. */
import { orderPlan, type OrderStrategyType, type RefreshPolicy } from '../api/kinds/reservation/order-plan.ts';
import { RESERVATION_ANNOTATIONS } from '../api/names.ts';
import type { Order, OrderSpec, TicketSpec } from '../api/types/korder-v1alpha1.ts';
import type { IntOrString } from '../kube/int-or-string.ts';
import { labelOf } from '../kube/labels.ts';
import type { Stored } from '../kube/objects.ts';
import { parseGoDuration } from '../kube/go-duration.ts';
import { compileEligibility, type Eligibility, ORDER_POLICY } from './eligibility.ts';
import type { DaemonDefinition } from './engine-types.ts';
import { guardianHash, templateHash } from './reservation-hash.ts';
import { ticketSpec } from './ticket-maker.ts';

export interface OrderDefinition extends DaemonDefinition {
  readonly strategy: OrderStrategyType;
  readonly refresh: RefreshPolicy;
  /** How long a Ticket stays on a node that is not Ready, unreachable or cordoned. */
  readonly graceMs: number;
  readonly templateHash: string;
  /** Of the guardians that the template makes: a Ticket with another hash cannot pass its guardian on. */
  readonly guardianHash: string;
  readonly minReadySeconds: number;
  /** The tick that is being carried out (epoch ms); undefined when none is. */
  readonly tick: number | undefined;
}

const DEFAULT_GRACE_MS = 5 * 60_000;
const EMPTY_TICKET: TicketSpec = Object.freeze({});

/** @param eligibility of the Order's places; in daemonSet mode that of its nodes. */
export function orderDefinition(
  order: Stored<Order>,
  tick: number | undefined,
  eligibility: Eligibility = orderEligibility(order.spec),
): OrderDefinition {
  const { strategy, refresh, minReadySeconds } = orderPlan(order.spec);
  return {
    key: order.metadata.uid,
    eligibility,
    strategy,
    refresh,
    graceMs: graceOf(order),
    templateHash: templateHash(order.spec),
    guardianHash: guardianHash(ticketSpec(order, '')),
    minReadySeconds,
    tick,
  };
}

/** Whether the engine needs no update. */
export const isSameOrderDefinition = (a: OrderDefinition, b: OrderDefinition): boolean =>
  a.eligibility === b.eligibility &&
  a.strategy === b.strategy &&
  a.refresh === b.refresh &&
  a.graceMs === b.graceMs &&
  a.templateHash === b.templateHash &&
  a.guardianHash === b.guardianHash &&
  a.minReadySeconds === b.minReadySeconds &&
  a.tick === b.tick;

export const orderEligibility = ({ template }: OrderSpec): Eligibility =>
  compileEligibility(template?.spec ?? EMPTY_TICKET, ORDER_POLICY);

/** A grace period that cannot be read, or is negative, is the default. */
function graceOf({ metadata }: Order): number {
  const text = labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.nodeGrace);
  const ms = text === undefined ? undefined : parseGoDuration(text);
  return ms === undefined || ms < 0 ? DEFAULT_GRACE_MS : ms;
}

/** Number or percentage of Tickets whose room may be free at a time while a changed template replaces them. */
export function maxUnavailableOf({ metadata }: Order): IntOrString {
  const text = labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.maxUnavailable)?.trim() ?? '';
  if (/^[0-9]{1,9}%$/.test(text)) return text;
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 1;
}
