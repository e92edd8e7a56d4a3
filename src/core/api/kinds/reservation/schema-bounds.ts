/**
 * Bounds of the fields of Orders, Tickets and Quotas, by type and field, in one table. Validation reads enums, smallest and largest
 * values from it; the definitions for other clusters (tools/generate/deploy-crds.ts) take everything. Rules with words of their own, such
 * as those of durations and schedules, are beside the kinds; a pattern here only keeps out what no such rule would accept.
 */
import { invalid, notSupported } from '../../../kube/field-errors.ts';
import { TICKET_PHASES } from '../../names.ts';
import { type Findings, nonNegative } from '../../rules/findings.ts';
import { CLEANUP_POLICIES, REFRESH_POLICIES, STRATEGY_TYPES } from './order-plan.ts';

export interface FieldBounds {
  /** Text for `kubectl explain`. */
  readonly about: string;
  readonly required?: true;
  readonly enum?: readonly string[];
  readonly minimum?: 0;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly format?: 'date-time';
  readonly default?: string | { readonly [key: string]: string };
  /** In place of the schema that the facts give. */
  readonly schema?: object;
}

/**
 * The controller keeps a place for each replica in memory, whether it has its Ticket or not. A number far beyond what any cluster has
 * room for must not cost the memory of the process.
 */
const MOST_REPLICAS = 100_000;

/** Order and Ticket names are values of labels. */
export const LONGEST_NAME = 63;

const SCOPE_TYPES = ['Cluster', 'NamespaceSelector', 'NamespaceList', 'ObjectSelector'] as const;

/** A Go duration that is not negative. */
const DURATION = {
  pattern: '^\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$',
  maxLength: 64,
};
const ZONE = { minLength: 1, maxLength: 64 };
const SCHEDULE = { minLength: 1, maxLength: 256 };
const COUNT = { minimum: 0 } as const;
const AMOUNTS = {
  schema: {
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  },
};

type Bounds = { readonly [type: string]: { readonly [field: string]: FieldBounds } };

