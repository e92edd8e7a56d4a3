/** The events that `kubectl describe daemonset` shows, in upstream's words. */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { textOf } from '../../machinery/children/write-outcomes.ts';
import type { EventNote, EventRecorder } from '../../machinery/events/event-recorder.ts';

export const COMPONENT = 'daemonset-controller';

export interface PodEvents {
  created(set: DaemonSet, pod: string): void;
  createFailed(set: DaemonSet, error: unknown): void;
  deleted(set: DaemonSet, pod: string): void;
  deleteFailed(set: DaemonSet, error: unknown): void;
  foundFailed(set: DaemonSet, pod: string, node: string): void;
  foundSucceeded(set: DaemonSet, pod: string, node: string): void;
  selectsAll(set: DaemonSet): void;
  /** About the rollout as a whole: exempt from the limit that events about pods may have used up. */
  note(set: DaemonSet, type: 'Normal' | 'Warning', reason: string, note: string): void;
}

export function createPodEvents(recorder: EventRecorder): PodEvents {
  const tell = (set: DaemonSet, note: EventNote): void =>
    recorder.event({ ...set, apiVersion: 'apps/v1', kind: 'DaemonSet' }, note);
  const say = (set: DaemonSet, type: 'Normal' | 'Warning', reason: string, note: string): void =>
    tell(set, { type, reason, note });
  return {
    created: (set, pod) => say(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod}`),
    createFailed: (set, error) => say(set, 'Warning', 'FailedCreate', `Error creating: ${textOf(error)}`),
    deleted: (set, pod) => say(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod}`),
    deleteFailed: (set, error) => say(set, 'Warning', 'FailedDelete', `Error deleting: ${textOf(error)}`),
    foundFailed: (set, pod, node) =>
      say(set, 'Warning', 'FailedDaemonPod', `Found failed daemon pod ${pod} on node ${node}, will try to kill it`),
    foundSucceeded: (set, pod, node) =>
      say(
        set,
        'Normal',
        'SucceededDaemonPod',
        `Found succeeded daemon pod ${pod} on node ${node}, will try to delete it`,
      ),
    selectsAll: (set) =>
      say(set, 'Warning', 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.'),
    // A set of more than 25 nodes has used up its budget by the time its pods are made.
    note: (set, type, reason, note) => tell(set, { type, reason, note, important: true }),
  };
}
