/** Heap of a running daemon pod: the slope between 10,000 and 20,000 of them on as many nodes, after collection. */
import { startEmbedded } from '../../src/assembly/embedded.ts';
import { PODS } from '../../src/core/api/registry/resources.ts';
import { throughput } from '../support/load.ts';
import { templatePods } from '../support/pods.ts';

const STEP = 10_000;

const cluster = await startEmbedded({
  port: 0,
  bind: '127.0.0.1',
  groups: [{ name: 'node', count: 2 * STEP }],
  history: { events: 100 },
  events: false,
});
const pod = await templatePods(cluster.client);

async function running(upTo: number): Promise<void> {
  for (;;) {
    const { items } = await cluster.client.list(PODS, { fieldSelector: 'status.phase=Running' });
    if (items.length >= upTo) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function heapAfter(first: number): Promise<number> {
  await throughput(STEP, 100, (i) => cluster.client.create(PODS, pod(first + i, `node-${first + i}`)));
  await running(first + STEP);
  // Garbage of the writes goes in a few collections.
  for (let i = 0; i < 5; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

const at10k = await heapAfter(0);
const at20k = await heapAfter(STEP);
process.stdout.write(JSON.stringify([(at20k - at10k) / STEP]));
await cluster.stop();
