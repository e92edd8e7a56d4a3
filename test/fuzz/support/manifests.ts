/** Valid manifests of many kinds, to be spoilt. Kinds without one of their own begin with nothing but a name. */
import type { KindDefinition } from '../../../src/core/api/kind/kind-definition.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import { apiVersionOf } from '../../../src/core/kube/objects.ts';

type Body = { readonly [key: string]: Json };

const container = {
  name: 'main',
  image: 'registry.example.com/app:1.2',
  command: ['run', '--fast'],
  env: [
    { name: 'PLAIN', value: 'x' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
  ],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
  livenessProbe: { httpGet: { path: '/ok', port: 'http' }, periodSeconds: 5 },
  securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
  volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
};
const podSpec = {
  containers: [container],
  initContainers: [{ name: 'init', image: 'i', restartPolicy: 'Always' }],
  volumes: [
    { name: 'v', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'c', configMap: { name: 'cm', items: [{ key: 'k', path: 'p' }] } },
    { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  nodeSelector: { zone: 'a' },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
  ],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.b'] }],
  dnsConfig: { nameservers: ['10.0.0.2'], options: [{ name: 'ndots', value: '2' }] },
  terminationGracePeriodSeconds: 10,
  securityContext: { runAsUser: 1000, sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] },
};
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };
const selector = { matchLabels: { app: 'a' } };
const batchTemplate = { metadata: {}, spec: { ...podSpec, restartPolicy: 'Never' } };
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

const BODIES: { readonly [kind: string]: Body } = {
  Pod: { spec: podSpec },
  PodTemplate: { template },
  Deployment: {
    spec: { replicas: 2, selector, template, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } } },
  },
  DaemonSet: { spec: { selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } } } },
  ReplicaSet: { spec: { replicas: 1, selector, template } },
  StatefulSet: { spec: { serviceName: 's', selector, template, volumeClaimTemplates: [] } },
  Job: { spec: { parallelism: 2, completions: 3, backoffLimit: 1, template: batchTemplate } },
  CronJob: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: batchTemplate } } } },
  ControllerRevision: { data: { a: 1 }, revision: 1 },
  ConfigMap: { data: { k: 'v' }, binaryData: { b: 'AA==' } },
  Secret: { data: { k: 'dg==' }, stringData: { s: 't' }, type: 'Opaque' },
  Service: {
    spec: {
      selector: { app: 'a' },
      ports: [
        { name: 'a', port: 80, targetPort: 'http' },
        { name: 'b', port: 81, targetPort: 8080 },
      ],
      sessionAffinity: 'ClientIP',
    },
  },
  ServiceAccount: { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }] },
  Node: {
    spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    status: {
      capacity: { cpu: '4', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    },
  },
  Namespace: { spec: {} },
  PersistentVolume: {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/p' } },
  },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  ResourceQuota: { spec: { hard: { pods: '10', 'requests.cpu': '4' } } },
  LimitRange: { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }] } },
  PriorityClass: { value: 1000, globalDefault: false, description: 'd' },
  PodDisruptionBudget: { spec: { minAvailable: '50%', selector } },
  Lease: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } },
  Event: {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
    firstTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
  },
  Role: { rules: [rule] },
  ClusterRole: { rules: [rule], aggregationRule: { clusterRoleSelectors: [selector] } },
  RoleBinding: {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' }],
  },
  ClusterRoleBinding: {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'u' }],
  },
  Ingress: {
    spec: {
      rules: [
        {
          host: 'a.b',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  NetworkPolicy: {
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 80 }] }] },
  },
  HorizontalPodAutoscaler: {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  },
  EndpointSlice: {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'p', port: 80 }],
  },
  Endpoints: { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  StorageClass: { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'WaitForFirstConsumer' },
  CSINode: { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['k'], allocatable: { count: 5 } }] } },
  CertificateSigningRequest: { spec: { request: 'AA==', signerName: 'a.b/c', usages: ['client auth'] } },
  Binding: { target: { kind: 'Node', name: 'n' } },
  TokenReview: { spec: { token: 't' } },
  SubjectAccessReview: { spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } } },
  SelfSubjectAccessReview: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  Order: { spec: { replicas: 1, template: { spec: { resources: { cpu: '1' } } } } },
  NodePool: {
    spec: {
      template: {
        spec: {
          requirements: [{ key: 'a', operator: 'In', values: ['b'] }],
          nodeClassRef: { group: 'g', kind: 'k', name: 'n' },
        },
      },
    },
  },
  KubernetesDaemonSet: { spec: { container: { app: { image: { repo: 'r', tag: 't' } } } } },
};

const LABELS = { app: 'a', 'example.com/x': 'y' };

/** Stands in every object of this name and in no other, so that an answer that tells of others can be found out. */
export const canaryOf = (name: string): string => `canary-of-${name}.`;

export function manifestOf(kind: KindDefinition, name: string): Body {
  const namespace: Body = kind.namespaced ? { namespace: 'default' } : {};
  const metadata: Body = { name, ...namespace, labels: LABELS, annotations: { note: canaryOf(name) } };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...BODIES[kind.kind] };
}
