/**
 * The next step of a pod on a simulated node. A pure function of the pod, its simulated behaviour and the time: no
 * state machine in memory that a restart could lose. The fleet carries the step out and asks again.
 */
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import { parseTime } from '../../core/kube/time.ts';
import { advanceEphemeral, advanceInit, advanceRegular, creating, instantOf } from './container-status.ts';
import { nextStatus, NO_STATUSES, stoppedStatus, type ContainersNow, type StatusContext } from './pod-status.ts';
import { podSettings } from './settings.ts';

export type Step =
  /** Nothing to do until the pod changes. */
  | { readonly do: 'rest' }
  /** Look again at this time (epoch ms). */
  | { readonly do: 'wait'; readonly until: number }
  /** Write this status; then ask again. */
  | { readonly do: 'report'; readonly status: PodStatus }
  /** The containers are gone: finish the deletion. */
  | { readonly do: 'remove' };

export interface Situation extends StatusContext {
  readonly podStartDelayMs: number;
}

const REST: Step = { do: 'rest' };
const REMOVE: Step = { do: 'remove' };
const KILLED = 137;
const DEADLINE = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** Call only for pods the node has admitted (or that were started before a restart). */
export function nextStep(pod: Pod, situation: Situation): Step {
  if (pod.metadata.deletionTimestamp !== undefined) return stop(pod, pod.metadata.deletionTimestamp, situation);
  if (isTerminal(pod)) return REST;
  const { startTime } = pod.status ?? {};
  const isUnmounted = (situation.lacking?.mounts.length ?? 0) > 0 && !hasBegun(pod);
  if (startTime === undefined && (situation.podStartDelayMs > 0 || isUnmounted))
    return report(pod, nextStatus(pod, notYet(pod), situation), Infinity);
  const deadline = deadlineOf(pod, situation);
  if (deadline <= situation.now) return { do: 'report', status: stoppedStatus(pod, KILLED, situation, DEADLINE) };
  const begins = instantOf(startTime, situation) + situation.podStartDelayMs;
  if (situation.now < begins && !hasBegun(pod)) return { do: 'wait', until: Math.min(begins, deadline) };
  // The references requeue the pod when a missing object exists, so nothing but the deadline is waited for.
  if (isUnmounted) return deadline === Infinity ? REST : { do: 'wait', until: deadline };
  return run(pod, situation, deadline);
}

/** Admitted by the node, nothing started. */
function notYet(pod: Pod): ContainersNow {
  const { initContainers = [], containers } = pod.spec;
  const hasInit = initContainers.length > 0;
  return {
    init: hasInit ? creating(initContainers, 'PodInitializing') : NO_STATUSES,
    regular: creating(containers, hasInit ? 'PodInitializing' : 'ContainerCreating'),
    sandbox: false,
  };
}

export const hasBegun = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'PodReadyToStartContainers' && status === 'True') ??
  false;

const deadlineOf = (pod: Pod, situation: Situation): number => {
  const seconds = pod.spec.activeDeadlineSeconds;
  if (seconds === undefined || pod.status?.startTime === undefined) return Infinity;
  return instantOf(pod.status.startTime, situation) + seconds * 1000;
};

function run(pod: Pod, situation: Situation, deadline: number): Step {
  const hasInit = (pod.spec.initContainers?.length ?? 0) > 0;
  const init = hasInit ? advanceInit(pod, situation) : undefined;
  const regular =
    init?.done === false
      ? { statuses: pod.status?.containerStatuses ?? notYet(pod).regular, wake: Infinity }
      : advanceRegular(pod, situation);
  const ephemeral = pod.spec.ephemeralContainers === undefined ? undefined : advanceEphemeral(pod, situation);
  const containers = {
    init: init?.statuses ?? NO_STATUSES,
    regular: regular.statuses,
    ephemeral: ephemeral?.statuses ?? NO_STATUSES,
    sandbox: true,
  };
  const wake = Math.min(init?.wake ?? Infinity, regular.wake, ephemeral?.wake ?? Infinity, deadline);
  return report(pod, nextStatus(pod, containers, situation), wake);
}

function report(pod: Pod, status: PodStatus, wake: number): Step {
  if (status !== pod.status) return { do: 'report', status };
  return wake === Infinity ? REST : { do: 'wait', until: wake };
}

function stop(pod: Pod, deadline: string, situation: Situation): Step {
  const isHeld = (pod.metadata.finalizers?.length ?? 0) > 0;
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  // A held pod is removed by the holder of its finalizer; a second deletion would change nothing.
  if (isTerminal(pod)) return isHeld && graceMs === 0 ? REST : REMOVE;
  const { stopDelayMs } = podSettings(pod);
  const requestedAt = requested(deadline, graceMs, situation);
  const end = requestedAt + Math.min(graceMs, stopDelayMs);
  if (situation.now < end) return { do: 'wait', until: end };
  if (!isHeld) return REMOVE;
  return { do: 'report', status: stoppedStatus(pod, stopDelayMs > graceMs ? KILLED : 0, situation) };
}

/** The deletion timestamp is the end of the grace, to the second. */
function requested(deadline: string, graceMs: number, { now, exactly }: Situation): number {
  const second = (parseTime(deadline) ?? now) - graceMs;
  return exactly !== undefined && exactly >= second && exactly < second + 1000 ? exactly : second;
}
