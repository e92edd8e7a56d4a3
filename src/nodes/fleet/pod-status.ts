/**
 * The status that a kubelet would write for a pod, from its container statuses. Pure. Parts that many pods have in
 * common (container statuses, conditions, host addresses) are one object for all of them: fifty thousand pods hold it
 * once.
 */
import type { Container, Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import { podAddress } from './addresses.ts';
import { isSidecar, restarts, stopped, type Moment, type Statuses } from './container-status.ts';
import type { Rejection } from './kubelet-admission.ts';
import { nextConditions } from './pod-conditions.ts';

export interface StatusContext extends Moment {
  /** Addresses of the node; one list for all its pods. */
  readonly hostIPs: readonly [{ readonly ip: string }];
}

export const NO_STATUSES: Statuses = Object.freeze([]);

/** The phase, in the kubelet's order of questions. */
export function phaseOf(pod: Pod, init: Statuses, regular: Statuses, isOver = false): string {
  const { initContainers = [], containers } = pod.spec;
  const hasStarted = regular.some(
    ({ state, lastState }) => (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined,
  );
  const isPending = (container: Container, i: number): boolean => {
    const state = init[i]?.state;
    return isSidecar(container) ? !hasStarted && state?.running === undefined : state?.terminated === undefined;
  };
  if (!isOver && initContainers.some(isPending)) return 'Pending';
  const isWaiting = ({ state, lastState }: Statuses[number]): boolean =>
    state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined;
  if (regular.length < containers.length || regular.some(isWaiting)) return 'Pending';
  if (regular.some(({ state }) => state?.running !== undefined)) return 'Running';
  const ends = regular.map(({ state, lastState }) => (state?.terminated ?? lastState?.terminated)?.exitCode ?? 0);
  if (!isOver && containers.some((container, i) => restarts(pod, container, ends[i] ?? 0))) return 'Running';
  return ends.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

export interface ContainersNow {
  readonly init: Statuses;
  readonly regular: Statuses;
  /** Statuses of ephemeral containers, which have no influence on the phase. */
  readonly ephemeral?: Statuses;
  readonly sandbox: boolean;
}

/** The pod's status with these container statuses; the old one itself when it is right already. */
export function nextStatus(pod: Pod, containers: ContainersNow, context: StatusContext): PodStatus {
  const phase = phaseOf(pod, containers.init, containers.regular);
  if (phase !== 'Succeeded' && phase !== 'Failed') return assemble(pod, phase, containers, context);
  // Sidecars end with the containers they serve.
  const init = stopped(pod.spec.initContainers ?? [], containers.init, 0, context);
  const ephemeral = stoppedEphemeral(pod, KILLED, context);
  return assemble(pod, phase, { ...containers, init, ephemeral, sandbox: false }, context);
}

const KILLED = 137;

const stoppedEphemeral = ({ spec, status }: Pod, exitCode: number, context: StatusContext): Statuses =>
  spec.ephemeralContainers === undefined
    ? NO_STATUSES
    : stopped(spec.ephemeralContainers as readonly Container[], status?.ephemeralContainerStatuses, exitCode, context);

/** The containers were told to stop and have; the pod stays only because of its finalizers. */
export function stoppedStatus(pod: Pod, exitCode: number, context: StatusContext, why?: Rejection): PodStatus {
  const { initContainers = [], containers } = pod.spec;
  const init = stopped(initContainers, pod.status?.initContainerStatuses, exitCode, context);
  const regular = stopped(containers, pod.status?.containerStatuses, exitCode, context);
  const ephemeral = stoppedEphemeral(pod, exitCode, context);
  const phase = why === undefined ? phaseOf(pod, init, regular, true) : 'Failed';
  const status = assemble(pod, phase, { init, regular, ephemeral, sandbox: false }, context);
  return why === undefined ? status : { ...status, reason: why.reason, message: why.message };
}

/** The node would not take the pod. */
export function rejectedStatus(pod: Pod, rejection: Rejection, { text }: Moment): PodStatus {
  const facts = { phase: 'Failed', sandbox: false, init: NO_STATUSES, regular: NO_STATUSES };
  return {
    ...pod.status,
    ...generationOf(pod),
    phase: 'Failed',
    conditions: nextConditions(pod, facts, text),
    reason: rejection.reason,
    message: `Pod was rejected: ${rejection.message}`,
    startTime: pod.status?.startTime ?? text,
  };
}

const generationOf = ({ metadata: { generation } }: Pod): { observedGeneration?: number } =>
  generation === undefined ? {} : { observedGeneration: generation };

function assemble(
  pod: Pod,
  phase: string,
  { init, regular, ephemeral = NO_STATUSES, sandbox }: ContainersNow,
  context: StatusContext,
): PodStatus {
  const old = pod.status;
  const conditions = nextConditions(pod, { phase, sandbox, init, regular }, context.text);
  if (old !== undefined && isSaid(pod, old, phase, conditions, { init, regular, ephemeral })) return old;
  const isHostNetwork = pod.spec.hostNetwork === true;
  const podIP = old?.podIP ?? (sandbox || isHostNetwork ? newAddress(pod, context) : undefined);
  return {
    ...generationOf(pod),
    phase,
    conditions,
    ...(old?.phase === phase && old.reason !== undefined ? { reason: old.reason } : {}),
    ...(old?.phase === phase && old.message !== undefined ? { message: old.message } : {}),
    hostIP: context.hostIPs[0].ip,
    hostIPs: context.hostIPs,
    ...(podIP === undefined ? {} : { podIP, podIPs: old?.podIPs ?? [{ ip: podIP }] }),
    startTime: old?.startTime ?? context.text,
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: regular,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    qosClass: old?.qosClass ?? 'BestEffort',
    ...(old?.nominatedNodeName === undefined ? {} : { nominatedNodeName: old.nominatedNodeName }),
  };
}

/**
 * An API server too old for `observedGeneration` drops it; a changed generation alone counts only where it was kept
 * before.
 */
function isSaid(
  pod: Pod,
  old: PodStatus,
  phase: string,
  conditions: PodStatus['conditions'],
  { init, regular, ephemeral }: Required<Omit<ContainersNow, 'sandbox'>>,
): boolean {
  return (
    old.phase === phase &&
    old.conditions === conditions &&
    old.containerStatuses === regular &&
    (init.length === 0 || old.initContainerStatuses === init) &&
    (ephemeral.length === 0 || old.ephemeralContainerStatuses === ephemeral) &&
    old.startTime !== undefined &&
    (old.observedGeneration === undefined || old.observedGeneration === pod.metadata.generation)
  );
}

const newAddress = (pod: Pod, { hostIPs }: StatusContext): string =>
  pod.spec.hostNetwork === true ? hostIPs[0].ip : podAddress(pod.metadata.uid ?? pod.metadata.name);
