/**
 * Admission of Orders, Tickets and Quotas on clusters that everynode does not serve: the same rules that the embedded API server
 * validates by, behind the webhook server. Definitions there can say bounds and enums, but not that two fields contradict each
 * other or that a schedule never comes.
 */
import { ORDER_RULES } from '../../../core/api/kinds/reservation/order.ts';
import { QUOTA_RULES } from '../../../core/api/kinds/reservation/quota.ts';
import { type ReservationRules, warningsOf } from '../../../core/api/kinds/reservation/rules.ts';
import { TICKET_RULES } from '../../../core/api/kinds/reservation/ticket.ts';
import { checkObject } from '../../../core/api/schema/check.ts';
import type { Order, Quota, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { badRequest, invalidObject } from '../../../core/kube/status-error.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { measuredAdmission } from './measured-admission.ts';
import { handlesReservation, RESERVATION_ADMISSION, type ReservationResource } from './scope.ts';

/** Any of the three; the schema of a resource pairs objects with the rules that are written for them. */
type Reservation = Order | Ticket | Quota;

interface Judged {
  readonly schema: string;
  readonly rules: ReservationRules<Reservation>;
}

const judged = (schema: string, rules: unknown): Judged => ({ schema, rules: rules as Judged['rules'] });

const KINDS: { readonly [R in ReservationResource]: Judged } = {
  orders: judged('korder/v1alpha1.Order', ORDER_RULES),
  tickets: judged('korder/v1alpha1.Ticket', TICKET_RULES),
  quotas: judged('korder/v1alpha1.Quota', QUOTA_RULES),
};

const ALLOWED: AdmissionResponse = { allowed: true };

export function createReservationAdmission(around?: Pick<Surroundings, 'clock' | 'metrics'>): AdmissionPlugin {
  const plugin = { name: RESERVATION_ADMISSION, handles: handlesReservation, validate: answer };
  return around === undefined ? plugin : measuredAdmission(plugin, around);
}

function answer(request: AdmissionRequest): AdmissionResponse {
  const { kind, name, object, resource } = request;
  if (object === undefined) return ALLOWED;
  const { schema, rules } = KINDS[resource.resource as ReservationResource];
  // Another definition of the kind may let values of other types in.
  const checked = checkObject(schema, object);
  if (checked.error !== undefined) {
    return { allowed: false, error: badRequest(`${kind} cannot be read: ${checked.error}`) };
  }
  const now = checked.object as Reservation;
  const before = storedBefore(schema, request.oldObject);
  const findings = before === undefined ? rules.create(now) : rules.update(now, before);
  if (findings.length > 0) {
    const error = invalidObject({ group: resource.group, kind }, now.metadata.name || name, findings);
    return { allowed: false, error };
  }
  const warnings = warningsOf(rules, now, before);
  return warnings.length === 0 ? ALLOWED : { allowed: true, warnings };
}

/** An object that cannot be read is replaced as a whole: the new one is judged like one that is created. */
function storedBefore(schema: string, old: KubeObject | undefined): Reservation | undefined {
  if (old === undefined) return undefined;
  const { object, error } = checkObject(schema, old);
  return error === undefined ? (object as Reservation) : undefined;
}
