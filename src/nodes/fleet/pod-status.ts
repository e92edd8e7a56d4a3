/** What a kubelet would write into a pod's status, for each state a simulated pod can be in. Pure. */
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '../../core/api/types/core-v1.ts';
import { podAddress } from './addresses.ts';
import { isBrokenImage } from './settings.ts';
import type { Rejection } from './kubelet-admission.ts';

export interface StatusContext {
  /** RFC 3339, now. */
  readonly now: string;
  /** Addresses of the node; one list for all its pods. */
  readonly hostIPs: readonly [{ readonly ip: string }];
}

const TYPES = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'] as const;

/** Started by the kubelet, nothing runs yet. */
export function creatingStatus(pod: Pod, context: StatusContext): PodStatus {
  const waiting = (container: Container): ContainerStatus =>
    containerStatus(
      container,
      { waiting: { reason: 'ContainerCreating' } },
      { ready: false, started: false, restartCount: 0 },
    );
  return assemble(pod, context, 'Pending', pod.spec.containers.map(waiting), {
    PodReadyToStartContainers: 'False',
    Initialized: 'True',
    Ready: 'False',
    ContainersReady: 'False',
  });
}

/** The image cannot be pulled, and never will be. */
export function brokenImageStatus(pod: Pod, context: StatusContext): PodStatus {
  const statuses = pod.spec.containers.map((container) => {
    const reason = isBrokenImage(container.image) ? 'ImagePullBackOff' : 'ContainerCreating';
    const message = isBrokenImage(container.image)
      ? { message: `Back-off pulling image ${JSON.stringify(container.image)}` }
      : {};
    return containerStatus(
      container,
      { waiting: { reason, ...message } },
      { ready: false, started: false, restartCount: 0 },
    );
  });
  return assemble(pod, context, 'Pending', statuses, {
    PodReadyToStartContainers: 'True',
    Initialized: 'True',
    Ready: 'False',
    ContainersReady: 'False',
  });
}

/** Everything runs. Ready unless a readiness gate of the pod says otherwise. */
export function runningStatus(pod: Pod, context: StatusContext, restartCount = 0): PodStatus {
  const statuses =
    restartCount === 0 ? firstStart(pod.spec.containers, context.now) : restarted(pod, context.now, restartCount);
  return assemble(pod, context, 'Running', statuses, {
    PodReadyToStartContainers: 'True',
    Initialized: 'True',
    Ready: gatesOpen(pod) ? 'True' : 'False',
    ContainersReady: 'True',
  });
}

const started = new WeakMap<
  readonly Container[],
  { readonly now: string; readonly statuses: readonly ContainerStatus[] }
>();

/** Pods of one template that start in the same second say the same of their containers, and share it. */
function firstStart(containers: readonly Container[], now: string): readonly ContainerStatus[] {
  const known = started.get(containers);
  if (known?.now === now) return known.statuses;
  const statuses = containers.map((container) =>
    containerStatus(container, { running: { startedAt: now } }, { ready: true, started: true, restartCount: 0 }),
  );
  started.set(containers, { now, statuses });
  return statuses;
}

const restarted = (pod: Pod, now: string, restartCount: number): readonly ContainerStatus[] =>
  pod.spec.containers.map((container, i) =>
    containerStatus(
      container,
      { running: { startedAt: now } },
      { ready: true, started: true, restartCount, ...lastState(pod.status?.containerStatuses?.[i]) },
    ),
  );

const lastState = (status: ContainerStatus | undefined): { lastState?: ContainerState } => {
  const state = status?.state?.terminated === undefined ? status?.lastState : status.state;
  return state === undefined ? {} : { lastState: state };
};

