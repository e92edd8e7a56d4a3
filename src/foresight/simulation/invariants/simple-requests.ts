/** Requests of pods and allocatable of nodes, summed the plain way: an oracle for the cleverer sums of placement/. */
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { parseQuantity, quantityMilliValue } from '../../../core/kube/quantity.ts';

export type SimpleResource = 'cpu' | 'memory' | 'pods';
export const RESOURCES: readonly SimpleResource[] = ['cpu', 'memory', 'pods'];

const milli = (quantity: string | number | undefined): number =>
  quantity === undefined ? 0 : quantityMilliValue(parseQuantity(String(quantity)));

/** In thousandths. */
export function requestOf(pod: Pod, resource: SimpleResource): number {
  if (resource === 'pods') return 1000;
  const sum = (containers: Pod['spec']['containers']): number =>
    containers.reduce((total, { resources }) => total + milli(resources?.requests?.[resource]), 0);
  const init = (pod.spec.initContainers ?? []).map(({ resources }) => milli(resources?.requests?.[resource]));
  return Math.max(sum(pod.spec.containers), ...init);
}

/** In thousandths. */
export const allocatableOf = (node: Node, resource: SimpleResource): number =>
  milli(node.status?.allocatable?.[resource]);
