/** Logs of simulated pods: nothing runs, so the log says what the simulation did, in the shape kubectl expects. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import { badRequest } from '../../core/kube/status-error.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock } from '../../machinery/time/clock.ts';

export interface PodLogsOptions {
  readonly clock: Clock;
  /** The pod as it is now, or undefined when it is gone; asked while a log is followed. */
  readonly current: (pod: Stored<Pod>) => Promise<Stored<Pod> | undefined>;
}

/** The log stream of `pods/NAME/log`; errors are thrown before the first line. */
export function createPodLogs({ clock, current }: PodLogsOptions) {
  return (pod: Stored<Pod>, query: URLSearchParams, signal: AbortSignal): AsyncIterable<string> => {
    const container = chooseContainer(pod, query.get('container'));
    // A pod without a node has no kubelet to ask: a kube-apiserver answers with an empty log, so that logs of other
    // pods are shown.
    if ((pod.spec.nodeName ?? '') === '') return once('');
    const text = selected(logLines(pod, container, query), query, clock.now());
    return query.get('follow') === 'true' ? follow(text, pod, signal) : once(text);
  };

  /** A simulated container logs nothing more; following ends with the client, or with the pod. */
  async function* follow(text: string, pod: Stored<Pod>, signal: AbortSignal): AsyncGenerator<string> {
    yield text;
    while (!signal.aborted) {
      await clock.sleep(FOLLOW_MS, signal).catch(() => undefined);
      const now = await current(pod);
      if (now === undefined || now.metadata.uid !== pod.metadata.uid || now.status?.phase !== 'Running') return;
    }
  }
}

// eslint-disable-next-line require-await -- a log that is not followed is a stream of one chunk
async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function selected(lines: readonly LogLine[], query: URLSearchParams, now: number): string {
  const tail = wholeNumber(query, 'tailLines');
  const limit = wholeNumber(query, 'limitBytes');
  const since = wholeNumber(query, 'sinceSeconds');
  const from = since === undefined ? Date.parse(query.get('sinceTime') ?? '') : now - since * 1000;
  const recent = Number.isNaN(from) ? lines : lines.filter(({ time }) => Date.parse(time) >= from);
  const chosen = tail === undefined ? recent : recent.slice(Math.max(0, recent.length - tail));
  const stamped = query.get('timestamps') === 'true';
  const text = chosen.map(({ time, text: line }) => `${stamped ? `${time} ` : ''}${line}\n`).join('');
  return limit === undefined ? text : text.slice(0, limit);
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name}: ${JSON.stringify(text)} is no whole number`);
  return Number(text);
}

/**
 * The container of the request; refuses in a kube-apiserver's words where there is none, or more than one could be
 * meant.
 */
export function chooseContainer(pod: Stored<Pod>, asked: string | null): string {
  const { name } = pod.metadata;
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((container) => container.name);
  if (asked !== null && asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [first, ...others] = containers;
  if (others.length > 0) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
  }
  return first?.name ?? '';
}

interface LogLine {
  readonly time: string;
  readonly text: string;
}

const FOLLOW_MS = 1000;

function logLines(pod: Stored<Pod>, container: string, query: URLSearchParams): readonly LogLine[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const status = statuses.find((each) => each.name === container);
  if (query.get('previous') === 'true' && status?.lastState?.terminated === undefined) {
    throw badRequest(
      `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} not found`,
    );
  }
  const waiting = status === undefined ? 'ContainerCreating' : status.state?.waiting?.reason;
  if (waiting !== undefined && status?.lastState?.terminated === undefined) {
    const detail = waiting === 'ImagePullBackOff' ? 'trying and failing to pull image' : waiting;
    throw badRequest(
      `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} is waiting to start: ${detail}`,
    );
  }
  const started =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.startedAt ??
    status?.lastState?.terminated?.startedAt ??
    '';
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  return [
    {
      time: started,
      text: `everynode: container ${container} of ${pod.metadata.namespace}/${pod.metadata.name} started on ${pod.spec.nodeName ?? ''} (simulated, image ${status?.image ?? ''})`,
    },
    ...(ended === undefined
      ? []
      : [
          {
            time: ended.finishedAt ?? '',
            text: `everynode: container ${container} exited with code ${ended.exitCode}`,
          },
        ]),
  ];
}
