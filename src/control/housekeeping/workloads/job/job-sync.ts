/** One Job brought a step further: judge, make or delete pods, count those that ended, report. */
import { JOBS, PODS } from '../../../../core/api/registry/resources.ts';
import type { Job, JobStatus } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isPodReady } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { formatTime } from '../../../../core/kube/time.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { claim } from '../../../../machinery/children/claims.ts';
import type { Children } from '../../../../machinery/children/child-index.ts';
import { allOf, slowStart, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import type { PodOwner } from '../../../../machinery/children/owners.ts';
import type { PodControl } from '../../../../machinery/children/child-writer.ts';
import { createNames, type Names } from '../../../../machinery/children/child-names.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import type { Tell } from '../../../../machinery/children/tell.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { type Backoff } from './backoff.ts';
import { createJobPodMaker, jobPodPrefix } from './job-maker.ts';
import { isSuspended, isTracked, TRACKING } from './job-pods.ts';
import { ended, ensured, note, saysSame, withoutReleased } from './job-status.ts';
import { COMPLETED, type Ending, isFinished, judge, type Judgement, planPods } from './judge.ts';

export interface JobOwner extends PodOwner<Job> {
  backoff: Backoff;
}

export interface JobSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly control: PodControl<Job>;
  readonly children: Children<Pod>;
  readonly isTaken: (name: string, namespace: string) => boolean;
}

type JobPod = Stored<Pod>;

const AT_ONCE = 250;
const CONTROLLER = 'kubernetes.io/job-controller';
/** So that nothing is missed where a time is rounded down to the second. */
const SLACK_MS = 10;

/** Counts as they are after what this sync did. */
interface Counts {
  active: number;
  ready: number;
  terminating: number;
}

export const isManagedElsewhere = ({ spec: { managedBy } }: Job): boolean =>
  managedBy !== undefined && managedBy !== CONTROLLER;

