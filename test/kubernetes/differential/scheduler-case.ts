/** A small cluster, and what happens in it one thing after the other; plain data, so that parts can be left out. */
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
} from '../../../src/core/api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../../src/core/api/types/policy-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';

export type SchedulerStep =
  /** A pod comes and is decided. */
  | { readonly do: 'schedule'; readonly pod: Pod }
  /** A copy for each node, which may go there only; each is taken away again: which nodes would do, and why not the others. */
  | { readonly do: 'probe'; readonly pod: Pod }
  | { readonly do: 'add-node'; readonly node: Node }
  | { readonly do: 'delete-node'; readonly node: string }
  | { readonly do: 'patch-node'; readonly node: string; readonly body: JsonObject; readonly subresource?: 'status' }
  | { readonly do: 'delete-pod'; readonly namespace: string; readonly pod: string }
  | { readonly do: 'patch-pod'; readonly namespace: string; readonly pod: string; readonly body: JsonObject }
  | { readonly do: 'end-pod'; readonly namespace: string; readonly pod: string; readonly phase: 'Failed' | 'Succeeded' }
  /** What a kubelet does with pods that are to go. */
  | { readonly do: 'finish-deletions' };

export interface SchedulerCase {
  readonly nodes: readonly Node[];
  /** With a node already. `status` is set as well. */
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly services: readonly Service[];
  readonly steps: readonly SchedulerStep[];
}

/** Part of every cluster, with labels by which affinity may select them. */
export const NAMESPACE_LABELS: { readonly [name: string]: { readonly [label: string]: string } } = {
  default: {},
  'team-a': { team: 'a' },
  'team-b': { team: 'b', env: 'prod' },
  plain: {},
};

/** Part of every cluster. */
export const PRIORITIES: { readonly [name: string]: number } = {
  spare: -5,
  low: 10,
  middle: 50,
  high: 100,
  top: 1000,
  'top-but-kind': 1000,
};

export const STORAGE_CLASSES = { now: 'Immediate', later: 'WaitForFirstConsumer' } as const;
