/**
 * One simulated container: its next status, given its present one. Pure. A status that need not change is returned as
 * it is, by reference; pods of one template that start in the same second share theirs.
 */
import type { Container, ContainerState, ContainerStatus, Pod } from '../../core/api/types/core-v1.ts';
import { parseTime } from '../../core/kube/time.ts';
import { formatGoDuration } from '../../core/kube/go-duration.ts';
import type { Lacking } from './pod-needs.ts';
import { isBrokenImage, podSettings, type PodSettings } from './settings.ts';

/** The present, and a moment of the past that is known more exactly than a status can tell. */
export interface Moment {
  readonly now: number;
  /** RFC 3339, now. */
  readonly text: string;
  /** A moment of the pod's life, to the millisecond; counts for the timestamp of the same second. */
  readonly exactly?: number | undefined;
  /** Secrets and ConfigMaps that keep containers from being created. */
  readonly lacking?: Lacking | undefined;
}

/** The instant a timestamp stands for. */
export function instantOf(text: string | undefined, { now, exactly }: Moment): number {
  const second = text === undefined ? undefined : parseTime(text);
  if (second === undefined) return now;
  return exactly !== undefined && exactly >= second && exactly < second + 1000 ? exactly : second;
}

export type Statuses = readonly ContainerStatus[];

export interface Advance {
  readonly statuses: Statuses;
  /** When to advance again (epoch ms); Infinity: not before something changes. */
  readonly wake: number;
}

const BACKOFF_START_MS = 10_000;
const BACKOFF_LIMIT_MS = 300_000;
/** A container that ran this long starts again at once, whatever happened before. */
const BACKOFF_FORGET_MS = 600_000;
const PULL_PAUSE_MS = 10_000;

export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** Statuses stand in the order of the spec, unless another client wrote them. */
function statusOf(statuses: Statuses | undefined, container: Container, i: number): ContainerStatus | undefined {
  const expected = statuses?.[i];
  return expected?.name === container.name ? expected : statuses?.find(({ name }) => name === container.name);
}

/** Every container waits: the pod was admitted, nothing was started. */
export function creating(containers: readonly Container[], reason: string): Statuses {
  return shared(containers, reason, '', (container) => waitingStatus(container, { reason }, undefined));
}

/** Init containers run in order and end at once; sidecars among them go on. Stops at the first that cannot start. */
export function advanceInit(pod: Pod, moment: Moment): Advance & { readonly done: boolean } {
  const containers = pod.spec.initContainers ?? [];
  const old = pod.status?.initContainerStatuses;
  const isFresh = old === undefined || old.every((status) => status.state?.waiting?.reason === 'PodInitializing');
  if (isFresh && moment.lacking === undefined && !containers.some((container) => isBrokenImage(container.image))) {
    return {
      statuses: shared(containers, 'init', moment.text, (each) => initDone(each, moment)),
      wake: Infinity,
      done: true,
    };
  }
  let done = true;
  let wake = Infinity;
  const statuses = containers.map((container, i) => {
    const before = statusOf(old, container, i);
    if (!done) return before ?? waitingStatus(container, { reason: 'PodInitializing' }, undefined);
    const isEnded = before?.state?.terminated !== undefined && !isSidecar(container);
    if (isEnded || (before?.state?.running !== undefined && isSidecar(container))) return before;
    const uncreated = lackingStatus(container, before, moment);
    if (uncreated === undefined && !isBrokenImage(container.image)) return initDone(container, moment);
    done = false;
    if (uncreated !== undefined) return uncreated;
    const pull = failedPull(container, before, pod, moment);
    wake = pull.wake;
    return pull.status;
  });
  return { statuses: sameOr(old, statuses), wake, done };
}

