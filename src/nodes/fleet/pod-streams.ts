/**
 * What opens behind a simulated pod: its log, and for everything that would need a process (exec, attach, port-forward,
 * proxy) an answer that says so instead of a connection that hangs.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { badRequest } from '../../core/kube/status-error.ts';
import { createPodLogs, type PodLogsOptions } from './pod-logs.ts';

/** The part of a request that a stream needs. */
export interface StreamRequest {
  readonly query: URLSearchParams;
  readonly signal?: AbortSignal;
}

export interface StreamAnswer {
  readonly contentType: string;
  readonly body: AsyncIterable<string>;
}

export type PodStream = (request: StreamRequest, pod: Stored) => StreamAnswer;

const NEEDS_A_PROCESS = ['attach', 'exec', 'portforward', 'proxy'];
const NEVER = new AbortController().signal;

/** By `resource/subresource`, as the API server asks for them. */
export function createPodStreams(options: PodLogsOptions): ReadonlyMap<string, PodStream> {
  const logs = createPodLogs(options);
  const streams = new Map<string, PodStream>([
    [
      'pods/log',
      ({ query, signal = NEVER }, pod) => ({
        contentType: 'text/plain',
        body: logs(pod as Stored<Pod>, query, signal),
      }),
    ],
  ]);
  for (const name of NEEDS_A_PROCESS) {
    streams.set(`pods/${name}`, (_request, pod) => {
      const { nodeName = '' } = (pod as Stored<Pod>).spec;
      const where = nodeName === '' ? 'is on no node yet' : `runs on the simulated node ${JSON.stringify(nodeName)}`;
      throw badRequest(
        `${name} is not available: pod ${JSON.stringify(pod.metadata.name)} ${where}, and simulated containers have no processes; "kubectl logs" works`,
      );
    });
  }
  return streams;
}
