/**
 * One rollout in a process of its own: `child.ts MODE NODES [DATA-DIR]`. Small clusters warm the code up, then the
 * measured one is built. Prints JSON: seconds, CPU seconds, and the most memory the process
 * has held.
 */
import { startEmbedded, type EmbeddedCluster } from '../../src/assembly/embedded.ts';
import { DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';

const WARM_UP_NODES = 5000;
/**
 * After this many small clusters the engine has compiled what it will: the second is still a third slower than the
 * fourth.
 */
const WARM_UPS = 3;

const agent = (image: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } },
    template: {
      metadata: { labels: { app: 'agent' } } as unknown as DaemonSet['metadata'],
      spec: {
        containers: [
          {
            name: 'agent',
            image,
            args: ['--config=/etc/agent/config.yaml'],
            env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
            volumeMounts: [{ name: 'varlog', mountPath: '/var/log' }],
          },
        ],
        volumes: [{ name: 'varlog', hostPath: { path: '/var/log' } }],
      },
    },
  },
});

/** Resolves when the DaemonSet's status says so; seen by watch, as a user would. */
async function until(cluster: EmbeddedCluster, reached: (set: Stored<DaemonSet>) => boolean): Promise<void> {
  const stop = new AbortController();
  const options = { namespace: 'default', sendInitialEvents: true, allowWatchBookmarks: true, signal: stop.signal };
  for await (const events of cluster.client.watch(DAEMON_SETS, options)) {
    if (events.some((event) => event.type !== 'BOOKMARK' && reached(event.object))) break;
  }
  stop.abort();
}

const complete =
  (nodes: number, generation: number) =>
  ({ status }: Stored<DaemonSet>): boolean =>
    status?.numberAvailable === nodes &&
    status.updatedNumberScheduled === nodes &&
    (status.observedGeneration ?? 0) >= generation;

/** Wall seconds, and the CPU seconds of the process meanwhile: on a busy machine only the latter say anything. */
interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function measure(mode: string, nodes: number, dataDir: string | undefined): Promise<Measured> {
  const cluster = await startEmbedded({
    port: 0,
    bind: '127.0.0.1',
    groups: [{ name: 'node', count: nodes }],
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  try {
    const timed = async (work: () => Promise<unknown>): Promise<Measured> => {
      const began = performance.now();
      const cpu = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(cpu);
      return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
    };
    const created = await timed(async () => {
      await cluster.client.create(DAEMON_SETS, agent('registry.example/agent:v1'));
      await until(cluster, complete(nodes, 1));
    });
    if (mode === 'create') return created;
    return await timed(async () => {
      await cluster.client.update(DAEMON_SETS, agent('registry.example/agent:v2'));
      await until(cluster, complete(nodes, 2));
    });
  } finally {
    await cluster.stop();
  }
}

const [mode = 'create', count = '1000', dataDir] = process.argv.slice(2);
for (let i = 0; i < WARM_UPS; i += 1) await measure(mode, Math.min(WARM_UP_NODES, Number(count)), undefined);
const measured = await measure(mode, Number(count), dataDir);
const memoryMiB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ ...measured, memoryMiB }));
