/** The record of an Order, and the definition that its engine has. */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { isSameOrderDefinition, orderDefinition } from '../../../core/daemons/order-definition.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { addSlots, slotsFor } from './board.ts';
import type { KnownOrder } from './known-order.ts';
import type { NodeCensus } from './node-census.ts';
import type { OrderRegistry } from './order-registry.ts';
import { selectorOf } from './ticket-claims.ts';
import { makerFor } from './ticket-makers.ts';

interface Definers {
  readonly registry: OrderRegistry;
  readonly census: NodeCensus;
}

export function forgetOrder({ registry, census }: Definers, order: KnownOrder): void {
  registry.forget(order);
  census.removeOrder(order.uid);
}

/** The record of this Order, with the newest state in it; a new one for another UID, sort of places or selector. */
export function orderFor(definers: Definers, known: KnownOrder | undefined, object: Stored<Order>): KnownOrder {
  const mode = orderPlan(object.spec).daemonSet ? 'nodes' : 'slots';
  const selector = selectorOf(object);
  if (known !== undefined) {
    const isSame =
      known.uid === object.metadata.uid && known.board.mode === mode && deepEqual(known.selector, selector);
    if (isSame) {
      known.object = newer(object, known.object);
      return known;
    }
    forgetOrder(definers, known);
  }
  const order = definers.registry.register(object, mode, selector, definitionOf(object, undefined));
  if (mode === 'slots') addSlots(order.board, orderPlan(object.spec).replicas);
  return order;
}

const definitionOf = (object: Stored<Order>, tick: number | undefined): KnownOrder['definition'] => {
  const { daemonSet, replicas } = orderPlan(object.spec);
  return daemonSet ? orderDefinition(object, tick) : orderDefinition(object, tick, slotsFor(replicas));
};

/** Tells the engine and the census what the Order has become, and sets the maker of its Tickets. */
export function define({ registry, census }: Definers, order: KnownOrder, tick: number | undefined): void {
  const { spec, metadata } = order.object;
  const { annotations } = metadata;
  const { defined } = order;
  if (defined?.spec === spec && defined.annotations === annotations && defined.tick === tick) return;
  order.defined = { spec, annotations, tick };
  census.setOrder(order.object);
  const definition = definitionOf(order.object, tick);
  const isSame = isSameOrderDefinition(definition, order.definition);
  if (order.maker === undefined || definition.templateHash !== order.definition.templateHash)
    order.maker = makerFor(order);
  if (isSame) return;
  if (order.board.mode === 'slots') addSlots(order.board, orderPlan(order.object.spec).replicas);
  registry.define(order, definition);
}
