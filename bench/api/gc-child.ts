/** Deleting an owner of 10,000 pods: from the answer to the delete until the last pod is gone. Prints seconds. */
import { startEmbedded } from '../../src/assembly/embedded.ts';
import { CONFIG_MAPS, PODS } from '../../src/core/api/registry/resources.ts';
import { throughput } from '../support/load.ts';
import { templatePods } from '../support/pods.ts';

const COUNT = 10_000;
const RUNS = 4;

const cluster = await startEmbedded({ port: 0, bind: '127.0.0.1', groups: [] });
const { client } = cluster;
const samples: number[] = [];
for (let run = 0; run < RUNS; run += 1) {
  const pod = await templatePods(client);
  // The pods are not scheduled: the bench measures collecting, not stopping containers.
  await throughput(COUNT, 100, (i) => {
    const each = pod(i, 'nowhere');
    return client.create(PODS, { ...each, spec: { ...each.spec, schedulerName: 'nobody' } });
  });
  const gone = allGone();
  const began = performance.now();
  await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'agent' }, { propagationPolicy: 'Background' });
  await gone;
  // The first run warms the code up.
  if (run > 0) samples.push((performance.now() - began) / 1000);
}
process.stdout.write(JSON.stringify(samples));
await cluster.stop();

async function allGone(): Promise<void> {
  const stop = new AbortController();
  let deleted = 0;
  const { resourceVersion } = await client.list(PODS, { namespace: 'default', limit: 1 });
  for await (const events of client.watch(PODS, { namespace: 'default', resourceVersion, signal: stop.signal })) {
    for (const { type } of events) if (type === 'DELETED') deleted += 1;
    if (deleted >= COUNT) break;
  }
  stop.abort();
}
