/**
 * Behaviour of a simulated node or pod, read from annotations: the creator of a Node decides, and the fleet needs no
 * configuration of its own. A value that cannot be read counts as absent.
 */
import { FLEET_ANNOTATIONS as ANNOTATION } from '../../core/api/names.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { parseGoDuration } from '../../core/kube/go-duration.ts';

export interface NodeSettings {
  /** From the Node's creation to Ready. */
  readonly startupDelayMs: number;
  /** From admission of a pod to Running. */
  readonly podStartDelayMs: number;
  /** `namespace/name` of a DaemonSet whose pod must be Ready here before the node is. */
  readonly readyWhenDaemon: string | undefined;
}

export interface PodSettings {
  /** From start to exit; undefined runs for ever. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
  /** From the deletion request to the end, at most the grace period. */
  readonly stopDelayMs: number;
}

export const isSimulated = (node: Node): boolean => {
  const value = node.metadata.annotations?.[ANNOTATION.simulated];
  return value !== undefined && value !== 'false';
};

type Annotations = { readonly [key: string]: string } | undefined;

function duration(annotations: Annotations, name: string): number | undefined {
  const text = annotations?.[name];
  const parsed = text === undefined ? undefined : parseGoDuration(text);
  return parsed === undefined || parsed < 0 ? undefined : parsed;
}

export function nodeSettings(node: Node): NodeSettings {
  const { annotations } = node.metadata;
  const daemon = annotations?.[ANNOTATION.readyWhenDaemon];
  return {
    startupDelayMs: duration(annotations, ANNOTATION.startupDelay) ?? 0,
    podStartDelayMs: duration(annotations, ANNOTATION.podStartDelay) ?? 0,
    readyWhenDaemon: daemon === '' ? undefined : daemon,
  };
}

/**
 * Whether nothing holds the node back: its maker may then create it with the status of a node that is up, as a kubelet
 * registers itself, which is one write instead of two.
 */
export const isReadyAtBirth = ({ startupDelayMs, readyWhenDaemon }: NodeSettings): boolean =>
  startupDelayMs === 0 && readyWhenDaemon === undefined;

/** Tests of a Helm release; `test-success` and `test-failure` are the names of Helm 2. */
const HELM_HOOK = 'helm.sh/hook';
const HELM_TEST = /(?:^|,)\s*test(?:-success|-failure)?\s*(?:,|$)/;

/**
 * Pods of a Job, pods created by hand to run once, and tests of a Helm release come to an end; all other pods run until
 * they are told to stop.
 */
function isToEnd({
  metadata: { annotations, ownerReferences = [] },
  spec: { restartPolicy = 'Always' },
}: Pod): boolean {
  if (ownerReferences.some((owner) => owner.kind === 'Job' && owner.controller === true)) return true;
  if (restartPolicy === 'Always') return false;
  return ownerReferences.length === 0 || HELM_TEST.test(annotations?.[HELM_HOOK] ?? '');
}

const ENDS_AFTER_MS = 1000;
const NEVER = 'never';

/** The end of such pods where no annotation sets it: no command is run, but the plainest ones are understood. */
function usualEnd({ spec }: Pod): { readonly afterMs: number | undefined; readonly code: string } {
  const { image = '', command = [], args = [] } = spec.containers[0] ?? {};
  const words = [...command, ...args];
  // An image that is made to wait.
  if (words.length === 0 && /(?:^|\/)pause(?:[:@]|$)/.test(image)) return { afterMs: undefined, code: '0' };
  const isScript = words.length === 3 && /^(?:\/bin\/)?(?:ba)?sh$/.test(words[0] ?? '') && words[1] === '-c';
  const line = isScript ? (words[2] ?? '').trim() : words.join(' ').replace(/^\/bin\//, '');
  const [, verb, number = '0'] = /^(sleep|exit) ([0-9]{1,9})$/.exec(line) ?? [];
  if (verb === 'sleep') return { afterMs: Number(number) * 1000, code: '0' };
  return { afterMs: ENDS_AFTER_MS, code: line === 'false' ? '1' : number };
}

export function podSettings(pod: Pod): PodSettings {
  const { annotations } = pod.metadata;
  const end = isToEnd(pod) ? usualEnd(pod) : undefined;
  const isEndless = annotations?.[ANNOTATION.exitAfter] === NEVER;
  const code = Number(annotations?.[ANNOTATION.exitCode] ?? end?.code ?? '0');
  return {
    exitAfterMs: isEndless ? undefined : (duration(annotations, ANNOTATION.exitAfter) ?? end?.afterMs),
    exitCode: Number.isInteger(code) && code >= 0 && code <= 255 ? code : 1,
    stopDelayMs: duration(annotations, ANNOTATION.stopDelay) ?? 0,
  };
}

/** An image that is meant never to start. */
export const isBrokenImage = (image: string | undefined): boolean => image?.includes('non-existent') ?? false;
