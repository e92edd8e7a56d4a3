/**
 * The facts that filters read of every node, kept in arrays by node slot beside the node states: free resources, domains,
 * host ports in use. The states remain the truth; these are derived from them after each change.
 *
 * Measured with `bench placement` (50,000 nodes, every filter in use), reading node states against these columns together
 * with remembered verdicts (`static-verdicts.ts`): 91–100 ms against 8–9 ms for the next pod of a known template, 81–118 ms
 * against 35–68 ms for a pod nothing is known about. How much each of the two contributes was not measured apart.
 */
import type { Amount } from './amounts.ts';
import { subtract } from './amounts.ts';
import type { Labels } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import type { PodRecord } from './pod-record.ts';
import { createTopologyColumn, placeInColumn, type TopologyColumn } from './topology-columns.ts';

/** Free amounts by slot. NaN where a double cannot hold it: every comparison fails and the exact way is taken. */
interface FreeColumns {
  cpu: Float64Array;
  memory: Float64Array;
  ephemeralStorage: Float64Array;
  pods: Float64Array;
  /** Extended resources some node offers. */
  readonly scalars: Map<string, Float64Array>;
}

export interface NodeColumns {
  readonly free: FreeColumns;
  /** By slot: never the same again after anything about the node or what is on it changed. */
  readonly changes: Float64Array;
  /** Made when first asked for, from then on kept current. */
  topology(key: string): TopologyColumn;
  /** Slots of the nodes where something listens on this port (`TCP/80`), on whatever address. */
  portUsers(slot: string): ReadonlySet<number> | undefined;
  /** Domain numbers of a slot may change between these two: counts move in between. */
  enter(state: NodeState): void;
  relabel(state: NodeState, before: Labels): void;
  leave(state: NodeState): void;
  /** After anything that changed what is free on the node. */
  refresh(state: NodeState): void;
  /** After a pod came or went. */
  refreshPod(state: NodeState, record: PodRecord): void;
}

/** Keys come from users' pods. Past this many the ones longest unused are given up and made again when asked for. */
const MAX_TOPOLOGY_KEYS = 64;
/** Resources come from nodes; past this many they are read from the node states. */
const MAX_SCALARS = 64;

const exact = (amount: Amount): number => (typeof amount === 'number' ? amount : Number.NaN);
const freeOf = (total: Amount, used: Amount): number => exact(subtract(total, used));

export function createNodeColumns(states: () => Iterable<NodeState>): NodeColumns {
  let capacity = 64;
  let nextSlot = 0;
  let changeCount = 0;
  const freeSlots: number[] = [];
  const zeros = (): Float64Array => new Float64Array(capacity);
  const free: FreeColumns = {
    cpu: zeros(),
    memory: zeros(),
    ephemeralStorage: zeros(),
    pods: zeros(),
    scalars: new Map(),
  };
  let changes = zeros();
  /** Least recently used first. */
  const topologies = new Map<string, TopologyColumn>();
  const ports = new Map<string, Set<number>>();

  const grow = (): void => {
    capacity *= 2;
    const copy = (column: Float64Array): Float64Array => {
      const larger = zeros();
      larger.set(column);
      return larger;
    };
    free.cpu = copy(free.cpu);
    free.memory = copy(free.memory);
    free.ephemeralStorage = copy(free.ephemeralStorage);
    free.pods = copy(free.pods);
    changes = copy(changes);
    for (const [name, column] of free.scalars) free.scalars.set(name, copy(column));
  };

  const refreshScalars = (state: NodeState): void => {
    for (const name of state.allocatable.scalars.keys()) {
      if (!free.scalars.has(name) && free.scalars.size < MAX_SCALARS) free.scalars.set(name, zeros());
    }
    for (const [name, column] of free.scalars) {
      column[state.slot] = freeOf(state.allocatable.scalars.get(name) ?? 0, state.requestedScalars.get(name) ?? 0);
    }
  };

  const refreshMain = (state: NodeState): void => {
    const { slot, allocatable } = state;
    changes[slot] = ++changeCount;
    free.cpu[slot] = freeOf(allocatable.cpu, state.requestedCpu);
    free.memory[slot] = freeOf(allocatable.memory, state.requestedMemory);
    free.ephemeralStorage[slot] = freeOf(allocatable.ephemeralStorage, state.requestedEphemeralStorage);
    free.pods[slot] = freeOf(allocatable.pods, state.pods.size);
  };

  return {
    free,
    get changes() {
      return changes;
    },

    topology(key) {
      let column = topologies.get(key);
      if (column === undefined) {
        column = createTopologyColumn(key, capacity);
        for (const state of states()) placeInColumn(column, state.slot, undefined, state.node.metadata.labels);
        if (topologies.size >= MAX_TOPOLOGY_KEYS) {
          const [oldest] = topologies.values();
          if (oldest !== undefined) {
            oldest.dead = true;
            topologies.delete(oldest.key);
          }
        }
      } else topologies.delete(key);
      topologies.set(key, column);
      return column;
    },

    portUsers: (port) => ports.get(port),

    enter(state) {
      state.slot = freeSlots.pop() ?? nextSlot++;
      while (state.slot >= capacity) grow();
      for (const column of topologies.values()) {
        placeInColumn(column, state.slot, undefined, state.node.metadata.labels);
      }
      refreshMain(state);
      refreshScalars(state);
    },

    relabel(state, before) {
      for (const column of topologies.values()) placeInColumn(column, state.slot, before, state.node.metadata.labels);
    },

    leave(state) {
      for (const column of topologies.values()) {
        placeInColumn(column, state.slot, state.node.metadata.labels, undefined);
      }
      for (const port of state.ports.keys()) forgetPort(ports, port, state.slot);
      for (const column of free.scalars.values()) column[state.slot] = 0;
      freeSlots.push(state.slot);
      state.slot = -1;
    },

    refresh(state) {
      refreshMain(state);
      refreshScalars(state);
    },

    refreshPod(state, record) {
      refreshMain(state);
      if (record.requests.scalars.size > 0) refreshScalars(state);
      for (const { slot: port } of record.ports) {
        if (!state.ports.has(port)) forgetPort(ports, port, state.slot);
        else {
          const users = ports.get(port);
          if (users === undefined) ports.set(port, new Set([state.slot]));
          else users.add(state.slot);
        }
      }
    },
  };
}

function forgetPort(ports: Map<string, Set<number>>, port: string, slot: number): void {
  const users = ports.get(port);
  users?.delete(slot);
  if (users?.size === 0) ports.delete(port);
}
