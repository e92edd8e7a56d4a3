/** An embedded cluster with Orders on it, for the processes of bench `orders`. */
import { type EmbeddedCluster, startEmbedded } from '../../src/assembly/embedded.ts';
import { ORDERS } from '../../src/core/api/registry/resources.ts';
import type { Order } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';

export const startCluster = (nodes: number): Promise<EmbeddedCluster> =>
  startEmbedded({ port: 0, bind: '127.0.0.1', groups: [{ name: 'node', count: nodes }] });

export const order = (name: string): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name, namespace: 'default' },
  spec: {
    daemonSet: true,
    strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
    template: {
      spec: {
        duration: '24h',
        resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '20m', memory: '32Mi' } },
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
      },
    },
  },
});

/** Resolves when the statuses of this many Orders say that all room is held. */
export async function untilReserved(cluster: EmbeddedCluster, nodes: number, orders = 1): Promise<void> {
  const stop = new AbortController();
  const done = new Set<string>();
  const reached = ({ metadata, status }: Stored<Order>): void => {
    if (status?.availableReplicas === nodes) done.add(metadata.uid);
  };
  const options = { namespace: 'default', sendInitialEvents: true, allowWatchBookmarks: true, signal: stop.signal };
  for await (const events of cluster.client.watch(ORDERS, options)) {
    for (const event of events) if (event.type !== 'BOOKMARK') reached(event.object);
    if (done.size >= orders) break;
  }
  stop.abort();
}

/** CPU milliseconds of this process so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
