/** Actions on nodes: on their machines, their kubelets, and their Node objects. */
import { FLEET_ANNOTATIONS } from '../../../core/api/names.ts';
import { NODES } from '../../../core/api/registry/resources.ts';
import type { Node, NodeCondition, Taint } from '../../../core/api/types/core-v1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { nodesOf, type NodeGroup } from '../../../nodes/fleet/node-groups.ts';
import type { ClusterView } from '../cluster-view.ts';
import { SimulationError } from '../errors.ts';
import type { Hands } from './hands.ts';
import type { Action } from './scenario.ts';

type NodeAction = Extract<
  Action,
  {
    readonly do:
      | 'fail'
      | 'recover'
      | 'cordon'
      | 'uncordon'
      | 'drain'
      | 'remove'
      | 'recreate'
      | 'flap'
      | 'taint'
      | 'untaint'
      | 'label';
  }
>;

const UNREACHABLE = 'node.kubernetes.io/unreachable';
const SILENT: readonly Taint[] = [
  { key: UNREACHABLE, effect: 'NoSchedule' },
  { key: UNREACHABLE, effect: 'NoExecute' },
];

/** The group a node was made for; names are `group-number`. */
export const groupOf = (node: string): string => node.slice(0, node.lastIndexOf('-'));

export interface NodeActions {
  join(group: string, count: number): Promise<void>;
  act(action: NodeAction, name: string): Promise<void>;
}

export function createNodeActions(
  groups: readonly NodeGroup[],
  hands: Hands,
  view: ClusterView,
  clock: Clock,
): NodeActions {
  /** How many nodes each group has ever had: joining uses no name twice. */
  const joined = new Map<string, number>(groups.map(({ name, count }) => [name, count]));
  const now = (): string => formatTime(clock.now());
  const edit = (name: string, make: (node: Stored<Node>) => Node): Promise<void> => hands.change(NODES, { name }, make);

  const numbered = (group: NodeGroup, index: number): Node | undefined => {
    for (const node of nodesOf({ ...group, count: index + 1 }, now())) {
      if (node.metadata.name === `${group.name}-${index}`) return node;
    }
    return undefined;
  };

  /** The kubelet is gone; the node gets the taint and condition that the node lifecycle controller would set. */
  async function fail(name: string): Promise<void> {
    await edit(name, (node) => simulated(withTaints(node, [...without(node, UNREACHABLE), ...SILENT]), 'false'));
    const lost = (condition: NodeCondition): NodeCondition =>
      condition.type !== 'Ready' || condition.status === 'Unknown'
        ? condition
        : { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: now() };
    const silence = (node: Stored<Node>): Node => ({
      ...node,
      status: { ...node.status, conditions: (node.status?.conditions ?? []).map(lost) },
    });
    await hands.change(NODES, { name }, silence, 'status');
  }

  const recover = (name: string): Promise<void> =>
    edit(name, (node) => simulated(withTaints(node, without(node, UNREACHABLE)), 'true'));

  async function drain(name: string): Promise<void> {
    await edit(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }));
    for (const pod of [...view.podsOn(name)]) {
      if (controllerOf(pod)?.kind === 'DaemonSet') continue;
      await hands.client.evict(keyOf(pod)).catch((error: unknown) => {
        if (!isStatus(error, 'NotFound') && !isStatus(error, 'TooManyRequests')) throw error;
      });
    }
  }

  async function flap(name: string, times: number, everyMs: number): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      await fail(name);
      await clock.sleep(everyMs / 2);
      await recover(name);
      await clock.sleep(everyMs / 2);
    }
  }

  async function recreate(name: string): Promise<void> {
    const group = groups.find((each) => each.name === groupOf(name));
    const node = group === undefined ? undefined : numbered(group, Number(name.slice(name.lastIndexOf('-') + 1)));
    await hands.remove(NODES, { name });
    if (node !== undefined) await hands.client.create(NODES, node);
  }

  return {
    async join(groupName, count) {
      const group = groups.find(({ name }) => name === groupName);
      if (group === undefined) throw new SimulationError('EN_SIMULATION_STEP', `no such node group: ${groupName}`);
      for (let i = 0; i < count; i += 1) {
        const index = joined.get(groupName) ?? 0;
        joined.set(groupName, index + 1);
        const node = numbered(group, index);
        if (node !== undefined) await hands.client.create(NODES, node);
      }
    },
    act(action, name) {
      switch (action.do) {
        case 'fail':
          return fail(name);
        case 'recover':
          return recover(name);
        case 'flap':
          return flap(name, action.times, action.everyMs);
        case 'drain':
          return drain(name);
        case 'remove':
          return hands.remove(NODES, { name });
        case 'recreate':
          return recreate(name);
        case 'cordon':
          return edit(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }));
        case 'uncordon':
          return edit(name, (node) => {
            const { unschedulable: _, ...spec } = node.spec;
            return { ...node, spec };
          });
        case 'taint':
          return edit(name, (node) => withTaints(node, [...without(node, action.taint.key), action.taint]));
        case 'untaint':
          return edit(name, (node) => withTaints(node, without(node, action.key)));
        case 'label':
          return edit(name, (node) => withLabels(node, action.labels));
      }
    },
  };
}

const without = (node: Node, key: string): readonly Taint[] =>
  (node.spec.taints ?? []).filter((taint) => taint.key !== key);

function withTaints(node: Node, taints: readonly Taint[]): Node {
  const { taints: _, ...spec } = node.spec;
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
}

/** The fleet keeps a node only while this annotation says so. */
const simulated = (node: Node, value: string): Node => ({
  ...node,
  metadata: {
    ...node.metadata,
    annotations: { ...node.metadata.annotations, [FLEET_ANNOTATIONS.simulated]: value },
  },
});

function withLabels(node: Node, labels: { readonly [key: string]: string }): Node {
  const kept = Object.entries({ ...node.metadata.labels, ...labels }).filter(([, value]) => value !== '');
  return { ...node, metadata: { ...node.metadata, labels: Object.fromEntries(kept) } };
}
