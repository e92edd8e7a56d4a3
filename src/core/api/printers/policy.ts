/** Budgets, priorities, leases and runtime classes: small kinds that steer the rest. */
import type { Lease } from '../types/coordination-v1.ts';
import type { RuntimeClass } from '../types/node-v1.ts';
import type { PodDisruptionBudget } from '../types/policy-v1.ts';
import type { PriorityClass } from '../types/scheduling-v1.ts';
import { AGE, flag, int, NAME, printer, text } from './columns.ts';
import { age } from './text.ts';

const orNotApplicable = (value: string | number | undefined): string => (value === undefined ? 'N/A' : String(value));

export const podDisruptionBudgetPrinter = printer<PodDisruptionBudget>(
  [
    NAME,
    text('Min Available', 'Pods that must stay available'),
    text('Max Unavailable', 'Pods that may be unavailable'),
    int('Allowed Disruptions', 'Pods that may be evicted now'),
    AGE,
  ],
  (object, now) => [
    object.metadata.name,
    orNotApplicable(object.spec?.minAvailable),
    orNotApplicable(object.spec?.maxUnavailable),
    object.status?.disruptionsAllowed ?? 0,
    age(object, now),
  ],
);

export const priorityClassPrinter = printer<PriorityClass>(
  [
    NAME,
    int('Value', 'Priority pods of this class get'),
    flag('Global-Default', 'Whether pods without a class get it'),
    AGE,
    text('PreemptionPolicy', 'Whether such pods may evict others'),
  ],
  (object, now) => [
    object.metadata.name,
    object.value ?? 0,
    object.globalDefault ?? false,
    age(object, now),
    object.preemptionPolicy ?? '',
  ],
);

export const leasePrinter = printer<Lease>([NAME, text('Holder', 'Who holds the lease'), AGE], (object, now) => [
  object.metadata.name,
  object.spec?.holderIdentity ?? '',
  age(object, now),
]);

export const runtimeClassPrinter = printer<RuntimeClass>(
  [NAME, text('Handler', 'Runtime configuration on the node'), AGE],
  (object, now) => [object.metadata.name, object.handler ?? '', age(object, now)],
);