export const RESERVATION_BOUNDS = {
  Order: {
    spec: { about: 'Room that is wanted' },
    status: { about: 'Room that is held' },
  },
  OrderSpec: {
    daemonSet: { about: 'One Ticket on every eligible node; replicas are ignored' },
    template: { about: 'The Tickets that the Order makes', required: true },
    paused: { about: 'No Ticket is made, renewed or removed while true' },
    replicas: { about: 'Number of Tickets without daemonSet; 1 if absent', ...COUNT, maximum: MOST_REPLICAS },
    strategy: { about: 'When Tickets are made; at once if absent' },
    refreshPolicy: { about: 'Later shape of strategy.refreshPolicy', enum: REFRESH_POLICIES },
    minReadySeconds: { about: 'Seconds that a Ticket must be Reserved before it counts as available', ...COUNT },
    selector: { about: 'Selects the Tickets of the Order by their labels' },
  },
  OrderStrategy: {
    type: {
      about: 'OneTime makes Tickets at once, Scheduled at the ticks of the schedule, Recurring at once and at ticks',
      enum: STRATEGY_TYPES,
    },
    schedule: { about: 'Ticks in cron notation, for Scheduled and Recurring', ...SCHEDULE },
    timeZone: { about: 'IANA time zone of the schedule; UTC if absent', ...ZONE },
    refreshPolicy: {
      about: 'What follows a claimed or expired Ticket; OnClaim if absent',
      enum: REFRESH_POLICIES,
    },
  },
  OrderStatus: {
    replicas: { about: 'Tickets wanted; with daemonSet the number of eligible nodes', ...COUNT },
    availableReplicas: { about: 'Tickets that have been Reserved for minReadySeconds', ...COUNT },
    unavailableReplicas: { about: 'Wanted Tickets that are not available', ...COUNT },
    updatedReplicas: { about: 'Tickets made from the current template', ...COUNT },
    terminalReplicas: { about: 'Tickets that are Released or Expired', ...COUNT },
    selector: { about: 'The selector as text, for autoscalers' },
    lastScheduleTime: { about: 'The last tick of the schedule that was acted on' },
    nextScheduleTime: { about: 'The next tick of the schedule' },
  },
  TicketTemplate: {
    metadata: { about: 'Labels and annotations of the Tickets' },
    spec: { about: 'The room of each Ticket', required: true },
  },
  Ticket: {
    spec: { about: 'Room that is wanted' },
    status: { about: 'Room that is held' },
  },
  TicketSpec: {
    duration: { about: 'How long room is held, as a Go duration such as 24h', ...DURATION },
    startTime: { about: 'Time from which room is held (RFC 3339); at once if absent', format: 'date-time' },
    window: { about: 'Later shape of duration and startTime' },
    lifecycle: { about: 'Later shape of ttlSecondsAfterFinished and cleanupPolicy' },
    ttlSecondsAfterFinished: { about: 'Seconds until a finished Ticket is deleted; 3600 if absent', ...COUNT },
    cleanupPolicy: { about: 'Whether finished Tickets are deleted', enum: CLEANUP_POLICIES },
    schedulerName: { about: 'Scheduler of the guardian' },
    priorityClassName: { about: 'PriorityClass of the guardian; everynode-guardian if absent', maxLength: 253 },
    resources: { about: 'Requests that are reserved, and the limits of the guardian', required: true },
    nodeName: { about: 'Node of the guardian; bypasses the scheduler', maxLength: 253 },
    nodeSelector: { about: 'Labels of nodes on which room is held' },
    affinity: { about: 'Affinity of the guardian' },
    tolerations: { about: 'Tolerations of the guardian' },
    topologySpreadConstraints: { about: 'How guardians are spread' },
  },
  TicketWindow: {
    startTime: { about: 'Time from which room is held (RFC 3339)', format: 'date-time' },
    timeZone: { about: 'IANA time zone of the schedule', ...ZONE },
    duration: { about: 'How long room is held, as a Go duration', ...DURATION },
  },
  TicketLifecycle: {
    ttlSecondsAfterFinished: { about: 'Seconds until a finished Ticket is deleted', ...COUNT },
    cleanupPolicy: { about: 'Whether finished Tickets are deleted', enum: CLEANUP_POLICIES },
  },
  TicketStatus: {
    phase: { about: 'How far the Ticket is', enum: Object.values(TICKET_PHASES) },
    nodeName: { about: 'Node on which room is held' },
    guardianPod: { about: 'Pod that holds the room, as namespace/name' },
    claimedPod: { about: 'Pod that took the room, as namespace/name' },
    activationTime: { about: 'Time at which the room was first held' },
    expirationTime: { about: 'Time at which the room is given back; absent: never' },
    renewedTime: { about: 'Time of the last renewal' },
    finishedTime: { about: 'Time at which the Ticket was Released or Expired' },
    claim: { about: 'The handover to a pod' },
  },
  Quota: {
    spec: { about: 'Room that may be reserved' },
    status: { about: 'Room that is reserved' },
  },
  QuotaSpec: {
    scope: { about: 'Orders and Tickets that are counted', default: { type: 'Cluster' } },
    hard: {
      about: 'Largest values: orders, tickets, reserved.<resource>, and max-duration (a Go duration or seconds)',
      required: true,
      ...AMOUNTS,
    },
    timeWindows: { about: 'Times at which hard values are multiplied' },
    allocation: { about: 'Shares of single namespaces' },
  },
  QuotaScope: {
    type: { about: 'How the scope is chosen', enum: SCOPE_TYPES, default: 'Cluster' },
    namespaceSelector: { about: 'Labels of namespaces, for NamespaceSelector' },
    namespaces: { about: 'Names of namespaces, for NamespaceList' },
    objectSelector: { about: 'Labels of Orders and Tickets, for ObjectSelector' },
  },
  QuotaTimeWindow: {
    name: { about: 'Name of the window', minLength: 1 },
    schedule: { about: 'Begin of the window in cron notation', ...SCHEDULE },
    multiplier: { about: 'Decimal number above zero', pattern: '^[0-9]+(\\.[0-9]+)?$', maxLength: 16 },
  },
  QuotaAllocation: {
    namespace: { about: 'Name of a namespace', minLength: 1 },
    limits: { about: 'Largest values of the namespace, named as those of hard' },
  },
  QuotaStatus: {
    hard: { about: 'Values that are enforced now', ...AMOUNTS },
    used: { about: 'Values in use', ...AMOUNTS },
    activeTimeWindow: { about: 'Name of the window that multiplies hard values now' },
  },
} as const satisfies Bounds;

export type BoundType = keyof typeof RESERVATION_BOUNDS;

/** Enums, smallest and largest values of one object's own fields. */
export function validateBounds(found: Findings, type: BoundType, object: object | undefined, path: string): void {
  if (object === undefined) return;
  const values = object as { readonly [field: string]: unknown };
  for (const [name, bounds] of Object.entries<FieldBounds>(RESERVATION_BOUNDS[type])) {
    const value = values[name];
    if (value === undefined) continue;
    if (bounds.minimum !== undefined) nonNegative(found, value as number, `${path}.${name}`);
    if (bounds.maximum !== undefined && (value as number) > bounds.maximum) {
      found.push(invalid(`${path}.${name}`, value, `must be at most ${bounds.maximum}`));
    }
    if (bounds.enum !== undefined && !bounds.enum.includes(value as string)) {
      found.push(notSupported(`${path}.${name}`, value, bounds.enum));
    }
  }
}