/** Regular containers, after the init containers are done. */
export function advanceRegular(pod: Pod, moment: Moment): Advance {
  const { containers } = pod.spec;
  const old = pod.status?.containerStatuses;
  if (isUntouched(old) && !containers.some((container) => isBrokenImage(container.image))) {
    const { lacking, text } = moment;
    if (lacking !== undefined && containers.every(({ name }) => lacking.containers.has(name)))
      return uncreated(pod, moment);
    if (lacking === undefined)
      return {
        statuses: shared(containers, 'run', text, (each) => runningStatus(each, undefined, moment)),
        ...runUntil(pod, moment),
      };
  }
  const settings = podSettings(pod);
  let wake = Infinity;
  const statuses = containers.map((container, i) => {
    const next = advanceOne(pod, container, statusOf(old, container, i), settings, moment);
    if (next.wake < wake) wake = next.wake;
    return next.status;
  });
  return { statuses: sameOr(old, statuses), wake };
}

/**
 * Ephemeral containers, which a user adds for debugging: they start at once and go on; nothing waits for them, nothing
 * restarts them.
 */
export function advanceEphemeral(pod: Pod, moment: Moment): Advance {
  const old = pod.status?.ephemeralContainerStatuses;
  let wake = Infinity;
  const statuses = (pod.spec.ephemeralContainers ?? []).map((container, i) => {
    const before = statusOf(old, container as Container, i);
    if ((before?.state?.running ?? before?.state?.terminated) !== undefined) return before as ContainerStatus;
    if (isBrokenImage(container.image)) {
      const pull = failedPull(container as Container, before, pod, moment);
      wake = Math.min(wake, pull.wake);
      return pull.status;
    }
    return { ...runningStatus(container as Container, undefined, moment), ready: false, started: false };
  });
  return { statuses: sameOr(old, statuses), wake };
}

const runUntil = (pod: Pod, { now }: Moment): { readonly wake: number } => ({
  wake: now + (podSettings(pod).exitAfterMs ?? Infinity),
});

const isUntouched = (statuses: Statuses | undefined): boolean =>
  statuses === undefined ||
  statuses.every(({ state, lastState }) => {
    const reason = state?.waiting?.reason;
    return reason !== undefined && UNTOUCHED.has(reason) && lastState?.terminated === undefined;
  });

const CONFIG_ERROR = 'CreateContainerConfigError';
const UNTOUCHED: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing', CONFIG_ERROR]);

/** None of the containers can be created: pods of one template share these statuses. */
function uncreated(pod: Pod, moment: Moment): Advance {
  const { containers } = pod.spec;
  const old = pod.status?.containerStatuses;
  const said = containers.map((container, i) => lackingStatus(container, statusOf(old, container, i), moment));
  if (said.every((status, i) => status === old?.[i])) return { statuses: old ?? [], wake: Infinity };
  const texts = containers.map(({ name }) => moment.lacking?.containers.get(name) ?? '').join('\n');
  const make = (container: Container): ContainerStatus =>
    lackingStatus(container, undefined, moment) ?? waitingStatus(container, {}, undefined);
  return { statuses: shared(containers, CONFIG_ERROR, texts, make), wake: Infinity };
}

/**
 * Undefined where every object that the container names exists. A status that is right already is returned as it is.
 */
function lackingStatus(
  container: Container,
  old: ContainerStatus | undefined,
  { lacking }: Moment,
): ContainerStatus | undefined {
  const message = lacking?.containers.get(container.name);
  if (message === undefined) return undefined;
  const said = old?.state?.waiting;
  if (old !== undefined && said?.reason === CONFIG_ERROR && said.message === message) return old;
  return waitingStatus(container, { reason: CONFIG_ERROR, message }, old);
}

interface Next {
  readonly status: ContainerStatus;
  readonly wake: number;
}

function advanceOne(
  pod: Pod,
  container: Container,
  old: ContainerStatus | undefined,
  settings: PodSettings,
  moment: Moment,
): Next {
  const state = old?.state;
  if (old === undefined || state === undefined) return begin(pod, container, old, settings, moment);
  if (state.running !== undefined) return runOn(pod, container, old, settings, moment);
  if (state.terminated !== undefined) return afterExit(pod, container, old, state.terminated, settings, moment);
  if (state.waiting?.reason !== 'CrashLoopBackOff') return begin(pod, container, old, settings, moment);
  const end = old.lastState?.terminated;
  const startAt = instantOf(end?.finishedAt, moment) + backoffMs(old.restartCount);
  return moment.now < startAt ? { status: old, wake: startAt } : begin(pod, container, old, settings, moment);
}

