/**
 * controller/ reconciles KubernetesDaemonSets that live in the cluster: it does on every change what `everynode apply`, `delete` and
 * `status` do on request. `component-kinds` watches the custom resources of all served definitions, `child-caches` their objects;
 * `enqueue` maps a change to components. `reconcile` is one pass: `desired-state` (pure) behind `desired-cache`, `apply-desired`,
 * `former-targets`, `write-status` with `status` (pure) and `events`, and `requeue` for the time of the next pass; `finalize` is the pass
 * of a resource that is being deleted. State between passes is one `TrackedComponent` a resource, in `controller-state`.
 *
 * Ownership: a component belongs to the owner that its inventory names, the custom resource with that uid or, without one, people
 * with a command line. Neither takes it from the other unless told to (`everynode.dev/adopt`, `--adopt`). Both apply as field manager
 * `everynode`. Fields of its objects that somebody changed by an update are corrected; fields that another manager applies are theirs.
 */
import type { ConditionLike } from '../../../core/kube/conditions.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { ComponentOutputs } from '../../../core/component/render/outputs.ts';

export interface ComponentCondition extends ConditionLike {
  readonly reason: string;
  readonly message: string;
}

export interface ComponentObjectStatus {
  readonly observedGeneration?: number;
  /** One word for people. */
  readonly phase?: string;
  readonly desiredNumberScheduled?: number;
  readonly currentNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberReady?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly outputs?: ComponentOutputs;
  /** `namespace/name` of the inventory ConfigMap; set since the first apply. */
  readonly inventory?: string;
  /** An undo: the revision it went back to, and the generation of the spec that is not applied because of it. */
  readonly undone?: { readonly revision: number; readonly at: string; readonly generation: number };
  readonly conditions?: readonly ComponentCondition[];
}

export interface ComponentObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: ComponentObjectStatus;
}
