/** Which Tickets of a former template give up their room now, because their guardians must change. */
import type { DaemonView } from './engine-types.ts';
import type { OrderDefinition } from './order-definition.ts';
import type { NodeNames, RolloutOrder } from './rollout-order.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { OUTDATED_HELD, SPENT } from './ticket-rules.ts';
import { assess } from './ticket-work.ts';

export type OrderView = DaemonView<DaemonTicket, OrderDefinition>;

/**
 * Tickets to delete now, at most so many that no more than `maxUnavailable` places are without available room. A place whose
 * Ticket is deleted gets a new one as any that has none.
 */
export function planReplacements(
  nodes: NodeNames,
  view: OrderView,
  maxUnavailable: number,
  order: RolloutOrder,
  now: number,
): readonly DaemonTicket[] {
  const { everything, places } = view.takeListed(OUTDATED_HELD);
  if (everything) order.clear();
  order.add(places);
  const budget = Math.max(0, Math.max(1, maxUnavailable) - view.count(SPENT));
  if (budget === 0 || view.count(OUTDATED_HELD) === 0) return [];
  const chosen = order.first(budget, (place) => (view.judgement(place) & OUTDATED_HELD) !== 0);
  return chosen
    .map((place) => {
      const tickets = view.children(place);
      return assess(view.definition, view.verdict(place), nodes.node(place), tickets, now).succession?.heldOutdated;
    })
    .filter((ticket) => ticket !== undefined);
}
