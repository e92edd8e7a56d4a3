/** Reconciles one Job: judge its pods, create or delete some, count those that ended, report. */
import { JOBS, PODS } from '../../../../core/api/registry/resources.ts';
import type { Job, JobStatus } from '../../../../core/api/types/batch-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { formatTime } from '../../../../core/kube/time.ts';
import { claimChildren, createClaims } from '../../../../machinery/children/claims.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { isSuspended, isTracked, TRACKING } from './job-pods.ts';
import {
  createPods,
  type JobOwner,
  type JobPod,
  type JobRun,
  type JobSyncOptions,
  releasePods,
  removePods,
  tellOf,
} from './job-run.ts';
import { ended, ensured, note, saysSame, withoutReleased } from './job-status.ts';
import { COMPLETED, type Ending, isFinished, judge, type Judgement, planPods } from './judge.ts';

const CONTROLLER = 'kubernetes.io/job-controller';
/** Times in the API are rounded down to the second: a deadline is looked at a little after it. */
const SLACK_MS = 10;

export const isManagedElsewhere = ({ spec: { managedBy } }: Job): boolean =>
  managedBy !== undefined && managedBy !== CONTROLLER;

export const createJobSync =
  (options: JobSyncOptions) =>
  async (owner: JobOwner, signal: AbortSignal): Promise<ReconcileResult> => {
    await options.writer.settle(owner, signal);
    if (isFinished(owner.object) || isManagedElsewhere(owner.object)) return {};
    const pods = await claimPods(options, owner);
    const now = options.clock.now();
    const job = owner.object;
    const starts = job.status?.startTime === undefined && !isSuspended(job);
    const status: JobStatus = { ...job.status, ...(starts ? { startTime: formatTime(now) } : {}) };
    const state = judge(starts ? { ...job, status } : job, pods, owner.backoff, now);
    const counts = { active: state.active.length, ready: state.ready, terminating: state.terminating };
    const run: JobRun = { ...options, owner, signal, pods, state, counts };
    const step = await managePods(run, status);
    const { active, ready, terminating } = counts;
    await track(run, { ...step.status, active, ready, terminating }, step.ending);
    if (step.failure !== undefined) throw step.failure.error;
    return step.waitMs === undefined ? {} : { requeueAfterMs: Math.max(1, step.waitMs) };
  };

async function claimPods({ client, index }: JobSyncOptions, owner: JobOwner): Promise<readonly JobPod[]> {
  const pods = await claimChildren({
    claims: createClaims(client, JOBS, owner.object),
    resource: PODS,
    index,
    overlay: owner.children,
    selects: selectsWith(owner.object.spec.selector),
    adopt: owner.adopts,
    onAdoption: ({ metadata }) => ({
      finalizers: [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING), TRACKING],
    }),
  });
  owner.adopts = false;
  return pods;
}

interface Step {
  readonly status: JobStatus;
  /** How the Job ends; undefined while it goes on. */
  readonly ending: Ending | undefined;
  /** When to reconcile again without a change. */
  readonly waitMs: number | undefined;
  /** A write that failed. The status is reported all the same before the error is thrown. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** Creates or deletes pods, and says whether the Job has come to its end by that. */
async function managePods(run: JobRun, status: JobStatus): Promise<Step> {
  const { state, counts, signal } = run;
  const job = run.owner.object;
  const step: Step = { status, ending: state.ending, waitMs: state.deadlineMs, failure: undefined };
  try {
    if (state.ending !== undefined) {
      await removePods(run, state.active, false);
      return step;
    }
    if (isBeingDeleted(job)) return isComplete(job, state, counts.active) ? { ...step, ending: COMPLETED } : step;
    const dueMs = await carryOut(run);
    const waitMs = dueMs === undefined ? state.deadlineMs : Math.min(state.deadlineMs ?? Infinity, dueMs);
    return isComplete(job, state, counts.active)
      ? { ...step, ending: COMPLETED, waitMs }
      : { ...step, status: withSuspension(run, status), waitMs };
  } catch (error) {
    signal.throwIfAborted();
    // The Job's end is not reported before a delete has been sent for every active pod.
    return { ...step, ending: undefined, failure: { error } };
  }
}

/** Carries out the plan for the pods. Returns the wait that it asks for. */
async function carryOut(run: JobRun): Promise<number | undefined> {
  const plan = planPods(run.owner.object, run.pods, run.state, run.clock.now());
  if (plan.do === 'remove') await removePods(run, plan.pods, true);
  else if (plan.do === 'create') await createPods(run, plan.indexes);
  return plan.do === 'wait' ? plan.ms + SLACK_MS : undefined;
}

/** Whether enough pods have succeeded and none is left. */
function isComplete({ spec: { completions } }: Job, state: Judgement, active: number): boolean {
  if (active > 0) return false;
  return completions === undefined ? state.succeeded > 0 : state.succeeded >= completions;
}

function withSuspension(run: JobRun, status: JobStatus): JobStatus {
  const now = run.clock.now();
  const isOff = isSuspended(run.owner.object);
  const [state, reason, message] = isOff
    ? (['True', 'JobSuspended', 'Job suspended'] as const)
    : (['False', 'JobResumed', 'Job resumed'] as const);
  const conditions = ensured(status.conditions, 'Suspended', state, reason, message, now);
  if (conditions === undefined || conditions === status.conditions) return status;
  tellOf(run, 'Normal', isOff ? 'Suspended' : 'Resumed', message);
  const { startTime: _, ...rest } = status;
  return { ...rest, conditions, ...(isOff ? {} : { startTime: formatTime(now) }) };
}

async function writeStatus({ client, owner }: JobRun, status: JobStatus): Promise<void> {
  owner.object = await client.update(JOBS, { ...owner.object, status }, { subresource: 'status' });
}

/** Notes the pods that have ended, takes their finalizers off, adds them to the counts, and reports the Job's end if it has one. */
async function track(run: JobRun, status: JobStatus, ending: Ending | undefined): Promise<void> {
  const { owner, pods, state, signal } = run;
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const now = run.clock.now();
  const noted = note(owner.object, withoutReleased(status, held), pods, state, ending, now);
  if (!saysSame(owner.object.status, noted.status)) {
    await writeStatus(run, noted.status);
    owner.backoff = state.backoff;
  }
  let failure: { readonly error: unknown } | undefined;
  try {
    await releasePods(run, noted.release, (pod) => held.delete(pod.metadata.uid));
  } catch (error) {
    signal.throwIfAborted();
    failure = { error };
  }
  const counted = withoutReleased(owner.object.status ?? {}, held);
  const isOver = !noted.isPartial && failure === undefined;
  const end = isOver ? ended(counted, ending, run.counts.terminating, now) : undefined;
  if (end !== undefined || counted !== owner.object.status) await writeStatus(run, end ?? counted);
  if (end !== undefined && ending !== undefined) tellEnd(run, ending);
  if (failure !== undefined) throw failure.error;
}

function tellEnd(run: JobRun, ending: Ending): void {
  const { spec, status } = run.owner.object;
  if (ending.type === 'Failed') return tellOf(run, 'Warning', ending.reason, ending.message);
  if (spec.completions !== undefined && (status?.succeeded ?? 0) > spec.completions) {
    const note = 'Too many succeeded pods running after completion count reached';
    tellOf(run, 'Warning', 'TooManySucceededPods', note);
  }
  tellOf(run, 'Normal', 'Completed', 'Job completed');
}
