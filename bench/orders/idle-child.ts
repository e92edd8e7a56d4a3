/** `idle-child.ts NODES ORDERS`: share of one core that a cluster at rest uses for its Orders. */
import { ORDERS } from '../../src/core/api/registry/resources.ts';
import { note } from '../support/report.ts';
import { cpuMs, order, startCluster, untilReserved } from './cluster.ts';

const REST_MS = 20_000;
/** After a load the engine collects its garbage for some tens of seconds. */
const SETTLE_MS = 60_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function share(): Promise<number> {
  const before = cpuMs();
  await sleep(REST_MS);
  return (cpuMs() - before) / REST_MS;
}

const [nodes = 5000, orders = 20] = process.argv.slice(2).map(Number);
const cluster = await startCluster(nodes);
await sleep(SETTLE_MS);
const without = await share();
for (let i = 0; i < orders; i += 1) await cluster.client.create(ORDERS, order(`room-${i}`));
await untilReserved(cluster, nodes, orders);
await sleep(SETTLE_MS);
const loaded = await share();
note(`idle: ${(without * 100).toFixed(2)} % of a core without Orders, ${(loaded * 100).toFixed(2)} % with them`);
await cluster.stop();
process.stdout.write(JSON.stringify([Math.max(0, loaded - without)]));
