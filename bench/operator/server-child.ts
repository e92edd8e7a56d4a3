/**
 * A large cluster for an operator to look at (`server-child.ts NODES PODS KUBECONFIG`): a third of the pods are daemons', the
 * others belong to ReplicaSets of fifty, all of them run. Says `filled` when it is, and serves until it is ended.
 */
import { writeFileSync } from 'node:fs';
import { startEmbedded } from '../../src/assembly/embedded.ts';
import { PODS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { throughput } from '../support/load.ts';

const [nodes, pods] = process.argv.slice(2, 4).map(Number) as [number, number];
const kubeconfig = process.argv[4] ?? '';
const PER_REPLICA_SET = 50;

const cluster = await startEmbedded({
  port: 0,
  bind: '127.0.0.1',
  groups: [{ name: 'node', count: nodes, capacity: { cpu: '64', memory: '256Gi', pods: '500' } }],
  // No garbage collector: it would delete pods whose owners do not exist.
  controllers: ['serviceaccount'],
  scheduler: false,
  events: false,
});
const { client } = cluster;
// The parent process may be ended at any moment.
process.on('disconnect', () => process.exit());

const owner = (kind: string, index: number) => ({
  apiVersion: 'apps/v1',
  kind,
  name: `owner-${index}`,
  uid: `9a4de1f0-0000-4000-8000-${String(index).padStart(12, '0')}`,
  controller: true,
  blockOwnerDeletion: true,
});
const daemons = Math.floor(pods / 3 / nodes);

function podAt(index: number): Pod {
  const isDaemon = index < daemons * nodes;
  const group = isDaemon
    ? Math.floor(index / nodes)
    : daemons + Math.floor((index - daemons * nodes) / PER_REPLICA_SET);
  const container = (name: string) => ({
    name,
    image: `registry.example/${name}-${group}:v1.2.3`,
    args: ['--config=/etc/config.yaml', `--group=${group}`],
    ports: [{ containerPort: 9100, name: `${name}-port` }],
    env: [
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'GROUP', value: `group-${group}` },
    ],
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
    readinessProbe: { httpGet: { path: '/ready', port: 9100 }, periodSeconds: 5 },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${group}-${index}`,
      namespace: 'default',
      labels: { app: `app-${group}`, tier: isDaemon ? 'daemon' : 'web', 'pod-template-hash': '6d8f9c7b5' },
      annotations: { 'example.test/checksum': `0123456789abcdef-${group}` },
      ownerReferences: [owner(isDaemon ? 'DaemonSet' : 'ReplicaSet', group)],
    },
    spec: {
      nodeName: `node-${index % nodes}`,
      containers: [container('main'), container('proxy')],
      volumes: [{ name: 'config', configMap: { name: `config-${group}` } }],
      tolerations: [{ operator: 'Exists' }],
    },
  };
}

await throughput(pods, 64, (index) => client.create(PODS, podAt(index)));
for (;;) {
  const { items } = await client.list(PODS, { fieldSelector: 'status.phase=Pending', limit: 1 });
  if (items.length === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
process.stdout.write('filled\n');
