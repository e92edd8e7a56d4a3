/** Rules for the room of a Ticket, which stands in Tickets and in the template of an Order. */
import { forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { parseGoDuration } from '../../../kube/go-duration.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../../kube/names.ts';
import { isWritableTime, parseTime } from '../../../kube/time.ts';
import type { ResourceRequirements } from '../../types/core-v1.ts';
import type { TicketSpec } from '../../types/korder-v1alpha1.ts';
import { isPositive } from '../../rules/amounts.ts';
import { addAll, addTexts, type Findings } from '../../rules/findings.ts';
import { subtreeMemo } from '../../rules/memo.ts';
import { validateLabels } from '../../rules/metadata.ts';
import { CREATE_TEMPLATE } from '../pod/options.ts';
import { validateAffinity } from '../pod/validate-affinity.ts';
import { validateContainerResources } from '../pod/validate-resources.ts';
import { validateTolerations, validateTopologySpread } from '../pod/validate-scheduling.ts';
import { validateAgree } from './either-shape.ts';
import { ticketPlan } from './order-plan.ts';
import { validateBounds } from './schema-bounds.ts';
import { validateDuration, validateStart, validateTimeZone } from './time-rules.ts';

export interface TicketContext {
  /** Starts before this time are in the past; absent: they are no finding. */
  readonly earliestMs: number | undefined;
}

export function validateTicketSpec(found: Findings, spec: TicketSpec, context: TicketContext, path: string): void {
  validateBounds(found, 'TicketSpec', spec, path);
  validateBounds(found, 'TicketLifecycle', spec.lifecycle, `${path}.lifecycle`);
  validateTimes(found, spec, context, path);
  validateLifecycle(found, spec, path);
  validateReserved(found, spec.resources, `${path}.resources`);
  validatePlacement(found, spec, path);
}

function validateTimes(found: Findings, spec: TicketSpec, { earliestMs }: TicketContext, path: string): void {
  const { duration, startTime, window } = spec;
  validateDuration(found, duration, `${path}.duration`);
  validateDuration(found, window?.duration, `${path}.window.duration`);
  validateAgree(
    found,
    { path: `${path}.duration`, value: duration },
    { path: `${path}.window.duration`, value: window?.duration },
    parseGoDuration,
  );
  validateStart(found, startTime, earliestMs, `${path}.startTime`);
  validateStart(found, window?.startTime, earliestMs, `${path}.window.startTime`);
  validateAgree(
    found,
    { path: `${path}.startTime`, value: startTime },
    { path: `${path}.window.startTime`, value: window?.startTime },
    parseTime,
  );
  validateTimeZone(found, window?.timeZone, `${path}.window.timeZone`);
  const { startMs, durationMs = 0 } = ticketPlan(spec);
  if (startMs !== undefined && !isWritableTime(startMs + durationMs)) {
    const at = startTime === undefined ? 'window.startTime' : 'startTime';
    found.push(invalid(`${path}.${at}`, startTime ?? window?.startTime, 'must end before the year 10000'));
  }
}

function validateLifecycle(found: Findings, spec: TicketSpec, path: string): void {
  const { lifecycle } = spec;
  for (const name of ['ttlSecondsAfterFinished', 'cleanupPolicy'] as const) {
    validateAgree<string | number>(
      found,
      { path: `${path}.${name}`, value: spec[name] },
      { path: `${path}.lifecycle.${name}`, value: lifecycle?.[name] },
    );
  }
}

const fineResources = subtreeMemo<ResourceRequirements, true>();
const NO_CLAIMS = { allowIndivisibleHugePages: false, claims: undefined };

function validateReserved(found: Findings, resources: ResourceRequirements | undefined, path: string): void {
  if (resources !== undefined && fineResources.get(resources)) return;
  const before = found.length;
  const { claims, ...amounts } = resources ?? {};
  validateContainerResources(found, amounts, NO_CLAIMS, path);
  if (claims !== undefined) {
    found.push(forbidden(`${path}.claims`, 'devices of a ResourceClaim cannot be reserved; remove it'));
  }
  if (!Object.values(resources?.requests ?? {}).some(isPositive)) {
    const text = 'without requests no room is reserved; name a resource and an amount above zero, such as cpu: 100m';
    found.push(required(`${path}.requests`, text));
  }
  if (resources !== undefined && found.length === before) fineResources.offer(resources, true);
}

function validatePlacement(found: Findings, spec: TicketSpec, path: string): void {
  const { nodeName, priorityClassName, schedulerName, nodeSelector, affinity, tolerations, topologySpreadConstraints } =
    spec;
  for (const [name, value] of [
    ['nodeName', nodeName],
    ['priorityClassName', priorityClassName],
  ] as const) {
    if (value) addTexts(found, `${path}.${name}`, value, nameIsDnsSubdomain(value, false));
  }
  // A scheduler writes events under its name, and API servers take a qualified name there.
  if (schedulerName) addTexts(found, `${path}.schedulerName`, schedulerName, qualifiedNameProblems(schedulerName));
  addAll(found, validateLabels(nodeSelector, `${path}.nodeSelector`));
  if (affinity !== undefined) validateAffinity(found, affinity, CREATE_TEMPLATE, `${path}.affinity`);
  if (tolerations !== undefined) validateTolerations(found, tolerations, CREATE_TEMPLATE, `${path}.tolerations`);
  if (topologySpreadConstraints !== undefined) {
    const at = `${path}.topologySpreadConstraints`;
    validateTopologySpread(found, topologySpreadConstraints, CREATE_TEMPLATE, at);
  }
}

/** Fields of a Ticket that its guardian was made from. */
const OF_THE_GUARDIAN = [
  'resources',
  'nodeName',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'schedulerName',
  'priorityClassName',
] as const;

const MADE_FROM =
  "field is immutable: the guardian is made from it; change the Order's template, or make another Ticket";

/** Duration and lifecycle may change at any time; the rest of a Ticket may not. */
export function validateSameRoom(found: Findings, spec: TicketSpec, old: TicketSpec, path: string): void {
  for (const name of OF_THE_GUARDIAN) {
    if (!deepEqual(spec[name], old[name])) found.push(invalid(`${path}.${name}`, spec[name] ?? null, MADE_FROM));
  }
  if (ticketPlan(spec).startMs === ticketPlan(old).startMs) return;
  const { startTime, window } = spec;
  const isLater = startTime === undefined && window?.startTime !== undefined;
  const at = isLater ? 'window.startTime' : 'startTime';
  found.push(invalid(`${path}.${at}`, startTime ?? window?.startTime ?? null, MADE_FROM));
}

/** Settings of a Ticket that are allowed and have no effect. */
export function ticketSpecWarnings(spec: TicketSpec, path: string): readonly string[] {
  const { cleanupPolicy, lifecycle, ttlSecondsAfterFinished } = spec;
  const ttl = ttlSecondsAfterFinished ?? lifecycle?.ttlSecondsAfterFinished;
  if (ttl === undefined || (cleanupPolicy ?? lifecycle?.cleanupPolicy) !== 'Retain') return [];
  const at = ttlSecondsAfterFinished === undefined ? 'lifecycle.ttlSecondsAfterFinished' : 'ttlSecondsAfterFinished';
  return [`${path}.${at}: has no effect with cleanupPolicy Retain, which keeps finished Tickets`];
}
