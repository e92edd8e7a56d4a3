/** NodeResourcesFit: is what the pod requests still free on the node? */
import { type Amount, subtract } from './amounts.ts';
import { createNo, type No, type NoCode } from './answer.ts';
import type { NodeState } from './node-state.ts';
import type { Requests } from './requests.ts';
import { printAmount } from './resource-amounts.ts';

const lacks = (wanted: Amount, allocatable: Amount, requested: Amount): boolean =>
  wanted > 0 && wanted > subtract(allocatable, requested);

/** The hot path: no reasons, no allocation. */
export function fits(requests: Requests, state: NodeState): boolean {
  const { allocatable } = state;
  if (state.pods.size + 1 > allocatable.pods) return false;
  if (requests.nothing) return true;
  if (lacks(requests.cpu, allocatable.cpu, state.requestedCpu)) return false;
  if (lacks(requests.memory, allocatable.memory, state.requestedMemory)) return false;
  if (lacks(requests.ephemeralStorage, allocatable.ephemeralStorage, state.requestedEphemeralStorage)) return false;
  if (requests.scalars.size === 0) return true;
  for (const [name, wanted] of requests.scalars) {
    if (lacks(wanted, allocatable.scalars.get(name) ?? 0, state.requestedScalars.get(name) ?? 0)) return false;
  }
  return true;
}

/** Every resource that is short, in kube-scheduler's order. Agrees with `fits`: empty exactly when that is true. */
export function explainFit(requests: Requests, state: NodeState): readonly No[] {
  const { allocatable } = state;
  const nos: No[] = [];
  if (state.pods.size + 1 > allocatable.pods) {
    nos.push(
      createNo(
        'TooManyPods',
        () => `the node takes ${allocatable.pods} pods and has ${state.pods.size}; remove one or raise its limit`,
      ),
    );
  }
  const check = (code: NoCode, name: string, wanted: Amount, total: Amount, used: Amount): void => {
    if (lacks(wanted, total, used)) nos.push(shortOf(code, name, wanted, total, used));
  };
  check('InsufficientCpu', 'cpu', requests.cpu, allocatable.cpu, state.requestedCpu);
  check('InsufficientMemory', 'memory', requests.memory, allocatable.memory, state.requestedMemory);
  check(
    'InsufficientEphemeralStorage',
    'ephemeral-storage',
    requests.ephemeralStorage,
    allocatable.ephemeralStorage,
    state.requestedEphemeralStorage,
  );
  for (const [name, wanted] of requests.scalars) {
    const total = allocatable.scalars.get(name) ?? 0;
    check('InsufficientResource', name, wanted, total, state.requestedScalars.get(name) ?? 0);
  }
  return nos;
}

function shortOf(code: NoCode, name: string, wanted: Amount, total: Amount, used: Amount): No {
  const fix = (): string => {
    const print = (amount: Amount): string => printAmount(name, amount);
    if (total === 0) return `the node offers no ${name}; choose nodes that do`;
    if (wanted > total) return `request ≤ ${print(total)} ${name}, all this node has, or use a larger node`;
    const free = subtract(total, used);
    const missing = subtract(wanted, free);
    if (free <= 0) return `free ${print(missing)} ${name} on this node; nothing is left of ${print(total)}`;
    return `request ≤ ${print(free)} ${name} or free ${print(missing)}`;
  };
  // Preemption cannot make a node larger than it is.
  return createNo(code, fix, { message: `Insufficient ${name}`, preemptionHelps: wanted <= total });
}
