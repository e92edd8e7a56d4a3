/**
 * controller/ keeps KubernetesDaemonSets that live in the cluster: what `everynode apply`, `delete` and `status` do when somebody
 * asks, it does whenever something changes. `kinds` follows the custom resources, whichever of their definitions exist;
 * `desired` says what one of them stands for (pure), `world` holds what there is, `bring` and `remove` carry out, with the
 * functions of `apply/`; `status` puts it into words (pure), and `tell` into events.
 *
 * Who owns what: a component belongs to whom its inventory names, the custom resource with that uid or, without one, people
 * with a command line. Nobody takes it from the other unless told to (`everynode.dev/adopt`, `--adopt`). Both apply as field manager
 * `everynode`. Fields of its objects that somebody changed by an update are put right; fields that another one applies are theirs.
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
  /** `namespace/name` of the ConfigMap that lists what it has brought; there since it first brought anything. */
  readonly inventory?: string;
  /** Somebody went back: the revision, and the generation of the spec that is not brought back because of that. */
  readonly undone?: { readonly revision: number; readonly at: string; readonly generation: number };
  readonly conditions?: readonly ComponentCondition[];
}

export interface ComponentObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: ComponentObjectStatus;
}
