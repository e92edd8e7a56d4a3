/** A pod as a DaemonSet controller makes it: the template's parts are shared by reference, the rest is its own. */
import type { Stored } from '../../src/core/kube/objects.ts';

const tolerated = ['not-ready', 'unreachable', 'disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'];

const template = {
  volumes: [
    { name: 'varlog', hostPath: { path: '/var/log', type: '' } },
    {
      name: 'kube-api-access',
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
        ],
        defaultMode: 420,
      },
    },
  ],
  containers: [
    {
      name: 'agent',
      image: 'registry.example/agent:v1.2.3',
      args: ['--config=/etc/agent/config.yaml', '--level=info'],
      ports: [{ containerPort: 9100, hostPort: 9100, protocol: 'TCP', name: 'metrics' }],
      env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
      resources: { limits: { cpu: '200m', memory: '200Mi' }, requests: { cpu: '100m', memory: '100Mi' } },
      volumeMounts: [
        { name: 'varlog', mountPath: '/var/log' },
        { name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
      ],
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  serviceAccountName: 'default',
  schedulerName: 'default-scheduler',
  securityContext: {},
  tolerations: tolerated.map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
  priority: 0,
  preemptionPolicy: 'PreemptLowerPriority',
};

const labels = { app: 'agent', 'controller-revision-hash': '6d8f9c7b5', 'pod-template-generation': '1' };
const ownerReferences = [
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'agent',
    uid: '1b2c3d4e-0000-4000-8000-000000000000',
    controller: true,
    blockOwnerDeletion: true,
  },
];

export const daemonPod = (index: number, revision: number): Stored =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `agent-${(Math.imul(index, 2_654_435_761) >>> 0).toString(36)}-${index}`,
      generateName: 'agent-',
      namespace: 'kube-system',
      uid: `9a4de1f0-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(revision),
      creationTimestamp: '2026-11-15T20:00:00Z',
      labels,
      ownerReferences,
    },
    spec: {
      ...template,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [`node-${index}`] }] }],
          },
        },
      },
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  }) as unknown as Stored;
