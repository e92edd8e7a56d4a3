/** Reports a failed attempt: the event, the condition and the nomination, worded by core/placement as kube-scheduler does. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { failureOf, NO_NODES, summarizeFailure, truncateNote } from '../../core/placement/summary.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Refused } from './decision.ts';
import type { Nominations } from './nominations.ts';
import type { StatusWriter } from './status-writer.ts';

export interface FailureReports {
  /** No node takes the pod. An undefined `nominatedNodeName` leaves the nomination as it is, an empty one withdraws it. */
  unschedulable(pod: Stored<Pod>, message: string, nominatedNodeName: string | undefined): void;
  error(pod: Stored<Pod>, message: string): void;
  /** The pod is being deleted, so no node is searched. */
  skipped(pod: Stored<Pod>): void;
}

export interface FailureReportOptions {
  readonly events: EventRecorder;
  readonly statuses: StatusWriter;
  readonly nominations: Nominations;
}

export const noNodesMessage = NO_NODES;

/** `0/5 nodes are available: …`, followed by the message of preemption. */
export const refusalMessage = ({ prepared, refusals }: Refused, afterwards?: string): string =>
  summarizeFailure(failureOf(prepared, refusals, afterwards));

export function createFailureReports({ events, statuses, nominations }: FailureReportOptions): FailureReports {
  const report = (
    pod: Stored<Pod>,
    reason: 'Unschedulable' | 'SchedulerError',
    message: string,
    nominatedNodeName: string | undefined,
  ): void => {
    if (nominatedNodeName !== undefined) nominations.set(pod, nominatedNodeName);
    // Unschedulable pods are retried every few minutes: a message that the condition already has is not recorded again.
    if (!says(pod, reason, message)) events.event(pod, failedScheduling(message));
    statuses.write(pod, {
      unscheduled: { reason, message },
      ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    });
  };
  return {
    unschedulable: (pod, message, nominated) => report(pod, 'Unschedulable', message, nominated),
    error: (pod, message) => report(pod, 'SchedulerError', message, ''),
    skipped(pod) {
      const { namespace = '', name } = pod.metadata;
      events.event(pod, failedScheduling(`skip schedule deleting pod: ${namespace}/${name}`));
    },
  };
}

const says = (pod: Pod, reason: string, message: string): boolean =>
  pod.status?.conditions?.some(
    (condition) =>
      condition.type === 'PodScheduled' &&
      condition.status === 'False' &&
      condition.reason === reason &&
      condition.message === message,
  ) ?? false;

const failedScheduling = (message: string) =>
  ({ type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note: truncateNote(message) }) as const;
