/**
 * Pods that every filter treats alike are one kind: a change that helps one of them helps the others, and the outcome of
 * one attempt holds for all. The pods of a template are of one kind, save for the volumes and Tickets that each claims for
 * itself.
 */
import { isClaimant } from '../../../core/api/kinds/reservation/claim-request.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { Requests } from '../../../core/placement/requests.ts';

const numbers = new WeakMap<object, number>();
let next = 1;

/** Numbers are only compared for equality, never shown or ordered: a count shared by clusters leaks nothing between them. */
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

/** The last answer: pods of one template come one after the other, and share all parts that decide their kind. */
let last: { readonly compiled: CompiledPod; readonly kind: string } | undefined;

const isLike = (a: CompiledPod, b: CompiledPod): boolean =>
  a.requests === b.requests &&
  a.tolerations === b.tolerations &&
  a.nodeAffinity === b.nodeAffinity &&
  a.spread === b.spread &&
  a.record.labels === b.record.labels &&
  a.record.namespace === b.record.namespace &&
  a.record.priority === b.record.priority &&
  a.record.ports === b.record.ports &&
  a.pod.spec.affinity === b.pod.spec.affinity &&
  a.pod.spec.preemptionPolicy === b.pod.spec.preemptionPolicy &&
  a.pod.spec.volumes === b.pod.spec.volumes &&
  !isClaimant(b.pod.metadata);

/** Equal for pods of one kind. The nodes a pod is pinned to are left out: the index finds pinned pods by node. */
export function kindOf(compiled: CompiledPod): string {
  if (last !== undefined && isLike(last.compiled, compiled)) return last.kind;
  const own = compiled.pod.spec.volumes?.some(isItsOwn) === true || isClaimant(compiled.pod.metadata);
  const kind = describe(compiled, own);
  last = own ? undefined : { compiled, kind };
  return kind;
}

function describe(compiled: CompiledPod, own: boolean): string {
  const { pod, record, requests, tolerations, nodeAffinity, spread } = compiled;
  return [
    record.namespace,
    record.priority,
    pod.spec.preemptionPolicy ?? '',
    requestsText(requests),
    numberOf(tolerations),
    nodeAffinity.pinnedNodes === undefined ? numberOf(nodeAffinity) : 'pinned',
    numberOf(spread),
    record.ports.map(({ ip, slot }) => `${ip}:${slot}`).join(','),
    record.affinity?.key ?? '',
    JSON.stringify(record.labels ?? null),
    own ? record.key : '',
  ].join('\n');
}

/** Volumes whose backing storage may be the pod's alone: a pod with one is a kind of its own. */
const isItsOwn = (volume: NonNullable<CompiledPod['pod']['spec']['volumes']>[number]): boolean =>
  volume.persistentVolumeClaim !== undefined ||
  volume.ephemeral !== undefined ||
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;
