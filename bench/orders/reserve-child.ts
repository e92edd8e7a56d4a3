/** `reserve-child.ts NODES`: one Order until all its room is held, after warm-ups on smaller clusters. */
import { TICKETS } from '../../src/core/api/registry/resources.ts';
import { ORDERS } from '../../src/core/api/registry/resources.ts';
import type { EmbeddedCluster } from '../../src/assembly/embedded.ts';
import { cpuMs, order, startCluster, untilReserved } from './cluster.ts';

const WARM_UP_NODES = 5000;
const WARM_UPS = 2;

/** Counts the writes of each Ticket after its creation. The returned function ends the count and gives the most. */
function countWrites(cluster: EmbeddedCluster): () => number {
  const stop = new AbortController();
  const writes = new Map<string, number>();
  const options = { namespace: 'default', sendInitialEvents: true, allowWatchBookmarks: true, signal: stop.signal };
  const run = async (): Promise<void> => {
    for await (const events of cluster.client.watch(TICKETS, options))
      for (const event of events)
        if (event.type === 'MODIFIED')
          writes.set(event.object.metadata.uid, (writes.get(event.object.metadata.uid) ?? 0) + 1);
  };
  run().catch(() => undefined);
  return () => {
    stop.abort();
    let most = 0;
    for (const count of writes.values()) most = Math.max(most, count);
    return most;
  };
}

async function measure(nodes: number): Promise<object> {
  const cluster = await startCluster(nodes);
  try {
    const ended = countWrites(cluster);
    const began = performance.now();
    const cpu = cpuMs();
    await cluster.client.create(ORDERS, order('room'));
    await untilReserved(cluster, nodes);
    const seconds = (performance.now() - began) / 1000;
    return { seconds, cpuSeconds: (cpuMs() - cpu) / 1000, statusWrites: ended() };
  } finally {
    await cluster.stop();
  }
}

const nodes = Number(process.argv[2] ?? 1000);
for (let i = 0; i < WARM_UPS; i += 1) await measure(Math.min(WARM_UP_NODES, nodes));
const measured = await measure(nodes);
process.stdout.write(JSON.stringify([{ ...measured, memoryMiB: process.resourceUsage().maxRSS / 1024 }]));
