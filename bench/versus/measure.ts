/** One run: a cluster is set up, a DaemonSet rolled out and perhaps updated; the cost is measured from outside. */
import { request } from 'node:https';
import { DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { note } from '../support/report.ts';
import { setUp, type Stage } from './contestants.ts';
import type { Options, Run } from './plan.ts';
import { startMeter, untilQuiet } from './processes.ts';
import { parseRequests, requestsBetween, type Requests } from './requests.ts';
import type { Sample } from './summary.ts';

const KEY = { namespace: 'default', name: 'agent' };
const WARM_UP = { namespace: 'default', name: 'warm-up' };

const agent = (image: string, { name, namespace } = KEY): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } },
    template: {
      metadata: { labels: { app: name } } as unknown as DaemonSet['metadata'],
      spec: {
        containers: [{ name: 'agent', image, resources: { requests: { cpu: '50m', memory: '64Mi' } } }],
      },
    },
  },
});

/** Hands over every sample as it is taken, so that a later failure or Ctrl-C does not lose the samples before it. */
export async function measure(
  run: Run,
  options: Options,
  stopping: AbortSignal,
  take: (sample: Sample) => void,
): Promise<void> {
  const { contestant, nodes, round } = run;
  const stage = await setUp(contestant, nodes, options);
  const timed = async (name: string | undefined, act: () => Promise<Stored<DaemonSet>>): Promise<void> => {
    if (!(await untilQuiet(stage.processes, stopping))) note(`  ${contestant} is not quiet; measured all the same`);
    const before = options.requests ? await requestsOf(stage, contestant) : undefined;
    const limit = AbortSignal.timeout(options.timeoutMs);
    using meter = startMeter(stage.processes);
    const began = performance.now();
    try {
      const { metadata } = await act();
      const signal = AbortSignal.any([stopping, limit]);
      await complete(stage, metadata.name, nodes, metadata.generation ?? 1, signal);
    } catch (error) {
      throw limit.aborted ? new Error(`not complete after ${options.timeoutMs / 1000} s`, { cause: error }) : error;
    }
    const wall = (performance.now() - began) / 1000;
    const cost = meter.read();
    if (name === undefined) return;
    take({ case: name, contestant, round, wall, cpu: cost.cpuSeconds, memory: cost.memoryMiB });
    const each = [...cost.each].map(([process, seconds]) => `${process} ${seconds.toFixed(2)}`).join(', ');
    note(
      `  ${name} ${contestant}: ${wall.toFixed(2)} s, CPU ${cost.cpuSeconds.toFixed(2)} s (${each}), ${cost.memoryMiB.toFixed(0)} MiB`,
    );
    if (before !== undefined) tell(requestsBetween(before, await requestsOf(stage, contestant)), nodes);
  };
  try {
    const { client } = stage;
    // The control plane with default limits waits for them and has nothing to warm up; waiting twice would only take
    // longer.
    if (options.warmUp && contestant !== 'kubernetes-default') {
      await timed(undefined, () => client.create(DAEMON_SETS, agent('registry.example/agent:v0', WARM_UP)));
      await client.delete(DAEMON_SETS, WARM_UP, { propagationPolicy: 'Foreground' });
      await gone(stage, AbortSignal.any([stopping, AbortSignal.timeout(options.timeoutMs)]));
    }
    await timed(run.rollout, () => client.create(DAEMON_SETS, agent('registry.example/agent:v1')));
    if (run.update === undefined) return;
    const body = {
      spec: { template: { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:v2' }] } } },
    };
    await timed(run.update, () => client.patch(DAEMON_SETS, KEY, { type: 'strategic', body }));
  } catch (error) {
    if (!stopping.aborted) stage.keepLogs();
    throw error;
  } finally {
    await stage.stop();
  }
}

/** Resolves when the status says that every node has its new pod, available; seen by watch. */
async function complete(
  { client }: Stage,
  name: string,
  nodes: number,
  generation: number,
  signal: AbortSignal,
): Promise<void> {
  const reached = ({ metadata, status }: Stored<DaemonSet>): boolean =>
    metadata.name === name &&
    status?.numberAvailable === nodes &&
    status.updatedNumberScheduled === nodes &&
    (status.observedGeneration ?? 0) >= generation;
  const options = { namespace: KEY.namespace, sendInitialEvents: true, allowWatchBookmarks: true, signal };
  for await (const events of client.watch(DAEMON_SETS, options)) {
    if (events.some((event) => event.type !== 'BOOKMARK' && reached(event.object))) return;
  }
  throw new Error('the watch ended before it was complete');
}

/** Resolves when the DaemonSet of the warm-up is gone. */
async function gone({ client }: Stage, signal: AbortSignal): Promise<void> {
  while ((await client.list(DAEMON_SETS, { namespace: WARM_UP.namespace, signal })).items.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 200));
}

function tell(requests: Requests, nodes: number): void {
  for (const [name, count] of requests)
    if (count >= nodes / 50) note(`    ${(count / nodes).toFixed(2).padStart(6)} a pod  ${name} (${count})`);
}

async function requestsOf({ kubeconfig }: Stage, contestant: string): Promise<Requests> {
  if (contestant === 'everynode-embedded') return new Map();
  const { server, tls = {}, credentials } = await loadKubeconfig({ path: kubeconfig, clock: realClock });
  const own = await credentials?.get();
  const { ca, cert = own?.cert, key = own?.key } = tls;
  const text = await new Promise<string>((resolve, reject) => {
    const asking = request(new URL('/metrics', server), { ca, cert, key }, (response) => {
      response.setEncoding('utf8');
      let body = '';
      response.on('data', (chunk: string) => void (body += chunk)).once('end', () => resolve(body));
    });
    asking.once('error', reject).end();
  });
  return parseRequests(text);
}
