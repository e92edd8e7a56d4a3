/** Logs of simulated pods: nothing runs, so the log says what the simulation did, in the shape kubectl expects. */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { badRequest } from '../../core/kube/status-error.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';

export interface LogTarget {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** Answers `pods/NAME/log`; undefined for everything else. */
export function createPodLogs(client: Client, clock: Clock) {
  return (
    target: LogTarget,
    query: URLSearchParams,
    _user: unknown,
    signal: AbortSignal,
  ): AsyncIterable<Buffer> | undefined => {
    if (target.group !== '' || target.resource !== 'pods' || target.subresource !== 'log') return undefined;
    return readLog(client, clock, target, query, signal);
  };
}

async function* readLog(
  client: Client,
  clock: Clock,
  target: LogTarget,
  query: URLSearchParams,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const pod = await client.get(PODS, { namespace: target.namespace, name: target.name });
  const lines = logLines(pod, chooseContainer(pod, query.get('container')));
  const tail = query.get('tailLines');
  if (tail !== null && !/^\d+$/.test(tail)) throw badRequest(`tailLines: ${JSON.stringify(tail)} is no whole number`);
  const chosen = tail === null ? lines : lines.slice(Math.max(0, lines.length - Number(tail)));
  const stamped = query.get('timestamps') === 'true';
  yield Buffer.from(chosen.map(({ time, text }) => `${stamped ? `${time} ` : ''}${text}\n`).join(''));
  if (query.get('follow') !== 'true') return;
  // A simulated container says nothing more; following ends with the client, or with the pod.
  while (!signal.aborted) {
    await clock.sleep(1000, signal).catch(() => undefined);
    const current = await client.get(PODS, { namespace: target.namespace, name: target.name }).catch(() => undefined);
    if (current === undefined || current.metadata.uid !== pod.metadata.uid || current.status?.phase !== 'Running')
      return;
  }
}

function chooseContainer(pod: Stored<Pod>, asked: string | null): string {
  const { name } = pod.metadata;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((container) => container.name);
  if (asked !== null && asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [first, ...others] = pod.spec.containers;
  if (others.length > 0) {
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${pod.spec.containers.map((container) => container.name).join(' ')}]`,
    );
  }
  return first?.name ?? '';
}

interface LogLine {
  readonly time: string;
  readonly text: string;
}

function logLines(pod: Stored<Pod>, container: string): readonly LogLine[] {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const status = statuses.find((each) => each.name === container);
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
