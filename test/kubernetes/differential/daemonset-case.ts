/** Nodes, DaemonSets on them, and what happens to both; plain data, so that parts can be left out. */
import type { DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../../src/core/api/types/core-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';

export type DaemonSetStep =
  | { readonly do: 'patch-node'; readonly node: string; readonly body: JsonObject }
  | { readonly do: 'add-node'; readonly node: Node }
  | { readonly do: 'delete-node'; readonly node: string }
  | { readonly do: 'patch-set'; readonly set: string; readonly body: JsonObject }
  /** As `kubectl rollout undo`: what the oldest or newest but one revision kept is put back. */
  | { readonly do: 'roll-back'; readonly set: string }
  | { readonly do: 'delete-pod'; readonly set: string; readonly node: string }
  | { readonly do: 'end-pod'; readonly set: string; readonly node: string; readonly phase: 'Failed' | 'Succeeded' }
  | { readonly do: 'unready-pod'; readonly set: string; readonly node: string }
  /** Its labels do not match any more: the DaemonSet lets it go. */
  | { readonly do: 'relabel-pod'; readonly set: string; readonly node: string };

export interface DaemonSetCase {
  readonly nodes: readonly Node[];
  /** Pods of nobody, there before the DaemonSets. */
  readonly orphans: readonly Pod[];
  readonly sets: readonly DaemonSet[];
  readonly steps: readonly DaemonSetStep[];
}

/** Containers of this image never become ready. */
export const BAD_IMAGE = 'example.com/bad:1';
