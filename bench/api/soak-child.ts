/**
 * Churn for the given time (`soak-child.ts MINUTES`): DaemonSets come, are updated and go, pods and config maps
 * too, and watchers over HTTPS arrive and leave. Prints the heap after collection and the open descriptors, one pair a
 * sample; in a sound process both are flat.
 */
import { readdirSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { parse } from 'yaml';
import { startEmbedded } from '../../src/assembly/embedded.ts';
import { CONFIG_MAPS, DAEMON_SETS, EVENTS, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { freshPodText } from '../support/pods.ts';

const minutes = Number(process.argv[2] ?? '10');
const SAMPLES = 30;
const NAMESPACE = 'default';

const cluster = await startEmbedded({
  port: 0,
  bind: '127.0.0.1',
  groups: [{ name: 'node', count: 50 }],
  // A short history, so that it is full long before the first sample that counts.
  history: { events: 2000 },
});
const { client } = cluster;

const daemon = (name: string, image: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } } as unknown as DaemonSet['metadata'],
      spec: { containers: [{ name: 'main', image }] },
    },
  },
});

interface Credentials {
  readonly users: readonly { readonly user: { readonly [key: string]: string } }[];
  readonly clusters: readonly { readonly cluster: { readonly [key: string]: string } }[];
}
const credentials = parse(cluster.kubeconfig) as Credentials;
const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
const user = credentials.users[0]?.user ?? {};
const open = (): ClientHttp2Session =>
  connect(cluster.server, {
    ca: decoded(credentials.clusters[0]?.cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  });

/** Watchers that come and go in the middle of things, as kubectl's do. */
async function watchForAWhile(): Promise<void> {
  const session = open();
  session.on('error', () => undefined);
  const streams = ['pods', 'configmaps', 'events'].map((resource) => {
    const stream = session.request({ ':path': `/api/v1/${resource}?watch=1` });
    stream.on('data', () => undefined);
    stream.on('error', () => undefined);
    return stream;
  });
  await sleep(500);
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  await new Promise<void>((resolve) => session.close(resolve));
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = performance.now() + minutes * 60_000;
let round = 0;

async function churn(): Promise<void> {
  while (performance.now() < until) {
    round += 1;
    const name = `daemon-${round}`;
    await client.create(DAEMON_SETS, daemon(name, 'registry.example/agent:v1'));
    await watchForAWhile();
    await client.update(DAEMON_SETS, daemon(name, 'registry.example/agent:v2'));
    for (let i = 0; i < 20; i += 1) {
      const pod = JSON.parse(freshPodText(round * 20 + i)) as Pod;
      await client.create(PODS, { ...pod, metadata: { ...pod.metadata, labels: { round: name } } });
      await client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `map-${round}-${i}`, namespace: NAMESPACE, labels: { round: name } },
        data: { text: 'x'.repeat(1000) },
      });
    }
    await watchForAWhile();
    const left = { namespace: NAMESPACE, labelSelector: `round=${name}` };
    await client.deleteCollection(PODS, left);
    await client.deleteCollection(CONFIG_MAPS, left);
    await client.delete(DAEMON_SETS, { namespace: NAMESPACE, name }, { propagationPolicy: 'Foreground' });
    // Events live for an hour, longer than this bench: their memory would hide a leak.
    await client.deleteCollection(EVENTS, { namespace: NAMESPACE });
  }
}

const churning = churn();
const samples: { readonly heap: number; readonly descriptors: number }[] = [];
for (let i = 0; i < SAMPLES; i += 1) {
  await sleep((minutes * 60_000) / SAMPLES);
  globalThis.gc?.();
  globalThis.gc?.();
  samples.push({ heap: process.memoryUsage().heapUsed, descriptors: readdirSync('/proc/self/fd').length });
}
await churning;
process.stderr.write(`${round} rounds of churn\n`);
process.stdout.write(JSON.stringify(samples));
await cluster.stop();
