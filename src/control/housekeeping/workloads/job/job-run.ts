/** One reconcile of one Job as a record, and the writes to its pods. */
import { JOBS, PODS } from '../../../../core/api/registry/resources.ts';
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isPodReady } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import type { ChildIndex } from '../../../../machinery/children/child-index.ts';
import { createNames, type Names } from '../../../../machinery/children/child-names.ts';
import type { ChildWriter } from '../../../../machinery/children/child-writer.ts';
import type { PodOwner } from '../../../../machinery/children/owners.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { inBatches, slowStart, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { Severity, Tell } from '../common/tell.ts';
import type { Backoff } from './backoff.ts';
import { createJobPodMaker, jobPodPrefix } from './job-maker.ts';
import { isTracked, TRACKING } from './job-pods.ts';
import type { Judgement } from './judge.ts';

export interface JobOwner extends PodOwner<Job> {
  backoff: Backoff;
}

export interface JobSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly writer: ChildWriter<Job, Pod>;
  readonly index: ChildIndex<Pod>;
  /** Whether a pod of this name is known to exist. */
  readonly isTaken: (name: string, namespace: string) => boolean;
}

export type JobPod = Stored<Pod>;

/** One reconcile of one Job. */
export interface JobRun extends JobSyncOptions {
  readonly owner: JobOwner;
  readonly signal: AbortSignal;
  /** The Job's pods after adoptions and releases, before this reconcile creates or deletes any. */
  readonly pods: readonly JobPod[];
  /** The judgement of `pods`. */
  readonly state: Judgement;
  /** Counts of pods after the writes so far; changed by `createPods` and `removePods` alone. */
  readonly counts: Counts;
}

interface Counts {
  active: number;
  ready: number;
  terminating: number;
}

/** Writes under way at a time for one Job. */
const AT_ONCE = 250;

export const tellOf = ({ tell, owner }: JobRun, type: Severity, reason: string, note: string): void =>
  tell(withType(JOBS, owner.object), type, reason, note);

/** Takes the tracking finalizer off the pod. */
async function releasePod({ client, owner }: JobRun, pod: JobPod): Promise<void> {
  if (!isTracked(pod)) return;
  const body = { metadata: { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
  const released = await unlessGone(client.patch(PODS, keyOf(pod), { type: 'strategic', body }));
  if (released === undefined || isEnded(released)) owner.children.gone(pod);
  else owner.children.wrote(released);
}

/** Deleted and held by the tracking finalizer alone: gone with it. */
const isEnded = (released: JobPod): boolean =>
  isBeingDeleted(released) &&
  (released.metadata.finalizers ?? []).length === 0 &&
  released.metadata.deletionGracePeriodSeconds === 0;

/** Takes the tracking finalizer off these pods; `onReleased` is called after each. */
export const releasePods = (run: JobRun, pods: readonly JobPod[], onReleased: (pod: JobPod) => void): Promise<void> =>
  inBatches(pods, AT_ONCE, run.signal, async (pod) => {
    await releasePod(run, pod);
    onReleased(pod);
  });

export const removePods = (run: JobRun, pods: readonly JobPod[], alsoRelease: boolean): Promise<void> =>
  inBatches(pods, AT_ONCE, run.signal, async (pod) => {
    const { owner, writer, counts } = run;
    if (alsoRelease) await releasePod(run, pod);
    await writer.remove(owner, pod);
    counts.active -= 1;
    counts.terminating += 1;
    if (isPodReady(pod)) counts.ready -= 1;
  });

/** Creates one pod for each entry: for an index of an Indexed Job, or undefined. */
export async function createPods(run: JobRun, indexes: readonly (number | undefined)[]): Promise<void> {
  const { owner, writer, counts, state } = run;
  const make = createJobPodMaker(owner.object);
  const names = new Map<number | undefined, Names>();
  await slowStart(indexes, AT_ONCE, run.signal, async (index) => {
    const replaced = index === undefined ? undefined : state.replaced.get(index);
    for (;;) {
      const outcome = await writer.create(owner, make(namesFor(run, names, index).next(), index, replaced));
      if (outcome.type === 'taken') continue;
      if (outcome.type !== 'ending') counts.active += 1;
      return;
    }
  });
}

function namesFor(run: JobRun, names: Map<number | undefined, Names>, index: number | undefined): Names {
  let found = names.get(index);
  if (found === undefined) {
    const { object } = run.owner;
    const { uid, namespace = '' } = object.metadata;
    const isTaken = (name: string): boolean => run.isTaken(name, namespace);
    found = createNames(jobPodPrefix(object, index), [uid, String(index ?? '')], run.pods, isTaken);
    names.set(index, found);
  }
  return found;
}
