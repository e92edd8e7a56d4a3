/** The quality of service a pod gets, which follows from what it asks for. */
import type { PodSpec, ResourceRequirements } from '../../types/core-v1.ts';
import { addQuantities, compareQuantities, type Quantity, signOf } from '../../../kube/quantity.ts';
import { readAmount } from '../../rules/amounts.ts';
import type { ResourceList } from '../../rules/findings.ts';
import { listOf, lookup } from '../../rules/findings.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'] as const;

/** Totals of cpu and memory; zero amounts do not count. */
interface Totals {
  cpu: Quantity | undefined;
  memory: Quantity | undefined;
}

/** True if the list has both cpu and memory. */
function addTo(totals: Totals, list: ResourceList | undefined): boolean {
  let both = true;
  for (const name of COMPUTE) {
    const amount = lookup(list, name);
    const quantity = amount === undefined ? undefined : readAmount(amount);
    if (quantity === undefined || signOf(quantity) <= 0) {
      both = false;
      continue;
    }
    const known = totals[name];
    totals[name] = known === undefined ? quantity : addQuantities(known, quantity);
  }
  return both;
}

const isNothing = ({ cpu, memory }: Totals): boolean => cpu === undefined && memory === undefined;

const isSame = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && compareQuantities(a, b) === 0);

/** Ephemeral containers have no resources and do not count. Resources of the whole pod win over its containers'. */
export function qosClassOf(spec: PodSpec): QosClass {
  const requests: Totals = { cpu: undefined, memory: undefined };
  const limits: Totals = { cpu: undefined, memory: undefined };
  let allLimited = true;
  const count = (resources: ResourceRequirements | undefined, needsLimits: boolean): void => {
    addTo(requests, resources?.requests);
    if (!addTo(limits, resources?.limits) && needsLimits) allLimited = false;
  };
  if (spec.resources !== undefined) {
    count(spec.resources, Object.keys(spec.resources.limits ?? {}).length > 0);
  } else {
    for (const { resources } of listOf(spec.containers)) count(resources, true);
    for (const { resources } of listOf(spec.initContainers)) count(resources, true);
  }
  if (isNothing(requests) && isNothing(limits)) return 'BestEffort';
  const isBounded = allLimited && isSame(requests.cpu, limits.cpu) && isSame(requests.memory, limits.memory);
  return isBounded ? 'Guaranteed' : 'Burstable';
}
