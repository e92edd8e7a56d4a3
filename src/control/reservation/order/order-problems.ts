/**
 * Orders that the API server should have refused. On a cluster without our webhooks nothing but the bounds of the definition is checked
 * there, so a controller checks again before it acts.
 */
import { ORDER_RULES } from '../../../core/api/kinds/reservation/order.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { aggregateMessage } from '../../../core/kube/field-errors.ts';
import type { Stored } from '../../../core/kube/objects.ts';

interface Judged {
  readonly annotations: Order['metadata']['annotations'];
  readonly problem: string | undefined;
}

const known = new WeakMap<Order['spec'], Judged>();

/** All field errors in one text; undefined where there is none. Remembered by the identity of spec and annotations. */
export function orderProblem(order: Stored<Order>): string | undefined {
  const { annotations } = order.metadata;
  // A definition lets an Order in without a spec where nothing in it is required.
  const spec: Order['spec'] | undefined = order.spec;
  if (spec === undefined) return aggregateMessage(ORDER_RULES.create(order));
  let judged = known.get(spec);
  if (judged === undefined || judged.annotations !== annotations) {
    const found = ORDER_RULES.create(order);
    judged = { annotations, problem: found.length === 0 ? undefined : aggregateMessage(found) };
    known.set(spec, judged);
  }
  return judged.problem;
}
