/**
 * One node and everything counted on it. Ownership: a NodeState is changed in place, only through the functions here
 * and only by its creator (a ClusterState, or a caller that tries a placement on a clone). Readers must not rely on a
 * NodeState to stay the same across an await.
 */
import type { Node } from '../api/types/core-v1.ts';
import { add, type Amount, subtract } from './amounts.ts';
import { occupy, type UsedPorts } from './host-ports.ts';
import type { PodRecord } from './pod-record.ts';
import { isScalarResource } from './requests.ts';
import { amountOf } from './resource-amounts.ts';

/** Allocatable resources, read once per node status. */
export interface Allocatable {
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly ephemeralStorage: Amount;
  readonly pods: Amount;
  readonly scalars: ReadonlyMap<string, Amount>;
}

export interface NodeState {
  node: Node;
  /** Where the cluster keeps this node's numbers; -1 outside a cluster. */
  slot: number;
  /** Changes whenever labels, taints or cordon do; never the same for two nodes. */
  stamp: number;
  readonly name: string;
  allocatable: Allocatable;
  /** Sums over `pods`. */
  requestedCpu: Amount;
  requestedMemory: Amount;
  requestedEphemeralStorage: Amount;
  readonly requestedScalars: Map<string, Amount>;
  /** As `requested`, with stand-ins for containers that request nothing; scoring only. */
  nonZeroCpu: Amount;
  nonZeroMemory: Amount;
  readonly ports: UsedPorts;
  /** Every pod assigned or assumed here that has not ended, including terminating ones. */
  readonly pods: Map<string, PodRecord>;
}

type Quantities = { readonly [name: string]: string | number };
const NOTHING: Allocatable = { cpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, scalars: new Map() };
const allocatableByStatus = new WeakMap<Quantities, Allocatable>();

export function allocatableOf(node: Node): Allocatable {
  const quantities = node.status?.allocatable;
  if (quantities === undefined) return NOTHING;
  let allocatable = allocatableByStatus.get(quantities);
  if (allocatable === undefined) allocatableByStatus.set(quantities, (allocatable = readAllocatable(quantities)));
  return allocatable;
}

function readAllocatable(quantities: Quantities): Allocatable {
  const scalars = new Map<string, Amount>();
  for (const name of Object.keys(quantities)) {
    const quantity = quantities[name];
    if (quantity !== undefined && isScalarResource(name)) scalars.set(name, amountOf(name, quantity));
  }
  const read = (name: string): Amount => (Object.hasOwn(quantities, name) ? amountOf(name, quantities[name] ?? 0) : 0);
  return {
    cpu: read('cpu'),
    memory: read('memory'),
    ephemeralStorage: read('ephemeral-storage'),
    pods: read('pods'),
    scalars,
  };
}

/** Only told apart, never ordered or shown, so sharing the counter makes nothing depend on what ran before. */
let nextStamp = 1;

const sameForFilters = (a: Node, b: Node): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.spec.taints === b.spec.taints &&
  a.spec.unschedulable === b.spec.unschedulable;

export function createNodeState(node: Node): NodeState {
  return {
    node,
    slot: -1,
    stamp: nextStamp++,
    name: node.metadata.name,
    allocatable: allocatableOf(node),
    requestedCpu: 0,
    requestedMemory: 0,
    requestedEphemeralStorage: 0,
    requestedScalars: new Map(),
    nonZeroCpu: 0,
    nonZeroMemory: 0,
    ports: new Map(),
    pods: new Map(),
  };
}

/** A copy to try things on; the records themselves are shared. */
export function cloneNodeState(state: NodeState): NodeState {
  return {
    ...state,
    requestedScalars: new Map(state.requestedScalars),
    ports: new Map([...state.ports].map(([slot, byIp]) => [slot, new Map(byIp)])),
    pods: new Map(state.pods),
  };
}

/** Replaces the node's object; its pods stay. True when labels, taints or cordon changed with it. */
export function replaceNode(state: NodeState, node: Node): boolean {
  const same = sameForFilters(state.node, node);
  state.node = node;
  state.allocatable = allocatableOf(node);
  if (!same) state.stamp = nextStamp++;
  return !same;
}

/** False, and nothing happens, when the pod is already counted here. */
export function addPod(state: NodeState, record: PodRecord): boolean {
  if (state.pods.has(record.key)) return false;
  state.pods.set(record.key, record);
  const { requests } = record;
  state.requestedCpu = add(state.requestedCpu, requests.cpu);
  state.requestedMemory = add(state.requestedMemory, requests.memory);
  state.requestedEphemeralStorage = add(state.requestedEphemeralStorage, requests.ephemeralStorage);
  state.nonZeroCpu = add(state.nonZeroCpu, requests.nonZeroCpu);
  state.nonZeroMemory = add(state.nonZeroMemory, requests.nonZeroMemory);
  for (const [name, amount] of requests.scalars) {
    state.requestedScalars.set(name, add(state.requestedScalars.get(name) ?? 0, amount));
  }
  if (record.ports.length > 0) occupy(state.ports, record.ports, 1);
  return true;
}

/** The record that was counted, which is what must be taken off again even if the pod has changed since. */
export function removePod(state: NodeState, key: string): PodRecord | undefined {
  const record = state.pods.get(key);
  if (record === undefined) return undefined;
  state.pods.delete(key);
  const { requests } = record;
  state.requestedCpu = subtract(state.requestedCpu, requests.cpu);
  state.requestedMemory = subtract(state.requestedMemory, requests.memory);
  state.requestedEphemeralStorage = subtract(state.requestedEphemeralStorage, requests.ephemeralStorage);
  state.nonZeroCpu = subtract(state.nonZeroCpu, requests.nonZeroCpu);
  state.nonZeroMemory = subtract(state.nonZeroMemory, requests.nonZeroMemory);
  for (const [name, amount] of requests.scalars) {
    const left = subtract(state.requestedScalars.get(name) ?? 0, amount);
    if (left === 0) state.requestedScalars.delete(name);
    else state.requestedScalars.set(name, left);
  }
  if (record.ports.length > 0) occupy(state.ports, record.ports, -1);
  return record;
}
