/** The quality of service a pod gets, which follows from what it asks for. */
import type { PodSpec, ResourceRequirements } from '../../types/core-v1.ts';
import { addAmounts, compareAmounts, isPositive } from './amounts.ts';
import type { ResourceList } from './findings.ts';
import { listOf, lookup } from './findings.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'] as const;

/** Totals of cpu and memory, as far as they are above zero. */
class Totals {
  readonly #amounts = new Map<string, string | number>();

  /** True when the list has both. */
  add(list: ResourceList | undefined): boolean {
    let both = true;
    for (const name of COMPUTE) {
      const amount = lookup(list, name);
      if (amount === undefined || !isPositive(amount)) {
        both = false;
        continue;
      }
      const known = this.#amounts.get(name);
      this.#amounts.set(name, known === undefined ? amount : addAmounts(known, amount));
    }
    return both;
  }

  get size(): number {
    return this.#amounts.size;
  }

  equals(other: Totals): boolean {
    for (const [name, amount] of this.#amounts) {
      const theirs = other.#amounts.get(name);
      if (theirs === undefined || compareAmounts(amount, theirs) !== 0) return false;
    }
    return this.size === other.size;
  }
}

/** Ephemeral containers have no resources and do not count. Resources of the whole pod win over its containers'. */
export function qosClassOf(spec: PodSpec): QosClass {
  const requests = new Totals();
  const limits = new Totals();
  let allLimited = true;
  const count = (resources: ResourceRequirements | undefined, needsLimits: boolean): void => {
    requests.add(resources?.requests);
    if (!limits.add(resources?.limits) && needsLimits) allLimited = false;
  };
  if (spec.resources !== undefined) {
    count(spec.resources, Object.keys(spec.resources.limits ?? {}).length > 0);
  } else {
    for (const { resources } of listOf(spec.containers)) count(resources, true);
    for (const { resources } of listOf(spec.initContainers)) count(resources, true);
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return allLimited && requests.equals(limits) ? 'Guaranteed' : 'Burstable';
}
