/** Why a node has no updated, available pod yet: a code for programs, and words a person can act on. Pure. */
import { ROLLOUT_ANNOTATIONS } from '../../../core/api/names.ts';
import type { ContainerStatus, Node, Pod } from '../../../core/api/types/core-v1.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import { isPodReady, isTerminating } from '../../../core/daemons/pod-child.ts';

export type LagCode =
  | 'no-pod'
  | 'create-failed'
  /** No scheduler has looked at the pod yet. */
  | 'scheduling'
  | 'unschedulable'
  | 'node-not-ready'
  | 'image'
  | 'crash-loop'
  | 'config'
  | 'starting'
  | 'failed'
  | 'not-ready'
  | 'min-ready'
  | 'terminating'
  | 'paused'
  | 'canary'
  | 'partition'
  | 'stopped'
  | 'on-delete'
  | 'waiting';

export interface Lag {
  readonly code: LagCode;
  readonly message: string;
}

/** The reason for which the whole rollout is held, from the annotations of the DaemonSet. */
export interface RolloutHold {
  readonly code: 'paused' | 'canary' | 'partition' | 'stopped' | 'on-delete' | 'waiting';
  readonly message: string;
}

export interface LagFacts {
  readonly node: Node | undefined;
  /** The pods of this node that are not over, old and new. */
  readonly updated: Pod | undefined;
  readonly old: Pod | undefined;
  readonly hold: RolloutHold;
  /** The latest warning about making pods of this DaemonSet. */
  readonly createFailure: string | undefined;
  /** The latest warning about a pod. */
  readonly warningOf: (pod: Pod) => string | undefined;
}

export function lagOf(facts: LagFacts): Lag {
  const { node, updated, old, hold, createFailure } = facts;
  if (updated !== undefined && !isTerminating(updated)) return lagOfPod(updated, node, facts);
  const leaving = old ?? updated;
  if (leaving === undefined)
    return createFailure === undefined
      ? { code: 'no-pod', message: 'no pod has been made for it yet' }
      : { code: 'create-failed', message: createFailure };
  if (isTerminating(leaving))
    return { code: 'terminating', message: `pod ${leaving.metadata.name} is stopping${nodeNote(node)}` };
  return node !== undefined && isDown(node) ? nodeLag(node) : hold;
}

function lagOfPod(pod: Pod, node: Node | undefined, facts: LagFacts): Lag {
  const { status, spec, metadata } = pod;
  const who = `pod ${metadata.name}`;
  if ((spec.nodeName ?? '') === '') {
    const scheduled = findCondition(status?.conditions, 'PodScheduled');
    const why = scheduled?.message ?? '';
    return why === ''
      ? { code: 'scheduling', message: `${who} waits for the scheduler` }
      : { code: 'unschedulable', message: why };
  }
  if (node !== undefined && isDown(node)) return nodeLag(node);
  if (status?.phase === 'Failed') {
    const why = [status.reason, status.message].filter((part) => part !== undefined && part !== '').join(': ');
    return { code: 'failed', message: `${who} has failed${why === '' ? '' : `: ${why}`}` };
  }
  const stuck = containerLag(pod);
  if (stuck !== undefined) return stuck;
  if (isPodReady(pod)) return { code: 'min-ready', message: `${who} is ready, but not yet for minReadySeconds` };
  const isRunning = status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
  const warning = facts.warningOf(pod);
  if (!isRunning) return { code: 'starting', message: warning ?? `${who} is starting` };
  const ready = findCondition(status?.conditions, 'Ready')?.message ?? '';
  return { code: 'not-ready', message: warning ?? (ready === '' ? `${who} runs but is not ready` : ready) };
}

const IMAGE_TROUBLE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const QUIET: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing']);

function containerLag({ status, spec, metadata }: Pod): Lag | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of all) {
    const { name, image, state, restartCount } = container;
    const reason = state?.waiting?.reason ?? '';
    const message = state?.waiting?.message ?? '';
    const more = message === '' ? '' : `: ${message}`;
    if (IMAGE_TROUBLE.has(reason)) {
      const wanted = [...(spec.initContainers ?? []), ...spec.containers].find((each) => each.name === name)?.image;
      return { code: 'image', message: `container ${name}: ${reason} ${wanted ?? image}${more}` };
    }
    if (reason === 'CrashLoopBackOff' || state?.terminated !== undefined || hasCrashed(container)) {
      const last = state?.terminated ?? container.lastState?.terminated;
      if (last === undefined || (last.exitCode === 0 && isInit(status?.initContainerStatuses, container))) continue;
      const exit = last.reason === undefined || last.reason === 'Error' ? '' : ` (${last.reason})`;
      const times = restartCount === 1 ? 'once' : `${restartCount} times`;
      return {
        code: 'crash-loop',
        message: `container ${name} of pod ${metadata.name} exited with code ${last.exitCode}${exit}, restarted ${times}`,
      };
    }
    if (!QUIET.has(reason)) return { code: 'config', message: `container ${name}: ${reason}${more}` };
  }
  return undefined;
}

const isInit = (init: readonly ContainerStatus[] | undefined, container: ContainerStatus): boolean =>
  init?.includes(container) ?? false;

/** A container that runs at the moment, but has ended before and is not ready. */
const hasCrashed = ({ restartCount, ready, lastState }: ContainerStatus): boolean =>
  restartCount > 0 && !ready && lastState?.terminated !== undefined;

const readyOf = (node: Node) => findCondition(node.status?.conditions, 'Ready');

const isDown = (node: Node): boolean => {
  const ready = readyOf(node);
  return ready !== undefined && ready.status !== 'True';
};

function nodeLag(node: Node): Lag {
  const { message = '', reason = '' } = readyOf(node) ?? {};
  const why = message === '' ? reason : message;
  return { code: 'node-not-ready', message: `the node is not ready${why === '' ? '' : `: ${why}`}` };
}

const nodeNote = (node: Node | undefined): string =>
  node !== undefined && isDown(node) ? '; the node is not ready' : '';

/** For people who wait for a canary that waits for their approval. */
export const approvalHint = (revision: number | undefined): string =>
  revision === undefined ? '' : `; to go on, annotate ${ROLLOUT_ANNOTATIONS.canaryApproved}=${revision}`;
