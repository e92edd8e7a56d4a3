/**
 * Could a node take a pod, as far as the node alone decides, and how many of its kind? Counted as if every pod of lower
 * priority were gone, because the pod may preempt them: room that is not enough by itself may be enough with theirs.
 */
import { add, type Amount, subtract } from '../../../core/placement/amounts.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { Allocatable, NodeState } from '../../../core/placement/node-state.ts';

interface Free {
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly ephemeralStorage: Amount;
  readonly pods: Amount;
  readonly scalars: ReadonlyMap<string, Amount>;
}

export interface Room {
  /** How many pods like this one the node could take, one after the other. */
  for(compiled: CompiledPod): number;
}

/** Looks at the node once for each priority asked about, however many kinds of pods wait. */
export function roomOn(state: NodeState, allocatable: Allocatable = state.allocatable): Room {
  const byPriority = new Map<number, Free>();
  return {
    for(compiled) {
      const { pod, record } = compiled;
      // Pods that never preempt see the node as it is.
      const stays = pod.spec.preemptionPolicy === 'Never' ? -Infinity : record.priority;
      let free = byPriority.get(stays);
      if (free === undefined) byPriority.set(stays, (free = freeBeside(state, allocatable, stays)));
      return howMany(compiled, free);
    },
  };
}

function freeBeside(state: NodeState, allocatable: Allocatable, priority: number): Free {
  let [cpu, memory, ephemeralStorage, pods]: Amount[] = [0, 0, 0, 0];
  const used = new Map<string, Amount>();
  for (const { priority: theirs, requests } of state.pods.values()) {
    if (theirs < priority) continue;
    cpu = add(cpu ?? 0, requests.cpu);
    memory = add(memory ?? 0, requests.memory);
    ephemeralStorage = add(ephemeralStorage ?? 0, requests.ephemeralStorage);
    pods = add(pods ?? 0, 1);
    for (const [name, amount] of requests.scalars) used.set(name, add(used.get(name) ?? 0, amount));
  }
  const scalars = new Map(allocatable.scalars);
  for (const [name, amount] of used) scalars.set(name, subtract(scalars.get(name) ?? 0, amount));
  return {
    cpu: subtract(allocatable.cpu, cpu ?? 0),
    memory: subtract(allocatable.memory, memory ?? 0),
    ephemeralStorage: subtract(allocatable.ephemeralStorage, ephemeralStorage ?? 0),
    pods: subtract(allocatable.pods, pods ?? 0),
    scalars,
  };
}

const times = (wanted: Amount, free: Amount): number => {
  if (wanted === 0) return Infinity;
  // Compared exactly first: a division may round up to one.
  return wanted > free ? 0 : Math.max(1, Math.floor(Number(free) / Number(wanted)));
};

function howMany({ requests, record }: CompiledPod, free: Free): number {
  let count = Math.min(
    times(1, free.pods),
    times(requests.cpu, free.cpu),
    times(requests.memory, free.memory),
    times(requests.ephemeralStorage, free.ephemeralStorage),
  );
  for (const [name, wanted] of requests.scalars) count = Math.min(count, times(wanted, free.scalars.get(name) ?? 0));
  // Two that listen on the same port of the node cannot both be there.
  return record.ports.length > 0 ? Math.min(count, 1) : count;
}
