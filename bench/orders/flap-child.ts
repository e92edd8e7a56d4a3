/** `flap-child.ts NODES`: CPU milliseconds of the whole process for one node that is cordoned or uncordoned. */
import { NODES, ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import { TICKET_CONDITIONS } from '../../src/core/api/names.ts';
import { cpuMs, order, startCluster, untilReserved } from './cluster.ts';

const FLAPS = 40;
const SAMPLES = 5;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const nodes = Number(process.argv[2] ?? 5000);
const cluster = await startCluster(nodes);
await cluster.client.create(ORDERS, order('room'));
await untilReserved(cluster, nodes);
await sleep(5000);

/** Resolves when the Ticket of the node says whether the node is eligible. */
async function marked(ticket: string, isEligible: boolean): Promise<void> {
  const wanted = isEligible ? 'True' : 'False';
  for (;;) {
    const { status } = await cluster.client.get(TICKETS, { namespace: 'default', name: ticket });
    const condition = status?.conditions?.find(({ type }) => type === TICKET_CONDITIONS.nodeEligible);
    if (condition === undefined ? isEligible : condition.status === wanted) return;
    await sleep(2);
  }
}

const { items } = await cluster.client.list(TICKETS, { namespace: 'default' });
const samples: number[] = [];
for (let sample = 0; sample <= SAMPLES; sample += 1) {
  const before = cpuMs();
  for (let flap = 0; flap < FLAPS; flap += 1) {
    const ticket = items[(sample * 7) % items.length];
    const name = ticket?.status?.nodeName ?? '';
    const unschedulable = flap % 2 === 0;
    await cluster.client.patch(NODES, { name }, { type: 'merge', body: { spec: { unschedulable } } });
    await marked(ticket?.metadata.name ?? '', !unschedulable);
  }
  // The first sample compiles the code.
  if (sample > 0) samples.push((cpuMs() - before) / FLAPS);
}
await cluster.stop();
process.stdout.write(JSON.stringify(samples));
