/**
 * Admission checks of access control on writes. Last in the chain: nothing may change an object after it was judged.
 */
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { ClusterAuthorizer } from './rbac/rbac.ts';
import { createCertificateAdmission } from './certificates/certificate-admission.ts';
import { createEscalationCheck } from './rbac/escalation.ts';

export const accessAdmission = (authorizer: ClusterAuthorizer, clock: Clock): readonly AdmissionPlugin[] => [
  createEscalationCheck(authorizer),
  createCertificateAdmission(authorizer, clock),
];
