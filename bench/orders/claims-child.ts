/**
 * `claims-child.ts NODES`: handovers a second, from the creation of as many claimants as there are Tickets until every Ticket is Claimed and
 * every shade is gone. The Order follows no claim, so that nothing but handovers is measured.
 */
import { CLAIM_ANNOTATIONS } from '../../src/core/api/names.ts';
import { ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { note } from '../support/report.ts';
import { cpuMs, order, startCluster, untilReserved } from './cluster.ts';

const namespace = 'default';
const RUNS = 3;

const claimant = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    annotations: { [CLAIM_ANNOTATIONS.orderRequest]: 'room', [CLAIM_ANNOTATIONS.claim]: 'Required' },
  },
  spec: {
    containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
  },
});

async function measure(nodes: number): Promise<number> {
  const cluster = await startCluster(nodes);
  const made = order('room');
  const strategy = { type: 'OneTime', refreshPolicy: 'Never' };
  await cluster.client.create(ORDERS, { ...made, spec: { ...made.spec, strategy } });
  await untilReserved(cluster, nodes);
  const stop = new AbortController();
  const began = performance.now();
  const cpu = cpuMs();
  const claimed = new Set<string>();
  const following = (async (): Promise<void> => {
    for await (const events of cluster.client.watch(TICKETS, { namespace, signal: stop.signal })) {
      for (const event of events)
        if (event.type !== 'BOOKMARK' && event.object.status?.phase === 'Claimed')
          claimed.add(event.object.metadata.uid);
      if (claimed.size >= nodes) return;
    }
  })();
  for (let i = 0; i < nodes; i += 1) await cluster.client.create(PODS, claimant(`claimant-${i}`));
  await following;
  stop.abort();
  while (
    (await cluster.client.list(PODS, { namespace, labelSelector: 'korder.dev/role=shade', limit: 1 })).items.length > 0
  )
    await new Promise((resolve) => setTimeout(resolve, 10));
  const seconds = (performance.now() - began) / 1000;
  note(`claims: ${nodes} in ${seconds.toFixed(2)} s, ${((cpuMs() - cpu) / nodes).toFixed(2)} ms of CPU each`);
  await cluster.stop();
  return nodes / seconds;
}

const nodes = Number(process.argv[2] ?? 1000);
const samples: number[] = [];
// The first run compiles the code.
for (let run = 0; run <= RUNS; run += 1) {
  const rate = await measure(nodes);
  if (run > 0) samples.push(rate);
}
process.stdout.write(JSON.stringify(samples));
