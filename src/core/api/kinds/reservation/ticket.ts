/** Tickets: room on one node, held by a guardian. */
import { invalid } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { RESERVATION_LABELS, TICKET_PHASES } from '../../names.ts';
import type { Ticket } from '../../types/korder-v1alpha1.ts';
import { validateConditions } from '../../rules/conditions.ts';
import { addAll, type Findings } from '../../rules/findings.ts';
import { type ReservationRules, reservationStrategy } from './rules.ts';
import { LONGEST_NAME, validateBounds } from './schema-bounds.ts';
import { ticketSpecWarnings, validateSameRoom, validateTicketSpec } from './ticket-spec.ts';
import { createdMs } from './time-rules.ts';

/** Names of Orders and Tickets are values of labels on the objects that they make. */
export function validateLabelledName(found: Findings, { name }: ObjectMeta, label: string): void {
  if (!name || !exceedsBytes(name, LONGEST_NAME)) return;
  found.push(
    invalid('metadata.name', name, `must be no more than ${LONGEST_NAME} characters, to fit the label ${label}`),
  );
}

/** An Order's start has been judged with the Order; nodes that join later get Tickets all the same. */
const isOfOrder = ({ ownerReferences = [] }: ObjectMeta): boolean =>
  ownerReferences.some(
    ({ apiVersion, kind, controller }) =>
      controller === true && kind === 'Order' && apiVersion.startsWith('core.korder.dev/'),
  );

export const TICKET_RULES: ReservationRules<Ticket> = {
  create({ metadata, spec }) {
    const found: Findings = [];
    validateLabelledName(found, metadata, RESERVATION_LABELS.ticket);
    const earliestMs = isOfOrder(metadata) ? undefined : createdMs(metadata);
    validateTicketSpec(found, spec ?? {}, { earliestMs }, 'spec');
    return found;
  },
  update({ spec }, old) {
    const found: Findings = [];
    if (deepEqual(spec, old.spec)) return found;
    // A changed start is refused below, whenever it is.
    validateTicketSpec(found, spec ?? {}, { earliestMs: undefined }, 'spec');
    validateSameRoom(found, spec ?? {}, old.spec ?? {}, 'spec');
    return found;
  },
  warnings: ({ spec }) => ticketSpecWarnings(spec ?? {}, 'spec'),
};

function validateStatus(found: Findings, { status }: Ticket): void {
  validateBounds(found, 'TicketStatus', status, 'status');
  addAll(found, validateConditions(status?.conditions, 'status.conditions'));
}

export const ticketStrategy = reservationStrategy<Ticket>({
  namespaced: true,
  rules: TICKET_RULES,
  status: validateStatus,
  newStatus: Object.freeze({ phase: TICKET_PHASES.pending }),
});
