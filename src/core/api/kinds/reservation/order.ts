/** Orders: Tickets on every eligible node, or a number of them anywhere. */
import { invalid } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { RESERVATION_LABELS } from '../../names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { Order, OrderSpec } from '../../types/korder-v1alpha1.ts';
import { validateConditions } from '../../rules/conditions.ts';
import { addAll, type Findings } from '../../rules/findings.ts';
import { validateOrderAnnotations } from './order-annotations.ts';
import { orderPlan } from './order-plan.ts';
import { validateOrderSpec } from './order-spec.ts';
import { type ReservationRules, reservationStrategy } from './rules.ts';
import { validateBounds } from './schema-bounds.ts';
import { ticketSpecWarnings } from './ticket-spec.ts';
import { validateLabelledName } from './ticket.ts';
import { createdMs } from './time-rules.ts';

const NO_SPEC: OrderSpec = Object.freeze({});

export const ORDER_RULES: ReservationRules<Order> = {
  create(order) {
    const found: Findings = [];
    const fromMs = createdMs(order.metadata);
    validateLabelledName(found, order.metadata, RESERVATION_LABELS.order);
    validateOrderAnnotations(found, order.metadata);
    validateOrderSpec(found, order, { fromMs, earliestMs: fromMs });
    return found;
  },
  update(order, old) {
    const found: Findings = [];
    validateOrderAnnotations(found, order.metadata, old.metadata);
    if (deepEqual(order.spec, old.spec)) return found;
    const fromMs = createdMs(order.metadata);
    const { ticket: before, ...was } = orderPlan(old.spec ?? NO_SPEC);
    const { ticket, ...plan } = orderPlan(order.spec ?? NO_SPEC);
    // A start that was once in the future stays where it is.
    validateOrderSpec(found, order, { fromMs, earliestMs: ticket.startMs === before.startMs ? undefined : fromMs });
    if (plan.strategy !== was.strategy) {
      const text = `field is immutable (it is ${was.strategy}): make another Order, and delete this one once that is Ready`;
      found.push(invalid('spec.strategy.type', order.spec.strategy?.type ?? null, text));
    }
    if (plan.daemonSet !== was.daemonSet) {
      const text =
        'field is immutable: Tickets for every node and numbered ones have different names; make another Order, and delete this one once that is Ready';
      found.push(invalid('spec.daemonSet', order.spec.daemonSet ?? null, text));
    }
    const selector = order.spec.selector ?? null;
    if (!deepEqual(selector, old.spec?.selector ?? null)) {
      const text =
        'field is immutable: Tickets that another selector misses would be let go with their guardians; make another Order with this selector, and delete this one once that is Ready; or, to keep the Tickets, delete this one with --cascade=orphan and create it again with a selector that matches them';
      found.push(invalid('spec.selector', selector, text));
    }
    return found;
  },
  warnings(order) {
    const spec = order.spec ?? NO_SPEC;
    const ticket = spec.template?.spec;
    return [
      ...(orderPlan(spec).daemonSet && spec.replicas !== undefined
        ? ['spec.replicas: has no effect beside daemonSet: true, which has one Ticket per eligible node; remove it']
        : []),
      ...(ticket === undefined ? [] : ticketSpecWarnings(ticket, 'spec.template.spec')),
    ];
  },
};

function validateStatus(found: Findings, { status }: Order): void {
  validateBounds(found, 'OrderStatus', status, 'status');
  addAll(found, validateConditions(status?.conditions, 'status.conditions'));
}

export const orderStrategy: KindStrategy<Order> = {
  ...reservationStrategy<Order>({
    namespaced: true,
    rules: ORDER_RULES,
    status: validateStatus,
    defaults(order) {
      const spec = order.spec ?? NO_SPEC;
      const isCounted = !orderPlan(spec).daemonSet && spec.replicas === undefined;
      return isCounted ? withMember(order, 'spec', withMember(spec, 'replicas', 1)) : order;
    },
  }),
  scale: {
    refusal: ({ spec }) =>
      orderPlan(spec).daemonSet
        ? 'it has one Ticket per eligible node (spec.daemonSet) and cannot be scaled; nodeSelector, affinity and tolerations of its template choose the nodes'
        : undefined,
    selector: ({ status }) => status?.selector ?? '',
  },
};
