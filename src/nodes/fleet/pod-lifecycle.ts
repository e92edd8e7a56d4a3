/**
 * What should happen next to a pod on a simulated node. A pure function of the pod, how it is meant to behave and the
 * time: no state machine in memory that a restart could lose. The fleet carries the answer out and asks again.
 */
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import { parseTime } from '../../core/kube/time.ts';
import {
  brokenImageStatus,
  crashedStatus,
  creatingStatus,
  endedStatus,
  gatesOpen,
  runningStatus,
  type StatusContext,
} from './pod-status.ts';
import { isBrokenImage, podSettings } from './settings.ts';

export type Step =
  /** Nothing to do until the pod changes. */
  | { readonly do: 'rest' }
  /** Look again at this time (epoch ms). */
  | { readonly do: 'wait'; readonly until: number }
  /** Write this status; then ask again. */
  | { readonly do: 'report'; readonly status: PodStatus }
  /** The containers are gone: finish the deletion. */
  | { readonly do: 'remove' };

export interface Situation {
  readonly now: number;
  readonly context: StatusContext;
  readonly podStartDelayMs: number;
  /** When the kubelet took the pod, more precisely than the status can say; undefined after a restart. */
  readonly admittedAt: number | undefined;
}

const REST: Step = { do: 'rest' };
const BACKOFF_START_MS = 10_000;
const BACKOFF_LIMIT_MS = 300_000;

/** Call only for pods the node has admitted (or that were started before a restart). */
export function nextStep(pod: Pod, situation: Situation): Step {
  if (pod.metadata.deletionTimestamp !== undefined) return stop(pod, pod.metadata.deletionTimestamp, situation);
  if (isTerminal(pod)) return REST;
  return pod.status?.phase === 'Running' ? runOn(pod, situation) : start(pod, situation);
}

function stop(pod: Pod, deadline: string, { now }: Situation): Step {
  if (isTerminal(pod)) return { do: 'remove' };
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const requestedAt = (parseTime(deadline) ?? now) - graceMs;
  const end = requestedAt + Math.min(graceMs, podSettings(pod).stopDelayMs);
  return end <= now ? { do: 'remove' } : { do: 'wait', until: end };
}

function start(pod: Pod, { now, context, podStartDelayMs, admittedAt }: Situation): Step {
  const { status } = pod;
  const begun = status?.startTime;
  if (begun === undefined && podStartDelayMs > 0) return { do: 'report', status: creatingStatus(pod, context) };
  const since = admittedAt ?? (begun === undefined ? now : (parseTime(begun) ?? now));
  if (now < since + podStartDelayMs) return { do: 'wait', until: since + podStartDelayMs };
  if (pod.spec.containers.some((container) => isBrokenImage(container.image))) {
    const told = status?.containerStatuses?.some(
      (container) => container.state?.waiting?.reason === 'ImagePullBackOff',
    );
    return told === true ? REST : { do: 'report', status: brokenImageStatus(pod, context) };
  }
  return { do: 'report', status: runningStatus(pod, context) };
}

function runOn(pod: Pod, { now, context }: Situation): Step {
  const first = pod.status?.containerStatuses?.[0];
  if (first?.state?.waiting !== undefined) return restart(pod, now, context);
  const isReady =
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
  if (isReady !== gatesOpen(pod))
    return { do: 'report', status: runningStatus(pod, context, first?.restartCount ?? 0) };
  const { exitAfterMs, exitCode } = podSettings(pod);
  if (exitAfterMs === undefined) return REST;
  const exitAt = (parseTime(first?.state?.running?.startedAt ?? '') ?? now) + exitAfterMs;
  if (now < exitAt) return { do: 'wait', until: exitAt };
  const policy = pod.spec.restartPolicy ?? 'Always';
  const again = policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
  if (!again) return { do: 'report', status: endedStatus(pod, context, exitCode) };
  return { do: 'report', status: crashedStatus(pod, context, exitCode, (first?.restartCount ?? 0) + 1) };
}

/** Ten seconds, then twice as long each time, at most five minutes. */
function restart(pod: Pod, now: number, context: StatusContext): Step {
  const first = pod.status?.containerStatuses?.[0];
  const count = first?.restartCount ?? 1;
  const ended = parseTime(first?.lastState?.terminated?.finishedAt ?? '') ?? now;
  const startAt = ended + Math.min(BACKOFF_START_MS * 2 ** Math.max(0, count - 1), BACKOFF_LIMIT_MS);
  return now < startAt ? { do: 'wait', until: startAt } : { do: 'report', status: runningStatus(pod, context, count) };
}
