/** The status that a kubelet would write for a simulated node. Pure; parts the Node already has are kept. */
import { VERSION } from '../../core/api/version.ts';
import type { Node, NodeCondition, NodeStatus } from '../../core/api/types/core-v1.ts';
import { nodeAddress } from './addresses.ts';

/** Capacity of a Node that names none. */
const DEFAULT_CAPACITY: NonNullable<NodeStatus['capacity']> = Object.freeze({
  cpu: '4',
  'ephemeral-storage': '100Gi',
  memory: '16Gi',
  pods: '110',
});

type Quantities = NonNullable<NodeStatus['capacity']>;
const CORE = Object.keys(DEFAULT_CAPACITY);

/** Shared by all nodes, so that 50,000 of them hold it once. */
const NODE_INFO: NonNullable<NodeStatus['nodeInfo']> = Object.freeze({
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: 'everynode://simulated',
  kernelVersion: 'simulated',
  kubeProxyVersion: '',
  kubeletVersion: VERSION.gitVersion,
  machineID: '',
  operatingSystem: 'linux',
  osImage: 'everynode simulated node',
  systemUUID: '',
});

const QUIET = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

let conditionsCache: { readonly key: string; readonly conditions: readonly NodeCondition[] } | undefined;

function freshConditions(ready: boolean, now: string): readonly NodeCondition[] {
  const key = `${ready}/${now}`;
  if (conditionsCache?.key === key) return conditionsCache.conditions;
  const conditions: readonly NodeCondition[] = [
    ...QUIET.map(([type, reason, message]) => condition(type, 'False', reason, message, now)),
    ready
      ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', now)
      : condition('Ready', 'False', 'KubeletNotReady', 'the simulated kubelet waits for its daemon', now),
  ];
  conditionsCache = { key, conditions };
  return conditions;
}

const condition = (type: string, status: string, reason: string, message: string, now: string): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: now,
  lastTransitionTime: now,
  reason,
  message,
});

export const isReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

export const hostAddress = (node: Node): string =>
  node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? nodeAddress(node.metadata.name);

/**
 * The status of a node that is up; `ready` says whether it takes pods already. The old status itself when it is right.
 */
export function nextNodeStatus(node: Node, ready: boolean, now: string): NodeStatus {
  const old = node.status;
  const capacity = complete(old?.capacity ?? old?.allocatable, DEFAULT_CAPACITY);
  const allocatable = withExtended(complete(old?.allocatable, capacity), capacity);
  const conditions = mergeConditions(old?.conditions ?? NO_CONDITIONS, ready, now);
  const { addresses = [], nodeInfo } = old ?? {};
  const hasAddresses = addresses.length > 0;
  const hasInfo = nodeInfo !== undefined && nodeInfo.kubeletVersion !== '';
  if (
    old !== undefined &&
    hasAddresses &&
    hasInfo &&
    old.capacity === capacity &&
    old.allocatable === allocatable &&
    old.conditions === conditions
  ) {
    return old;
  }
  return {
    ...old,
    capacity,
    allocatable,
    conditions,
    addresses: hasAddresses
      ? addresses
      : [
          { type: 'InternalIP', address: nodeAddress(node.metadata.name) },
          { type: 'Hostname', address: node.metadata.name },
        ],
    daemonEndpoints: old?.daemonEndpoints?.kubeletEndpoint?.Port ? old.daemonEndpoints : ENDPOINTS,
    nodeInfo: hasInfo ? nodeInfo : NODE_INFO,
  };
}

const ENDPOINTS = Object.freeze({ kubeletEndpoint: Object.freeze({ Port: 10250 }) });
const NO_CONDITIONS: readonly NodeCondition[] = Object.freeze([]);
const completed = new WeakMap<Quantities, Quantities>();

/** The quantities with defaults for the core resources; nodes of one group share the result. */
function complete(said: Quantities | undefined, defaults: Quantities): Quantities {
  if (said === undefined) return defaults;
  if (CORE.every((name) => said[name] !== undefined)) return said;
  const known = completed.get(said);
  if (known !== undefined && CORE.every((name) => said[name] !== undefined || known[name] === defaults[name]))
    return known;
  const all: Quantities = { ...Object.fromEntries(CORE.map((name) => [name, defaults[name] ?? '0'])), ...said };
  completed.set(said, all);
  return all;
}

const isExtended = (name: string): boolean => name.includes('/');

/**
 * An extended resource that a user adds to a node's capacity becomes allocatable, as with a kubelet (a fake resource in
 * a study, a device plugin); one that is removed again does not stay allocatable.
 */
function withExtended(allocatable: Quantities, capacity: Quantities): Quantities {
  if (allocatable === capacity) return allocatable;
  const added = Object.keys(capacity).filter((name) => isExtended(name) && allocatable[name] === undefined);
  const gone = Object.keys(allocatable).filter((name) => isExtended(name) && capacity[name] === undefined);
  if (added.length === 0 && gone.length === 0) return allocatable;
  const kept = Object.entries(allocatable).filter(([name]) => !gone.includes(name));
  return Object.fromEntries([...kept, ...added.map((name) => [name, capacity[name] ?? '0'] as const)]);
}

/**
 * Pressure that a user set on purpose stays; so does every condition that is not the kubelet's. A condition that a
 * controller set to Unknown while no kubelet reported is known again.
 */
function mergeConditions(old: readonly NodeCondition[], ready: boolean, now: string): readonly NodeCondition[] {
  const isReadyNow = old.find(({ type }) => type === 'Ready')?.status;
  const isWhole = QUIET.every(([kind]) => old.some(({ type, status }) => type === kind && status !== 'Unknown'));
  if (isWhole && isReadyNow === (ready ? 'True' : 'False')) return old;
  const fresh = freshConditions(ready, now);
  if (old.length === 0) return fresh;
  const kept = fresh.map((next) => {
    const before = old.find(({ type }) => type === next.type);
    if (before === undefined || before.status === 'Unknown') return next;
    return next.type === 'Ready' && before.status !== next.status ? next : before;
  });
  return [...kept, ...old.filter(({ type }) => !fresh.some((next) => next.type === type))];
}
