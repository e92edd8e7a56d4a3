/** Events that a kubelet emits about a pod, from the change of its status. Pure. */
import type { Container, ContainerStatus, ObjectReference, Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import type { EventNote } from '../../machinery/events/event-recorder.ts';
import type { Rejection } from './kubelet-admission.ts';
import type { Statuses } from './container-status.ts';

export interface PodEvent {
  readonly regarding: ObjectReference;
  readonly note: EventNote;
}

const normal = (reason: string, note: string): EventNote => ({ type: 'Normal', reason, note });
const warning = (reason: string, note: string): EventNote => ({ type: 'Warning', reason, note });

export const rejectionEvent = (pod: Pod, { reason, message }: Rejection): PodEvent => ({
  regarding: reference(pod),
  note: warning(reason, message),
});

/** The containers are told to stop. */
export const killingEvents = (pod: Pod): readonly PodEvent[] =>
  pod.spec.containers.flatMap((container, i) =>
    pod.status?.containerStatuses?.[i]?.state?.running === undefined
      ? []
      : [
          {
            regarding: reference(pod, 'containers', container),
            note: normal('Killing', `Stopping container ${container.name}`),
          },
        ],
  );

/** Volumes cannot be mounted, so nothing is started. */
export const mountEvents = (pod: Pod, messages: readonly string[]): readonly PodEvent[] =>
  messages.map((message) => ({ regarding: reference(pod), note: warning('FailedMount', message) }));

/** From the status a pod has to the one about to be written. */
export function changeEvents(pod: Pod, next: PodStatus): readonly PodEvent[] {
  const old = pod.status;
  const events = [
    ...listEvents(
      pod,
      'initContainers',
      pod.spec.initContainers ?? [],
      old?.initContainerStatuses,
      next.initContainerStatuses,
    ),
    ...listEvents(pod, 'containers', pod.spec.containers, old?.containerStatuses, next.containerStatuses),
  ];
  if (next.reason !== 'DeadlineExceeded') return events;
  return [{ regarding: reference(pod), note: normal('DeadlineExceeded', next.message ?? '') }, ...killingEvents(pod)];
}

function* listEvents(
  pod: Pod,
  field: string,
  containers: readonly Container[],
  old: Statuses | undefined,
  next: Statuses | undefined,
): Generator<PodEvent> {
  if (old === next) return;
  for (const [i, container] of containers.entries()) {
    const after = next?.[i];
    if (after === undefined || after === old?.[i]) continue;
    const regarding = reference(pod, field, container);
    for (const note of containerNotes(pod, container, old?.[i], after)) yield { regarding, note };
  }
}

function containerNotes(
  pod: Pod,
  container: Container,
  before: ContainerStatus | undefined,
  { state, image, restartCount }: ContainerStatus,
): readonly EventNote[] {
  const quoted = JSON.stringify(image);
  const waiting = state?.waiting?.reason;
  const changed =
    before?.state?.running !== undefined && before.image !== image && before.image !== ''
      ? [normal('Killing', `Container ${container.name} definition changed, will be restarted`)]
      : [];
  if (waiting === 'ErrImagePull') {
    return [
      ...changed,
      normal('Pulling', `Pulling image ${quoted}`),
      warning('Failed', `Failed to pull image ${quoted}: ${state?.waiting?.message ?? ''}`),
      warning('Failed', 'Error: ErrImagePull'),
    ];
  }
  if (waiting === 'ImagePullBackOff') {
    return [normal('BackOff', `Back-off pulling image ${quoted}`), warning('Failed', 'Error: ImagePullBackOff')];
  }
  if (waiting === 'CreateContainerConfigError') {
    const pulled = normal('Pulled', `Container image ${quoted} already present on machine`);
    return [...changed, pulled, warning('Failed', `Error: ${state?.waiting?.message ?? ''}`)];
  }
  if (waiting === 'CrashLoopBackOff') {
    const { name, namespace, uid } = pod.metadata;
    const where = `${name}_${namespace ?? 'default'}(${uid ?? ''})`;
    return [warning('BackOff', `Back-off restarting failed container ${container.name} in pod ${where}`)];
  }
  const startedNow =
    (state?.running !== undefined && (before?.state?.running === undefined || before.restartCount !== restartCount)) ||
    (state?.terminated !== undefined &&
      before?.state?.running === undefined &&
      state.terminated.reason === 'Completed');
  if (!startedNow) return [];
  return [
    ...changed,
    normal('Pulled', `Container image ${quoted} already present on machine`),
    normal('Created', 'Container created'),
    normal('Started', 'Container started'),
  ];
}

function reference(pod: Pod, field?: string, container?: Container): ObjectReference {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(field === undefined ? {} : { fieldPath: `spec.${field}{${container?.name ?? ''}}` }),
  };
}
