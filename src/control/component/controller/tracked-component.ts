/**
 * In-memory record of one custom resource between reconciles. A cache and nothing else: a restart loses every record, and the next
 * reconcile rebuilds it.
 */
import type { Stored } from '../../../core/kube/objects.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Event } from '../../../core/api/types/core-v1.ts';
import { identityText, type ComponentIdentity, type RenderedComponent } from '../apply/rendered.ts';
import type { DesiredState } from './desired-state.ts';
import type { ComponentObject } from './component-object.ts';
import type { ObservedObjects } from './observed-objects.ts';
import type { Outcome } from './outcome.ts';

export interface TrackedComponent {
  /** Key in the queue: `group/namespace/name`. */
  readonly key: string;
  /** Uid of the custom resource. One that is recreated under the same key gets a new record. */
  readonly uid: string;
  /** The custom resource as this controller last wrote it; newer than the informer's copy until the watch catches up. */
  lastWritten: Stored<ComponentObject> | undefined;
  /** Memo of the desired state. `inputs` covers all that the state is computed from; equal inputs mean the same state. */
  desired: { readonly inputs: string; readonly state: DesiredState } | undefined;
  /** Memo of the objects to apply, valid for exactly this desired state and checksum of referenced Secrets. */
  toApply:
    | { readonly desired: DesiredState; readonly checksum: string | undefined; readonly component: RenderedComponent }
    | undefined;
  /**
   * Set when an apply of `component` found nothing to write, or ended in an outcome that only a change can mend. While the cached
   * objects equal `observed`, another apply would give the same `outcome` and is skipped. Undefined after any write.
   */
  settled:
    | {
        readonly component: RenderedComponent;
        readonly adopt: string;
        readonly observed: ObservedObjects;
        readonly outcome: Outcome;
      }
    | undefined;
  /** DaemonSet as the last apply returned it. A cache that is behind would report a rollout that is over as the current one. */
  appliedDaemonSet: Stored<DaemonSet> | undefined;
  /** `namespace/name` of the component that the spec names; as of the last spec that could be read. */
  target: string | undefined;
  /** Namespace of `target`. */
  targetNamespace: string | undefined;
  /** Former targets whose objects are being deleted; a delete event there re-enqueues the component. */
  formerTargets: readonly ComponentIdentity[];
  /** Components that the spec refers to, directly or through others: `namespace/name` of their custom resources. */
  dependencies: readonly string[];
  /** Reconciles in a row that ended in a conflict, a failure or a wait, all of them of `failedGeneration`. */
  failures: number;
  failedGeneration: number | undefined;
  /** Monotonic times of recent applies that changed something, all of them of `correctedGeneration`. */
  corrections: readonly number[];
  correctedGeneration: number | undefined;
  /** Warning events of the target namespace, as last listed at this monotonic time. */
  warnings: { readonly at: number; readonly events: readonly Event[] } | undefined;
}

export const trackComponent = (key: string, uid: string): TrackedComponent => ({
  key,
  uid,
  lastWritten: undefined,
  desired: undefined,
  toApply: undefined,
  settled: undefined,
  appliedDaemonSet: undefined,
  target: undefined,
  targetNamespace: undefined,
  formerTargets: [],
  dependencies: [],
  failures: 0,
  failedGeneration: undefined,
  corrections: [],
  correctedGeneration: undefined,
  warnings: undefined,
});

/** True when the component (`namespace/name`) is the current target or a former one. */
export const concerns = ({ target, formerTargets }: TrackedComponent, component: string): boolean =>
  target === component || formerTargets.some((each) => identityText(each) === component);

/** True when the current target or a former one is in the namespace. */
export const livesIn = ({ targetNamespace, formerTargets }: TrackedComponent, namespace: string): boolean =>
  targetNamespace === namespace || formerTargets.some((each) => each.namespace === namespace);
