/** The tolerations Kubernetes gives to every daemon pod, after the template's own, in this order. */
import { UNRESERVED_TAINT } from '../api/names.ts';
import type { PodSpec, Taint, Toleration } from '../api/types/core-v1.ts';

const tolerate = (condition: string, effect: string): Toleration =>
  Object.freeze({ key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect });

const EVERY_DAEMON: readonly Toleration[] = Object.freeze([
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  tolerate('disk-pressure', 'NoSchedule'),
  tolerate('memory-pressure', 'NoSchedule'),
  tolerate('pid-pressure', 'NoSchedule'),
  tolerate('unschedulable', 'NoSchedule'),
]);

/** Pods on the host network may start before the node's network is available: one of them may provide it. */
const HOST_NETWORK = tolerate('network-unavailable', 'NoSchedule');

/** Of daemon pods that are made for a node with that taint. A daemon that the node needs would otherwise wait for the node. */
export const UNRESERVED_TOLERATION: Toleration = Object.freeze({
  key: UNRESERVED_TAINT,
  operator: 'Exists',
  effect: 'NoSchedule',
});

/** Room on the node is still being reserved for Orders. */
export const isUnreserved = (taints: readonly Taint[] | undefined): boolean =>
  taints?.some(({ key, effect }) => key === UNRESERVED_TAINT && effect === 'NoSchedule') ?? false;

type Spec = Pick<PodSpec, 'tolerations' | 'hostNetwork'>;
const made = new WeakMap<Spec, readonly Toleration[]>();

/** Returns the same list for the same template, so that all its pods share it. */
export function daemonTolerations(spec: Spec): readonly Toleration[] {
  let list = made.get(spec);
  if (list === undefined) made.set(spec, (list = add(spec)));
  return list;
}

function add(spec: Spec): readonly Toleration[] {
  const list = [...(spec.tolerations ?? [])];
  for (const added of spec.hostNetwork === true ? [...EVERY_DAEMON, HOST_NETWORK] : EVERY_DAEMON) {
    let found = false;
    for (const [at, present] of list.entries()) {
      if (!isSame(present, added)) continue;
      list[at] = added;
      found = true;
    }
    if (!found) list.push(added);
  }
  return Object.freeze(list);
}

/** Equal but for `tolerationSeconds`; the daemon's toleration never ends. */
const isSame = (a: Toleration, b: Toleration): boolean =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '');