function begin(
  pod: Pod,
  container: Container,
  old: ContainerStatus | undefined,
  settings: PodSettings,
  moment: Moment,
): Next {
  if (isBrokenImage(container.image)) return failedPull(container, old, pod, moment);
  const waiting = lackingStatus(container, old, moment);
  if (waiting !== undefined) return { status: waiting, wake: Infinity };
  return { status: runningStatus(container, old, moment), wake: moment.now + (settings.exitAfterMs ?? Infinity) };
}

/** The image cannot be pulled, and never will be: one failed attempt, then the back-off, which is left standing. */
function failedPull(container: Container, old: ContainerStatus | undefined, pod: Pod, moment: Moment): Next {
  const image = JSON.stringify(container.image ?? '');
  const problem = `failed to pull image ${image}: not found`;
  const reason = old?.image === container.image ? old?.state?.waiting?.reason : undefined;
  if (reason === 'ImagePullBackOff' && old !== undefined) return { status: old, wake: Infinity };
  if (reason !== 'ErrImagePull' || old === undefined) {
    const status = waitingStatus(container, { reason: 'ErrImagePull', message: problem }, old);
    return { status, wake: moment.now + PULL_PAUSE_MS };
  }
  const sandbox = pod.status?.conditions?.find(({ type }) => type === 'PodReadyToStartContainers');
  const until = instantOf(sandbox?.lastTransitionTime, moment) + PULL_PAUSE_MS;
  if (moment.now < until) return { status: old, wake: until };
  const message = `Back-off pulling image ${image}: ErrImagePull: ${problem}`;
  return { status: waitingStatus(container, { reason: 'ImagePullBackOff', message }, old), wake: Infinity };
}

function runOn(pod: Pod, container: Container, old: ContainerStatus, settings: PodSettings, moment: Moment): Next {
  const startedAt = old.state?.running?.startedAt;
  if (old.image !== '' && container.image !== undefined && old.image !== container.image) {
    // The pod was given another image: the container is stopped and started with the new one.
    const ended = { ...old, state: { terminated: terminated(startedAt, 0, moment) } };
    return begin(pod, container, ended, settings, moment);
  }
  if (settings.exitAfterMs === undefined) return { status: old, wake: Infinity };
  const exitAt = instantOf(startedAt, moment) + settings.exitAfterMs;
  if (moment.now < exitAt) return { status: old, wake: exitAt };
  return afterExit(pod, container, old, terminated(startedAt, settings.exitCode, moment), settings, moment);
}

type Terminated = NonNullable<ContainerState['terminated']>;

function afterExit(
  pod: Pod,
  container: Container,
  old: ContainerStatus,
  end: Terminated,
  settings: PodSettings,
  moment: Moment,
): Next {
  const ended: ContainerStatus =
    old.state?.terminated === end ? old : { ...old, state: { terminated: end }, ready: false, started: false };
  if (!restarts(pod, container, end.exitCode)) return { status: ended, wake: Infinity };
  const ranMs = (parseTime(end.finishedAt ?? '') ?? 0) - (parseTime(end.startedAt ?? '') ?? 0);
  if (old.restartCount === 0 || ranMs >= BACKOFF_FORGET_MS) return begin(pod, container, ended, settings, moment);
  const pause = backoffMs(old.restartCount);
  const where = `${pod.metadata.name}_${pod.metadata.namespace ?? 'default'}(${pod.metadata.uid ?? ''})`;
  const message = `back-off ${formatGoDuration(pause)} restarting failed container=${container.name} pod=${where}`;
  const status: ContainerStatus = {
    ...ended,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState: { terminated: end },
  };
  return { status, wake: instantOf(end.finishedAt, moment) + pause };
}

