/**
 * How a simulated node or pod behaves, read from annotations: whoever makes a Node decides, and the fleet needs no
 * configuration of its own. What cannot be read counts as not said.
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

/** Pods of a Job are there to end; everything else runs until it is told to stop. */
const JOB_EXIT_MS = 1000;

/** What the pods of a Job do where nothing else is said: no command is run, but the plainest ones are understood. */
function jobEnd({ spec }: Pod): { readonly afterMs: number | undefined; readonly code: string } {
  const { image = '', command = [], args = [] } = spec.containers[0] ?? {};
  const words = [...command, ...args];
  // An image that is made to wait.
  if (words.length === 0 && /(?:^|\/)pause(?:[:@]|$)/.test(image)) return { afterMs: undefined, code: '0' };
  const isScript = words.length === 3 && /^(?:\/bin\/)?(?:ba)?sh$/.test(words[0] ?? '') && words[1] === '-c';
  const line = isScript ? (words[2] ?? '').trim() : words.join(' ').replace(/^\/bin\//, '');
  const [, verb, number = '0'] = /^(sleep|exit) ([0-9]{1,9})$/.exec(line) ?? [];
  if (verb === 'sleep') return { afterMs: Number(number) * 1000, code: '0' };
  return { afterMs: JOB_EXIT_MS, code: line === 'false' ? '1' : number };
}

export function podSettings(pod: Pod): PodSettings {
  const { annotations, ownerReferences } = pod.metadata;
  const isJob = ownerReferences?.some((owner) => owner.kind === 'Job' && owner.controller === true) ?? false;
  const end = isJob ? jobEnd(pod) : undefined;
  const code = Number(annotations?.[ANNOTATION.exitCode] ?? end?.code ?? '0');
  return {
    exitAfterMs: duration(annotations, ANNOTATION.exitAfter) ?? end?.afterMs,
    exitCode: Number.isInteger(code) && code >= 0 && code <= 255 ? code : 1,
    stopDelayMs: duration(annotations, ANNOTATION.stopDelay) ?? 0,
  };
}

/** An image that is meant never to start. */
export const isBrokenImage = (image: string | undefined): boolean => image?.includes('non-existent') ?? false;
