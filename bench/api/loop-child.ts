/** How long the event loop is held while 50,000 pods are created, placed and started: the 99th percentile. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startEmbedded } from '../../src/assembly/embedded.ts';
import { PODS } from '../../src/core/api/registry/resources.ts';
import { throughput } from '../support/load.ts';
import { templatePods } from '../support/pods.ts';

const COUNT = 50_000;
const NODES = 1000;

const cluster = await startEmbedded({ port: 0, bind: '127.0.0.1', groups: [{ name: 'node', count: NODES }] });
const pod = await templatePods(cluster.client);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await throughput(COUNT, 100, (i) => cluster.client.create(PODS, pod(i, `node-${i % NODES}`)));
delay.disable();
process.stdout.write(JSON.stringify([delay.percentile(99) / 1e6]));
process.stderr.write(`max ${(delay.max / 1e6).toFixed(1)} ms, median ${(delay.percentile(50) / 1e6).toFixed(2)} ms\n`);
await cluster.stop();
