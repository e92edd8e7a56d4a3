/** Budgets, priorities, leases and runtime classes: small kinds that steer the rest. */
import type { Lease } from '../types/coordination-v1.ts';
import type { RuntimeClass } from '../types/node-v1.ts';
import type { PodDisruptionBudget } from '../types/policy-v1.ts';
import type { PriorityClass } from '../types/scheduling-v1.ts';
import { AGE, flag, int, NAME, printer, text } from './columns.ts';

const orNotApplicable = (value: string | number | undefined): string => (value === undefined ? 'N/A' : String(value));

export const podDisruptionBudgetPrinter = printer<PodDisruptionBudget>([
  NAME,
  text('Min Available', 'Pods that must stay available', ({ spec }) => orNotApplicable(spec?.minAvailable)),
  text('Max Unavailable', 'Pods that may be unavailable', ({ spec }) => orNotApplicable(spec?.maxUnavailable)),
  int('Allowed Disruptions', 'Pods that may be evicted now', ({ status }) => status?.disruptionsAllowed ?? 0),
  AGE,
]);

export const priorityClassPrinter = printer<PriorityClass>([
  NAME,
  int('Value', 'Priority pods of this class get', ({ value }) => value ?? 0),
  flag('Global-Default', 'Whether pods without a class get it', ({ globalDefault }) => globalDefault ?? false),
  AGE,
  text('PreemptionPolicy', 'Whether such pods may evict others', ({ preemptionPolicy }) => preemptionPolicy ?? ''),
]);

export const leasePrinter = printer<Lease>([
  NAME,
  text('Holder', 'Who holds the lease', ({ spec }) => spec?.holderIdentity ?? ''),
  AGE,
]);

export const runtimeClassPrinter = printer<RuntimeClass>([
  NAME,
  text('Handler', 'Runtime configuration on the node', ({ handler }) => handler ?? ''),
  AGE,
]);