/** The containers ended and start again after a pause. */
export function crashedStatus(pod: Pod, context: StatusContext, exitCode: number, restartCount: number): PodStatus {
  const statuses = pod.spec.containers.map((container, i) =>
    containerStatus(
      container,
      {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off restarting failed container=${container.name} pod=${pod.metadata.name}`,
        },
      },
      {
        ready: false,
        started: false,
        restartCount,
        lastState: { terminated: terminated(pod.status?.containerStatuses?.[i], context, exitCode) },
      },
    ),
  );
  return assemble(pod, context, 'Running', statuses, {
    PodReadyToStartContainers: 'True',
    Initialized: 'True',
    Ready: 'False',
    ContainersReady: 'False',
  });
}

/** The containers ended and stay so. */
export function endedStatus(pod: Pod, context: StatusContext, exitCode: number): PodStatus {
  const statuses = pod.spec.containers.map((container, i) => {
    const old = pod.status?.containerStatuses?.[i];
    return containerStatus(
      container,
      { terminated: terminated(old, context, exitCode) },
      {
        ready: false,
        started: false,
        restartCount: old?.restartCount ?? 0,
      },
    );
  });
  const reason = exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  return assemble(
    pod,
    context,
    exitCode === 0 ? 'Succeeded' : 'Failed',
    statuses,
    {
      PodReadyToStartContainers: 'False',
      Initialized: 'True',
      Ready: 'False',
      ContainersReady: 'False',
    },
    exitCode === 0
      ? { Ready: reason, ContainersReady: reason, Initialized: reason }
      : { Ready: reason, ContainersReady: reason },
  );
}

export const rejectedStatus = (pod: Pod, context: StatusContext, rejection: Rejection): PodStatus => ({
  ...pod.status,
  phase: 'Failed',
  reason: rejection.reason,
  message: rejection.message,
  startTime: context.now,
});

function terminated(
  old: ContainerStatus | undefined,
  context: StatusContext,
  exitCode: number,
): NonNullable<ContainerState['terminated']> {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: old?.state?.running?.startedAt ?? context.now,
    finishedAt: context.now,
    containerID: old?.containerID ?? '',
  };
}

interface ContainerFacts {
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly lastState?: ContainerState;
}

function containerStatus(container: Container, state: ContainerState, facts: ContainerFacts): ContainerStatus {
  const image = container.image ?? '';
  return {
    name: container.name,
    state,
    lastState: facts.lastState ?? {},
    ready: facts.ready,
    restartCount: facts.restartCount,
    image,
    imageID: facts.ready ? `docker.io/simulated/${image}` : '',
    started: facts.started,
  };
}

/** Readiness gates are conditions others set; the pod is Ready only when all of them are. */
export const gatesOpen = (pod: Pod): boolean =>
  (pod.spec.readinessGates ?? []).every((gate) =>
    pod.status?.conditions?.some((condition) => condition.type === gate.conditionType && condition.status === 'True'),
  );

function assemble(
  pod: Pod,
  context: StatusContext,
  phase: string,
  containerStatuses: readonly ContainerStatus[],
  states: { readonly [type in (typeof TYPES)[number]]: 'True' | 'False' },
  reasons: { readonly [type: string]: string } = {},
): PodStatus {
  const old = pod.status;
  const isHostNetwork = pod.spec.hostNetwork === true;
  const podIP =
    old?.podIP ??
    (phase === 'Pending'
      ? undefined
      : isHostNetwork
        ? context.hostIPs[0].ip
        : podAddress(pod.metadata.uid ?? pod.metadata.name));
  const initContainers = pod.spec.initContainers;
  return {
    ...(old?.observedGeneration === undefined && pod.metadata.generation === undefined
      ? {}
      : { observedGeneration: pod.metadata.generation ?? 0 }),
    phase,
    conditions: conditions(old?.conditions ?? [], states, reasons, context.now),
    hostIP: context.hostIPs[0].ip,
    hostIPs: context.hostIPs,
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: old?.startTime ?? context.now,
    ...(initContainers === undefined || initContainers.length === 0
      ? {}
      : { initContainerStatuses: initContainers.map((container) => initStatus(container, phase, context)) }),
    containerStatuses,
    qosClass: old?.qosClass ?? 'BestEffort',
    ...(old?.nominatedNodeName === undefined ? {} : { nominatedNodeName: old.nominatedNodeName }),
  };
}

function initStatus(container: Container, phase: string, context: StatusContext): ContainerStatus {
  if (phase === 'Pending')
    return containerStatus(
      container,
      { waiting: { reason: 'PodInitializing' } },
      { ready: false, started: false, restartCount: 0 },
    );
  if (container.restartPolicy === 'Always' && phase === 'Running') {
    return containerStatus(
      container,
      { running: { startedAt: context.now } },
      { ready: true, started: true, restartCount: 0 },
    );
  }
  const end = { exitCode: 0, reason: 'Completed', startedAt: context.now, finishedAt: context.now };
  return containerStatus(container, { terminated: end }, { ready: true, started: false, restartCount: 0 });
}

let lastConditions: { readonly key: string; readonly conditions: readonly PodCondition[] } | undefined;

/** Most pods bring nothing but the scheduler's condition, set in the same second as thousands of others: shared. */
function conditions(
  old: readonly PodCondition[],
  states: { readonly [type: string]: 'True' | 'False' },
  reasons: { readonly [type: string]: string },
  now: string,
): readonly PodCondition[] {
  const [first] = old;
  const isUsual =
    old.length === 1 && first?.type === 'PodScheduled' && first.reason === undefined && first.message === undefined;
  if (!isUsual) return mergedConditions(old, states, reasons, now);
  const key = JSON.stringify([now, first, states, reasons]);
  if (lastConditions?.key !== key) lastConditions = { key, conditions: mergedConditions(old, states, reasons, now) };
  return lastConditions.conditions;
}

/** Keeps the conditions others own, and the transition time of what did not change. */
function mergedConditions(
  old: readonly PodCondition[],
  states: { readonly [type: string]: 'True' | 'False' },
  reasons: { readonly [type: string]: string },
  now: string,
): readonly PodCondition[] {
  const mine = TYPES.map((type): PodCondition => {
    const before = old.find((condition) => condition.type === type);
    const status = states[type] ?? 'False';
    const reason =
      reasons[type] ?? (status === 'False' && type !== 'PodReadyToStartContainers' ? 'ContainersNotReady' : undefined);
    if (before?.status === status && before.reason === reason) return before;
    return {
      type,
      status,
      ...(reason === undefined ? {} : { reason }),
      lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? now) : now,
    };
  });
  return [...mine, ...old.filter((condition) => !states[condition.type])];
}
