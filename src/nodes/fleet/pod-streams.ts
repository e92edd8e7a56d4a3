/**
 * Streams behind a pod. Of a simulated pod: its log, and for every stream that would need a process (exec, attach,
 * port-forward, proxy) an error that says so instead of a connection that hangs. Pods of other nodes have a kubelet,
 * which this process does not connect to: the error says so, with a way to go there, and nothing is made up in its
 * place.
 */
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { badRequest, serviceUnavailable, type StatusError } from '../../core/kube/status-error.ts';
import { chooseContainer, createPodLogs, type PodLogsOptions } from './pod-logs.ts';
import { isSimulated } from './settings.ts';

/** The part of a request that a stream needs. */
interface StreamRequest {
  readonly query: URLSearchParams;
  readonly signal?: AbortSignal;
}

export interface StreamAnswer {
  readonly contentType: string;
  readonly body: AsyncIterable<string>;
}

export type PodStream = (request: StreamRequest, object: Stored) => Promise<StreamAnswer>;

export interface PodStreamsOptions extends PodLogsOptions {
  /** The node of this name; fails with its `NotFound` where there is none, which is then the answer. */
  readonly node: (name: string) => Promise<Stored<Node>>;
}

const NEVER = new AbortController().signal;

/** Alternatives for a person, where the kubelet is not reached from here. */
const INSTEAD: { readonly [name: string]: (pod: Stored<Pod>) => string } = {
  log: () => 'read the log on the node, with "crictl logs" or below /var/log/pods',
  exec: () => 'run the command on the node, with "crictl exec"',
  attach: () => 'attach on the node, with "crictl attach"',
  portforward: reachAddress,
  proxy: reachAddress,
};

/** By `resource/subresource`, as the API server asks for them. */
export function createPodStreams(options: PodStreamsOptions): ReadonlyMap<string, PodStream> {
  const logs = createPodLogs(options);

  /** Refuses where the pod's node is not simulated. */
  async function checkNode(name: string, pod: Stored<Pod>): Promise<void> {
    const { nodeName = '' } = pod.spec;
    if (!isSimulated(await options.node(nodeName))) throw notReached(name, pod, nodeName);
  }

  const log: PodStream = async ({ query, signal = NEVER }, object) => {
    const pod = object as Stored<Pod>;
    chooseContainer(pod, query.get('container'));
    // A pod without a node has no kubelet to ask: a kube-apiserver answers with an empty log, so that logs of other
    // pods are shown.
    if (hasNode(pod)) await checkNode('log', pod);
    return { contentType: 'text/plain', body: logs(pod, query, signal) };
  };

  const needsProcess =
    (name: string): PodStream =>
    async ({ query }, object) => {
      const pod = object as Stored<Pod>;
      if (OF_A_CONTAINER.has(name)) chooseContainer(pod, query.get('container'));
      if (!hasNode(pod)) throw withoutNode(name, pod);
      await checkNode(name, pod);
      throw badRequest(
        `${name} is not available: pod ${quoted(pod)} runs on the simulated node ${JSON.stringify(pod.spec.nodeName)}, and simulated containers have no processes; "kubectl logs" works`,
      );
    };

  return new Map<string, PodStream>([
    ['pods/log', log],
    ...['attach', 'exec', 'portforward', 'proxy'].map((name) => [`pods/${name}`, needsProcess(name)] as const),
    ['nodes/proxy', nodeProxy],
  ]);
}

const OF_A_CONTAINER: ReadonlySet<string> = new Set(['attach', 'exec']);

const quoted = ({ metadata: { name } }: Stored): string => JSON.stringify(name);
const hasNode = ({ spec }: Stored<Pod>): boolean => (spec.nodeName ?? '') !== '';

/** In Kubernetes' words: to most a pod without a node has no host, to a proxy it has no address. */
const withoutNode = (name: string, { metadata }: Stored<Pod>): StatusError =>
  badRequest(name === 'proxy' ? 'address not allowed' : `pod ${metadata.name} does not have a host assigned`);

function notReached(name: string, pod: Stored<Pod>, nodeName: string): StatusError {
  const instead = INSTEAD[name]?.(pod) ?? '';
  return serviceUnavailable(
    `${name} is not available: pod ${quoted(pod)} runs on node ${JSON.stringify(nodeName)}, whose kubelet is not reached from here; ${instead}`,
  );
}

function reachAddress({ status }: Stored<Pod>): string {
  const address = status?.podIP ?? '';
  return `reach the pod at its own address${address === '' ? '' : `, ${address}`}, from where the cluster's network is reached`;
}

// eslint-disable-next-line require-await -- answers as the streams of pods do
const nodeProxy: PodStream = async (_request, node) => {
  if (isSimulated(node as Stored<Node>)) {
    throw badRequest(`proxy is not available: node ${quoted(node)} is simulated and has no kubelet that listens`);
  }
  throw serviceUnavailable(
    `proxy is not available: the kubelet of node ${quoted(node)} is not reached from here; ask it at the node's own address, port 10250`,
  );
};