/** At once the first time, then ten seconds, twice as long each time, at most five minutes. */
const backoffMs = (restarts: number): number =>
  Math.min(BACKOFF_START_MS * 2 ** Math.max(0, restarts - 1), BACKOFF_LIMIT_MS);

/** The container's own rules and policy come before the pod's. */
export function restarts(pod: Pod, container: Container, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = exitCodes?.values?.includes(exitCode) === true;
    const isMet = exitCodes !== undefined && (exitCodes.operator === 'In' ? isListed : !isListed);
    if (isMet) return action === 'Restart' || action === 'RestartAllContainers';
  }
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** The containers are told to stop: a running one ends with this code; one that never ran ends in an unknown state. */
export function stopped(
  containers: readonly Container[],
  old: Statuses | undefined,
  exitCode: number,
  moment: Moment,
): Statuses {
  const statuses = containers.map((container, i) => {
    const before = statusOf(old, container, i);
    if (before?.state?.terminated !== undefined) return before;
    const startedAt = before?.state?.running?.startedAt;
    const end = startedAt === undefined ? NEVER_RAN : terminated(startedAt, exitCode, moment);
    return {
      ...(before ?? waitingStatus(container, {}, undefined)),
      state: { terminated: end },
      ready: false,
      started: false,
    };
  });
  return sameOr(old, statuses);
}

const NEVER_RAN: Terminated = Object.freeze({
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
});

function terminated(startedAt: string | undefined, exitCode: number, { text }: Moment): Terminated {
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: startedAt ?? text, finishedAt: text };
}

function initDone(container: Container, moment: Moment): ContainerStatus {
  if (isSidecar(container)) return runningStatus(container, undefined, moment);
  return {
    ...idle(container),
    state: { terminated: terminated(undefined, 0, moment) },
    ready: true,
    imageID: imageId(container),
  };
}

function runningStatus(container: Container, old: ContainerStatus | undefined, { text }: Moment): ContainerStatus {
  const last = old?.state?.terminated ?? old?.lastState?.terminated;
  return {
    ...idle(container),
    state: { running: { startedAt: text } },
    ...(last === undefined ? {} : { lastState: { terminated: last } }),
    ready: true,
    restartCount: last === undefined ? (old?.restartCount ?? 0) : (old?.restartCount ?? 0) + 1,
    imageID: imageId(container),
    started: true,
  };
}

function waitingStatus(
  container: Container,
  waiting: NonNullable<ContainerState['waiting']>,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const last = old?.state?.terminated ?? old?.lastState?.terminated;
  return {
    ...idle(container),
    state: { waiting },
    ...(last === undefined ? {} : { lastState: { terminated: last } }),
    restartCount: old?.restartCount ?? 0,
  };
}

/** One object, so that the API server finds nothing to share anew when a status follows another. */
const NOTHING: ContainerState = Object.freeze({});

const idle = (container: Container): ContainerStatus => ({
  name: container.name,
  state: NOTHING,
  lastState: NOTHING,
  ready: false,
  restartCount: 0,
  image: container.image ?? '',
  imageID: '',
  started: false,
});

const imageId = ({ image = '' }: Container): string => `docker.io/simulated/${image}`;

const sameOr = (old: Statuses | undefined, next: Statuses): Statuses =>
  old !== undefined && old.length === next.length && next.every((status, i) => status === old[i]) ? old : next;

const memo = new WeakMap<readonly Container[], Map<string, { readonly text: string; readonly statuses: Statuses }>>();

/** Pods of one template have the same container statuses in the same second, and share them. */
function shared(
  containers: readonly Container[],
  what: string,
  text: string,
  make: (container: Container) => ContainerStatus,
): Statuses {
  let byKind = memo.get(containers);
  if (byKind === undefined) memo.set(containers, (byKind = new Map()));
  const known = byKind.get(what);
  if (known?.text === text) return known.statuses;
  const statuses = containers.map(make);
  byKind.set(what, { text, statuses });
  return statuses;
}
