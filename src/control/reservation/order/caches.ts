/** The caches that the controller reads, and how the registry hears of nodes and Tickets. */
import { NODES, ORDERS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { HandlerRegistration, Informer } from '../../../machinery/cache/informer.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import { nodeSourceFrom, type NodeSource } from '../../../machinery/ports/node-source.ts';
import type { NodeCensus } from './node-census.ts';
import type { OrderRegistry } from './order-registry.ts';

export interface OrderCaches {
  readonly orders: Informer<Order>;
  readonly tickets: Informer<Ticket>;
  readonly nodes: NodeSource;
}

export interface CacheOptions extends Pick<Surroundings, 'client' | 'informers'> {
  /** The source of nodes; by default the API server itself. */
  readonly nodes?: NodeSource;
}

export const openCaches = ({ client, informers, nodes }: CacheOptions): OrderCaches => ({
  orders: informers.for(ORDERS),
  tickets: informers.for(TICKETS),
  nodes: nodes ?? nodeSourceFrom(informers.for(NODES), client),
});

/** Tells the registry of nodes and Tickets, and the census of nodes. */
export const feedRegistry = (
  registry: OrderRegistry,
  census: NodeCensus,
  { nodes, tickets }: OrderCaches,
): readonly HandlerRegistration[] => [
  nodes.addHandler({
    add(node) {
      registry.seeNode(node, undefined);
      census.setNode(node);
    },
    update(old, node) {
      registry.seeNode(node, old);
      census.setNode(node);
    },
    delete(node) {
      registry.nodeGone(node);
      census.removeNode(node.metadata.name);
    },
  }),
  tickets.addHandler({ batch: (changes) => registry.seeTickets(changes) }),
];

/** Resolves when every node is known and every handler has been handed the objects that there were. */
export async function heardAll(
  { nodes }: OrderCaches,
  registrations: readonly HandlerRegistration[],
  signal: AbortSignal,
): Promise<void> {
  await nodes.synced(signal);
  await Promise.all(registrations.map((registration) => registration.synced(signal)));
}
