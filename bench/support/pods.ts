/** Pods to create: as a DaemonSet controller makes them from one stored template, and fresh ones that share nothing. */
import { CONFIG_MAPS, DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';

const NAMESPACE = 'default';

const daemonSet: DaemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } } as unknown as DaemonSet['metadata'],
      spec: {
        containers: [
          {
            name: 'agent',
            image: 'registry.example/agent:v1.2.3',
            args: ['--config=/etc/agent/config.yaml'],
            ports: [{ containerPort: 9100, name: 'metrics' }],
            env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
            volumeMounts: [{ name: 'varlog', mountPath: '/var/log' }],
          },
        ],
        // Selects no node: the pods are made here, and no controller must create or delete any.
        nodeSelector: { 'everynode.dev/bench': 'nowhere' },
        tolerations: [{ operator: 'Exists' }],
        volumes: [{ name: 'varlog', hostPath: { path: '/var/log' } }],
      },
    },
  },
};

/** A maker of pods pinned to `node(i)`, sharing everything a stored DaemonSet's template can give. */
export async function templatePods(client: Client): Promise<(index: number, nodeName: string) => Pod> {
  const stored: Stored<DaemonSet> = await client
    .create(DAEMON_SETS, daemonSet)
    .catch(() => client.get(DAEMON_SETS, { namespace: NAMESPACE, name: 'agent' }));
  const { spec: template, metadata } = stored.spec.template;
  if (template === undefined) throw new Error('the DaemonSet has no pod template');
  const { nodeSelector: _nowhere, ...spec } = template;
  // The owner is not the DaemonSet itself, whose controller would delete pods from nodes that it does not select; but
  // it must exist, or the pods would be collected as orphans.
  const owner = await client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'agent', namespace: NAMESPACE },
  });
  const labels = { ...metadata?.labels, 'controller-revision-hash': '6d8f9c7b5', 'pod-template-generation': '1' };
  const ownerReferences = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: owner.metadata.name,
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  return (index, nodeName) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `agent-${String(index).padStart(6, '0')}`,
      generateName: 'agent-',
      namespace: NAMESPACE,
      labels,
      ownerReferences,
    },
    spec: {
      ...spec,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
          },
        },
      },
    },
  });
}

/** Two containers, six volumes, nothing in common with any other object in memory: as if just parsed. */
export function freshPodText(index: number, namespace = NAMESPACE): string {
  const mounts = Array.from({ length: 6 }, (_, i) => ({ name: `v${i}`, mountPath: `/mnt/${i}` }));
  const container = (name: string, port: number): object => ({
    name,
    image: `registry.example/${name}:v${index % 7}`,
    command: ['/bin/run', '--level=info'],
    env: [
      { name: 'A', value: String(index) },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    ports: [{ containerPort: port, name }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: name }, periodSeconds: 5 },
    volumeMounts: mounts,
  });
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `fresh-${index}`,
      namespace,
      labels: { app: `a${index}`, tier: 'web' },
      annotations: { note: `n${index}` },
    },
    spec: {
      containers: [container('main', 8080), container('side', 8081)],
      volumes: [
        { name: 'v0', emptyDir: {} },
        { name: 'v1', hostPath: { path: '/var/log' } },
        { name: 'v2', configMap: { name: 'c' } },
        { name: 'v3', secret: { secretName: 's' } },
        { name: 'v4', emptyDir: { medium: 'Memory' } },
        { name: 'v5', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      ],
      // A scheduler that does not exist: the bench measures the API, not the writes of a scheduler afterwards.
      schedulerName: 'nobody',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    },
  });
}
