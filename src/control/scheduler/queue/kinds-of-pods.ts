/**
 * Pods that every filter treats alike are one kind: whatever helps one of them helps the others, and what is known about
 * one attempt is known about all. The pods of a template are of one kind, save for what each claims for itself.
 */
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { Requests } from '../../../core/placement/requests.ts';

const numbers = new WeakMap<object, number>();
let next = 1;

/** Only told apart, never shown or ordered: so counting across clusters makes nothing depend on what ran before. */
function numberOf(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) numbers.set(object, (number = next++));
  return number;
}

const requestsText = ({ cpu, memory, ephemeralStorage, scalars }: Requests): string => {
  let text = `${cpu},${memory},${ephemeralStorage}`;
  for (const [name, amount] of scalars) text += `,${name}=${amount}`;
  return text;
};

/** Equal for pods of one kind. The nodes a pod is pinned to are left out: those are looked up by node. */
export function kindOf(compiled: CompiledPod): string {
  const { pod, record, requests, tolerations, nodeAffinity, spread } = compiled;
  const { spec } = pod;
  // A volume may be the pod's alone in many ways; such a pod is of its own kind.
  const own = spec.volumes?.some(isShared) === true ? record.key : '';
  return [
    record.namespace,
    record.priority,
    spec.preemptionPolicy ?? '',
    requestsText(requests),
    numberOf(tolerations),
    nodeAffinity.pinnedNodes === undefined ? numberOf(nodeAffinity) : 'pinned',
    numberOf(spread),
    record.ports.map(({ ip, slot }) => `${ip}:${slot}`).join(','),
    record.affinity?.key ?? '',
    JSON.stringify(record.labels ?? null),
    own,
  ].join('\n');
}

const isShared = (volume: NonNullable<CompiledPod['pod']['spec']['volumes']>[number]): boolean =>
  volume.persistentVolumeClaim !== undefined ||
  volume.ephemeral !== undefined ||
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;
