/** Requests and limits of a whole pod, filled in from its containers where the author set only some of them. */
import type { Container, PodSpec, ResourceRequirements } from '../../../types/core-v1.ts';
import { addAmounts, compareAmounts } from '../../../rules/amounts.ts';
import { setOwn } from '../../../../kube/immutable.ts';
import { copyOf } from './default-container.ts';
import type { ResourceList } from '../../../rules/findings.ts';
import { has, listOf } from '../../../rules/findings.ts';
import { allowsOvercommit, isHugePages } from '../../../rules/resource-names.ts';

type Totals = Map<string, string | number>;

function addTo(totals: Totals, list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const value = list[name] ?? '0';
    const known = totals.get(name);
    totals.set(name, known === undefined ? value : addAmounts(known, value));
  }
}

function raiseTo(totals: Totals, other: ReadonlyMap<string, string | number>): void {
  for (const [name, value] of other) {
    const known = totals.get(name);
    if (known === undefined || compareAmounts(value, known) > 0) totals.set(name, value);
  }
}

/**
 * The total needs of the containers. Regular containers and sidecars run at the same time; an init container runs
 * beside the sidecars started before it.
 */
export function aggregate(
  spec: PodSpec,
  read: (resources: ResourceRequirements | undefined) => ResourceList | undefined,
): Totals {
  const totals: Totals = new Map();
  for (const container of listOf(spec.containers)) addTo(totals, read(container.resources));
  const sidecars: Totals = new Map();
  const peak: Totals = new Map();
  for (const container of listOf(spec.initContainers)) {
    const list = read(container.resources);
    if (isSidecar(container)) {
      addTo(totals, list);
      addTo(sidecars, list);
      raiseTo(peak, sidecars);
    } else {
      const together: Totals = new Map(sidecars);
      addTo(together, list);
      raiseTo(peak, together);
    }
  }
  raiseTo(totals, peak);
  return totals;
}

export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

export function defaultPodLevelResources(spec: PodSpec): ResourceRequirements {
  const given = spec.resources ?? {};
  const limits = hugePageLimits(spec, given);
  const requests = podRequests(spec, { ...given, ...(limits === undefined ? undefined : { limits }) });
  if (limits === given.limits && requests === given.requests) return given;
  return {
    ...given,
    ...(limits === undefined ? undefined : { limits }),
    ...(requests === undefined ? undefined : { requests }),
  };
}

const isEmpty = (list: ResourceList | undefined): boolean => list === undefined || Object.keys(list).length === 0;

/** Huge pages cannot be overcommitted: the pod's limit is at least what its containers may take. */
function hugePageLimits(spec: PodSpec, { limits, requests }: ResourceRequirements): ResourceList | undefined {
  if (isEmpty(limits) && isEmpty(requests)) return limits;
  let filled: { [key: string]: string | number } | undefined;
  for (const [name, value] of aggregate(spec, (resources) => resources?.limits)) {
    if (!isHugePages(name) || has(requests, name) || has(limits, name)) continue;
    filled ??= copyOf(limits);
    setOwn(filled, name, value);
  }
  return filled ?? limits;
}

function podRequests(spec: PodSpec, { limits, requests }: ResourceRequirements): ResourceList | undefined {
  if (limits === undefined || isEmpty(limits)) return requests;
  let filled: { [key: string]: string | number } | undefined;
  const fill = (name: string, value: string | number): void => {
    if (has(filled ?? requests, name) || !isPodLevelResource(name)) return;
    filled ??= copyOf(requests);
    setOwn(filled, name, value);
  };
  for (const [name, value] of aggregate(spec, (resources) => resources?.requests)) {
    if (allowsOvercommit(name)) fill(name, value);
  }
  for (const name of Object.keys(limits)) fill(name, limits[name] ?? '0');
  return filled ?? requests;
}