export function createJobSync(
  options: JobSyncOptions,
): (owner: JobOwner, signal: AbortSignal) => Promise<ReconcileResult> {
  const { client, clock, tell, control, children } = options;
  const named = (owner: JobOwner): Job => withType(JOBS, owner.object);

  async function write(owner: JobOwner, status: JobStatus): Promise<void> {
    owner.object = await client.update(JOBS, { ...owner.object, status }, { subresource: 'status' });
  }

  /** Takes the finalizer off; true once nothing holds the pod for us. */
  async function release(owner: JobOwner, pod: JobPod): Promise<void> {
    if (!isTracked(pod)) return;
    const body = { metadata: { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
    const released = await unlessGone(client.patch(PODS, keyOf(pod), { type: 'strategic', body }));
    if (released === undefined) owner.pods.gone(pod);
    // One that was only held by us is gone with it.
    else if (
      isBeingDeleted(released) &&
      (released.metadata.finalizers ?? []).length === 0 &&
      released.metadata.deletionGracePeriodSeconds === 0
    )
      owner.pods.gone(pod);
    else owner.pods.wrote(released);
  }

  async function inBatches(
    pods: readonly JobPod[],
    signal: AbortSignal,
    work: (pod: JobPod) => Promise<unknown>,
  ): Promise<void> {
    for (let at = 0; at < pods.length; at += AT_ONCE) {
      await allOf(pods.slice(at, at + AT_ONCE).map(work));
      signal.throwIfAborted();
    }
  }

  async function remove(
    owner: JobOwner,
    pods: readonly JobPod[],
    counts: Counts,
    signal: AbortSignal,
    alsoRelease: boolean,
  ): Promise<void> {
    await inBatches(pods, signal, async (pod) => {
      if (alsoRelease) await release(owner, pod);
      await control.remove(owner, pod);
      counts.active -= 1;
      counts.terminating += 1;
      if (isPodReady(pod)) counts.ready -= 1;
    });
  }

  async function create(
    owner: JobOwner,
    pods: readonly JobPod[],
    indexes: readonly (number | undefined)[],
    state: Judgement,
    counts: Counts,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, namespace = '' } = owner.object.metadata;
    const make = createJobPodMaker(owner.object);
    const names = new Map<number | undefined, Names>();
    const isTaken = (name: string): boolean => options.isTaken(name, namespace);
    const namesFor = (index: number | undefined): Names => {
      let found = names.get(index);
      if (found === undefined) {
        found = createNames(jobPodPrefix(owner.object, index), [uid, String(index ?? '')], pods, isTaken);
        names.set(index, found);
      }
      return found;
    };
    await slowStart(indexes, AT_ONCE, signal, async (index) => {
      for (;;) {
        const replaced = index === undefined ? undefined : state.replaced.get(index);
        const outcome = await control.create(owner, make(namesFor(index).next(), index, replaced));
        if (outcome === 'taken') continue;
        if (outcome !== 'ending') counts.active += 1;
        return;
      }
    });
  }

  interface Managed {
    readonly waitMs: number | undefined;
    readonly isManaged: boolean;
  }

  async function manage(
    owner: JobOwner,
    pods: readonly JobPod[],
    state: Judgement,
    counts: Counts,
    signal: AbortSignal,
  ): Promise<Managed> {
    const job = owner.object;
    if (isBeingDeleted(job)) return { waitMs: undefined, isManaged: false };
    const plan = planPods(job, pods, state, clock.now());
    if (plan.do === 'remove') await remove(owner, plan.pods, counts, signal, true);
    else if (plan.do === 'create') await create(owner, pods, plan.indexes, state, counts, signal);
    return { waitMs: plan.do === 'wait' ? plan.ms + SLACK_MS : undefined, isManaged: true };
  }

  /** Whether enough pods have succeeded and none is left. */
  function isComplete({ spec: { completions } }: Job, state: Judgement, active: number): boolean {
    if (active > 0) return false;
    return completions === undefined ? state.succeeded > 0 : state.succeeded >= completions;
  }

  function withSuspension(owner: JobOwner, status: JobStatus): JobStatus {
    const now = clock.now();
    const isOff = isSuspended(owner.object);
    const [state, reason, message] = isOff
      ? (['True', 'JobSuspended', 'Job suspended'] as const)
      : (['False', 'JobResumed', 'Job resumed'] as const);
    const conditions = ensured(status.conditions, 'Suspended', state, reason, message, now);
    if (conditions === undefined || conditions === status.conditions) return status;
    tell(named(owner), 'Normal', isOff ? 'Suspended' : 'Resumed', message);
    const { startTime: _, ...rest } = status;
    return { ...rest, conditions, ...(isOff ? {} : { startTime: formatTime(now) }) };
  }

  /** Notes what has ended, lets it go, adds it up, and says how the Job ended if it has. */
  async function track(
    owner: JobOwner,
    pods: readonly JobPod[],
    status: JobStatus,
    state: Judgement,
    ending: Ending | undefined,
    terminating: number,
    signal: AbortSignal,
  ): Promise<void> {
    const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
    const now = clock.now();
    const noted = note(owner.object, withoutReleased(status, held), pods, state, ending, now);
    if (!saysSame(owner.object.status, noted.status)) {
      await write(owner, noted.status);
      owner.backoff = state.backoff;
    }
    let failure: { readonly error: unknown } | undefined;
    try {
      await inBatches(noted.release, signal, async (pod) => {
        await release(owner, pod);
        held.delete(pod.metadata.uid);
      });
    } catch (error) {
      signal.throwIfAborted();
      failure = { error };
    }
    const counted = withoutReleased(owner.object.status ?? {}, held);
    const end = noted.isPartial || failure !== undefined ? undefined : ended(counted, ending, terminating, now);
    if (end !== undefined || counted !== owner.object.status) await write(owner, end ?? counted);
    if (end !== undefined && ending !== undefined) tellEnd(owner, ending);
    if (failure !== undefined) throw failure.error;
  }

  function tellEnd(owner: JobOwner, ending: Ending): void {
    const { completions } = owner.object.spec;
    if (ending.type === 'Failed') return tell(named(owner), 'Warning', ending.reason, ending.message);
    if (completions !== undefined && (owner.object.status?.succeeded ?? 0) > completions)
      tell(
        named(owner),
        'Warning',
        'TooManySucceededPods',
        'Too many succeeded pods running after completion count reached',
      );
    tell(named(owner), 'Normal', 'Completed', 'Job completed');
  }

  return async (owner, signal) => {
    await control.settle(owner);
    if (isFinished(owner.object) || isManagedElsewhere(owner.object)) return {};
    const pods = await claim({
      client,
      ownerResource: JOBS,
      owner: owner.object,
      resource: PODS,
      children,
      overlay: owner.pods,
      selects: selectsWith(owner.object.spec.selector),
      adopt: owner.adopts,
      onAdoption: ({ metadata }) => ({
        finalizers: [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING), TRACKING],
      }),
    });
    owner.adopts = false;
    const now = clock.now();
    const job = owner.object;
    const starts = job.status?.startTime === undefined && !isSuspended(job);
    let status: JobStatus = { ...job.status, ...(starts ? { startTime: formatTime(now) } : {}) };
    const state = judge(starts ? { ...job, status } : job, pods, owner.backoff, now);
    const counts: Counts = { active: state.active.length, ready: state.ready, terminating: state.terminating };
    let { ending } = state;
    let waitMs = state.deadlineMs;
    let failure: { readonly error: unknown } | undefined;
    try {
      if (ending !== undefined) await remove(owner, state.active, counts, signal, false);
      else {
        const managed = await manage(owner, pods, state, counts, signal);
        if (isComplete(job, state, counts.active)) ending = COMPLETED;
        else if (managed.isManaged) status = withSuspension(owner, status);
        if (managed.waitMs !== undefined) waitMs = Math.min(waitMs ?? Infinity, managed.waitMs);
      }
    } catch (error) {
      signal.throwIfAborted();
      failure = { error };
      // The end is not said before every pod has been told to go.
      ending = undefined;
    }
    status = { ...status, active: counts.active, ready: counts.ready, terminating: counts.terminating };
    await track(owner, pods, status, state, ending, counts.terminating, signal);
    if (failure !== undefined) throw failure.error;
    return waitMs === undefined ? {} : { requeueAfterMs: Math.max(1, waitMs) };
  };
}
