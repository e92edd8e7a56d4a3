/** A scenario: the initial objects of a simulated cluster, and the steps that users and machines take. */
import type { Taint } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { NodeGroup } from '../../../nodes/fleet/node-groups.ts';

export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly nodes: readonly NodeGroup[];
  /** Objects that exist before any actor starts. */
  readonly objects: readonly KubeObject[];
  readonly steps: readonly Step[];
  /** Controllers that run, in the syntax of `--controllers`; absent: those that a simulation runs by default. */
  readonly actors?: readonly string[];
  /**
   * Pods compete for room, so that the outcome depends on which asks first: the end is judged by the invariants alone,
   * and only the pods that daemons owe every node are compared with the unperturbed run.
   */
  readonly contended: boolean;
  /** Upper bound on the time from the last fault to rest. */
  readonly settleWithinMs: number;
}

export interface Step {
  /** Virtual milliseconds from the start; a span is drawn from by the seed. */
  readonly at: number | readonly [from: number, to: number];
  readonly action: Action;
  /** Line in the file of the scenario. */
  readonly line?: number;
}

/** A node by name, `any`, or `any of <group>`: the seed chooses among those there are. */
type NodeChoice = string;

export type Action =
  /** Creates the object, or makes the one of that name equal to it. */
  | { readonly do: 'apply'; readonly object: KubeObject }
  | {
      readonly do: 'patch';
      readonly kind: string;
      readonly name: string;
      readonly namespace?: string;
      readonly merge: Json;
    }
  | {
      readonly do: 'delete';
      readonly kind: string;
      readonly name: string;
      readonly namespace?: string;
      /** Propagation policy for dependents; the kind's default when absent. */
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
    }
  /** Adds nodes to a group. */
  | { readonly do: 'join'; readonly group: string; readonly count?: number }
  /** `fail`: the kubelet falls silent and the cluster notices; `recover` brings it back. */
  | { readonly do: 'fail' | 'recover' | 'cordon' | 'uncordon' | 'drain'; readonly node: NodeChoice }
  /** The Node object is deleted, or deleted and created again under its name. */
  | { readonly do: 'remove' | 'recreate'; readonly node: NodeChoice }
  /** The node fails and recovers again and again. */
  | { readonly do: 'flap'; readonly node: NodeChoice; readonly times: number; readonly everyMs: number }
  | { readonly do: 'taint'; readonly node: NodeChoice; readonly taint: Taint }
  | { readonly do: 'untaint'; readonly node: NodeChoice; readonly key: string }
  /** An empty value removes the label. */
  | { readonly do: 'label'; readonly node: NodeChoice; readonly labels: { readonly [key: string]: string } }
  | { readonly do: 'image'; readonly daemon: string; readonly image: string }
  /** Back to the template before the last change. */
  | { readonly do: 'rollback'; readonly daemon: string }
  /** Creates `count` pods without an owner. */
  | {
      readonly do: 'workload';
      readonly name: string;
      readonly count: number;
      readonly cpu?: string;
      readonly memory?: string;
      readonly priorityClass?: string;
      /** No two of the pods on one node. */
      readonly spread?: boolean;
      /** Time after which the pods end by themselves. */
      readonly exitAfter?: string;
    }
  /** Deletes `count` pods of a workload; all when absent. */
  | { readonly do: 'finish'; readonly workload: string; readonly count?: number }
  /** A user deletes daemon pods: those of one daemon or the guardians of one Order, those on one node, or both. */
  | { readonly do: 'kill'; readonly daemon?: string; readonly order?: string; readonly node?: NodeChoice }
  /** The wall clock jumps, as by an NTP step or after a suspend; timers and monotonic time go on. Negative: back. */
  | { readonly do: 'jump'; readonly byMs: number }
  | { readonly do: 'crash'; readonly actor: string; readonly downMs: number };

export const DEFAULT_SETTLE_MS = 45 * 60_000;
