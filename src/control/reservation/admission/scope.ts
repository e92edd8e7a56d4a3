/** Name and resources of the admission plugin for Orders, Tickets and Quotas. */
import type { AdmissionPlugin } from '../../../machinery/ports/admission.ts';

/** The plugin's name, and with it the path of its webhook. */
export const RESERVATION_ADMISSION = 'reservation';

export const RESERVATION_GROUP = 'core.korder.dev';
export const RESERVATION_VERSION = 'v1alpha1';
export const NAMESPACED_RESERVATIONS = ['orders', 'tickets'] as const;
export const CLUSTER_RESERVATIONS = ['quotas'] as const;

export type ReservationResource = (typeof NAMESPACED_RESERVATIONS | typeof CLUSTER_RESERVATIONS)[number];

const RESOURCES: ReadonlySet<string> = new Set([...NAMESPACED_RESERVATIONS, ...CLUSTER_RESERVATIONS]);

export const handlesReservation: AdmissionPlugin['handles'] = ({ operation, resource, subresource }) =>
  subresource === '' &&
  resource.group === RESERVATION_GROUP &&
  RESOURCES.has(resource.resource) &&
  (operation === 'CREATE' || operation === 'UPDATE');
