/** What the controller remembers of a custom resource between two looks. All of it can be lost: the next look finds it again. */
import type { Stored } from '../../../core/kube/objects.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Event } from '../../../core/api/types/core-v1.ts';
import { identityText, type ComponentIdentity, type RenderedComponent } from '../apply/rendered.ts';
import type { Desired } from './desired.ts';
import type { ComponentObject } from './component-object.ts';
import type { Seen } from './observed-objects.ts';
import type { Outcome } from './status.ts';

export interface Known {
  readonly key: string;
  uid: string;
  /** As we wrote it last; the cache may be behind. */
  written: Stored<ComponentObject> | undefined;
  /** What `desired` was made of, and what came of it. */
  desired: { readonly of: string; readonly is: Desired } | undefined;
  /** What is to be applied, and of which checksum of foreign Secrets. */
  wanted:
    | { readonly desired: Desired; readonly checksum: string | undefined; readonly component: RenderedComponent }
    | undefined;
  /** The caches at a time when nothing was left to do for `component`, and what had come of it. */
  settled:
    | {
        readonly component: RenderedComponent;
        readonly adopt: string;
        readonly seen: Seen;
        readonly outcome: Outcome;
      }
    | undefined;
  /** Its DaemonSet as an apply left it; the cache may be behind, and would tell of a rollout that is over. */
  set: Stored<DaemonSet> | undefined;
  /** `namespace/name` that it stands for, as far as it could be read. */
  target: string | undefined;
  /** Namespace of the target. */
  namespace: string | undefined;
  /** Where it takes away what it has brought: it goes on whenever something there is gone. */
  leaving: readonly ComponentIdentity[];
  /** Others it takes something from, as keys of names: `namespace/name`. */
  needs: readonly string[];
  /** Looks in a row that did not get further. */
  failures: number;
  /** Of which generation those were. */
  failedAt: number | undefined;
  /** When it was put right lately, and of which generation that was. */
  changes: number[];
  changedAt: number | undefined;
  warnings: { readonly at: number; readonly events: readonly Event[] } | undefined;
}

export const createKnown = (key: string, uid: string): Known => ({
  key,
  uid,
  written: undefined,
  desired: undefined,
  wanted: undefined,
  settled: undefined,
  set: undefined,
  target: undefined,
  namespace: undefined,
  leaving: [],
  needs: [],
  failures: 0,
  failedAt: undefined,
  changes: [],
  changedAt: undefined,
  warnings: undefined,
});

/** Something of this component (`namespace/name`) matters to it. */
export const concerns = ({ target, leaving }: Known, component: string): boolean =>
  target === component || leaving.some((each) => identityText(each) === component);

export const livesIn = ({ namespace, leaving }: Known, name: string): boolean =>
  namespace === name || leaving.some((each) => each.namespace === name);
