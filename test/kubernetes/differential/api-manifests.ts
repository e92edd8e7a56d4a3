/**
 * Manifests of every kind, in a plain and a rich variant: what a case begins with before it is changed. `$name` and `$ns`
 * are the names of the case. What would change other cases' answers (a default class, a webhook that is asked) is not in here.
 */
import type { Json } from '../../../src/core/kube/json.ts';

export type Manifest = { readonly [key: string]: Json };

const container = { name: 'c', image: 'example.com/app:1' };
const richContainer = {
  name: 'main',
  image: 'registry.example.com/app',
  command: ['run', '--fast'],
  args: ['$(PLAIN)'],
  workingDir: '/w',
  env: [
    { name: 'PLAIN', value: 'x' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }],
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'dns', containerPort: 53, protocol: 'UDP' },
  ],
  resources: {
    requests: { cpu: '100m', memory: '64Mi' },
    limits: { cpu: '1', memory: '128Mi', 'example.com/gpu': '1' },
  },
  livenessProbe: { httpGet: { path: '/ok', port: 'http' }, periodSeconds: 5 },
  readinessProbe: { tcpSocket: { port: 8080 } },
  startupProbe: { exec: { command: ['true'] } },
  lifecycle: { preStop: { sleep: { seconds: 1 } } },
  securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
  volumeMounts: [
    { name: 'empty', mountPath: '/v', readOnly: true },
    { name: 'config', mountPath: '/c', subPath: 'x' },
  ],
};
const richPodSpec = {
  containers: [richContainer],
  initContainers: [
    { name: 'sidecar', image: 'i', restartPolicy: 'Always' },
    { name: 'init', image: 'i:latest', resources: { requests: { cpu: '1.5' } } },
  ],
  volumes: [
    { name: 'empty', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'config', configMap: { name: 'cm', items: [{ key: 'k', path: 'p', mode: 420 }] } },
    { name: 'secret', secret: { secretName: 's', optional: true } },
    { name: 'host', hostPath: { path: '/var/log' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
    {
      name: 'all',
      projected: {
        sources: [
          { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
          { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        ],
      },
    },
    {
      name: 'eph',
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    },
  ],
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }, { operator: 'Exists' }],
  nodeSelector: { zone: 'a' },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
          },
        ],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'a' } },
    },
  ],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.b'] }],
  dnsConfig: { nameservers: ['10.0.0.2'], options: [{ name: 'ndots', value: '2' }] },
  imagePullSecrets: [{ name: 'pull' }],
  terminationGracePeriodSeconds: 10,
  securityContext: { runAsUser: 1000, fsGroup: 2000, sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] },
  readinessGates: [{ conditionType: 'example.com/ready' }],
};
const podSpec = { containers: [container] };
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = (spec: Json): Manifest => ({ metadata: { labels }, spec });
const both = (make: (spec: { readonly [key: string]: Json }) => Manifest): readonly Manifest[] => [
  make(podSpec),
  make(richPodSpec),
];
const never = (spec: { readonly [key: string]: Json }): Manifest => ({ ...spec, restartPolicy: 'Never' });
const rule = { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'list'] };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
/** A group nobody serves: such a webhook or policy is never asked. */
const unasked = {
  operations: ['CREATE'],
  apiGroups: ['nobody.example.com'],
  apiVersions: ['v1'],
  resources: ['things'],
  scope: '*',
};
const webhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://hooks.example.com/a' },
  rules: [unasked],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const richWebhook = {
  ...webhook,
  clientConfig: { service: { namespace: 'ns', name: 'svc', path: '/x', port: 8443 } },
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  timeoutSeconds: 5,
  namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
  objectSelector: selector,
  matchConditions: [{ name: 'is-a', expression: 'object.metadata.name == "a"' }],
};
const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
const crd = (spec: { readonly [key: string]: Json }, schema: Json): Manifest => ({
  metadata: { name: 'things.$name.example.com' },
  spec: {
    group: '$name.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...spec }],
  },
});

export interface KindOfCase {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** How often, against the others; 2 unless said. */
  readonly weight?: number;
  readonly bodies: readonly Manifest[];
}

const kind = (groupVersion: string, name: string, bodies: readonly Manifest[], weight = 2): KindOfCase => {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  return { group, version, kind: name, bodies, weight };
};

export const KINDS: readonly KindOfCase[] = [
  kind(
    'v1',
    'Pod',
    both((spec) => ({ spec })),
    12,
  ),
  kind(
    'apps/v1',
    'DaemonSet',
    [
      ...both((spec) => ({ spec: { selector, template: template(spec) } })),
      {
        spec: {
          selector,
          template: template(podSpec),
          minReadySeconds: 5,
          revisionHistoryLimit: 3,
          updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } },
        },
      },
    ],
    8,
  ),
  kind(
    'apps/v1',
    'Deployment',
    [
      ...both((spec) => ({ spec: { selector, template: template(spec) } })),
      {
        spec: {
          replicas: 2,
          selector,
          template: template(podSpec),
          strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
          paused: true,
        },
      },
    ],
    6,
  ),
  kind(
    'apps/v1',
    'ReplicaSet',
    both((spec) => ({ spec: { replicas: 1, selector, template: template(spec) } })),
  ),
  kind(
    'apps/v1',
    'StatefulSet',
    [
      ...both((spec) => ({ spec: { serviceName: 's', selector, template: template(spec) } })),
      {
        spec: {
          serviceName: 's',
          replicas: 3,
          selector,
          template: template(podSpec),
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
          updateStrategy: { rollingUpdate: { partition: 1 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
          ordinals: { start: 1 },
        },
      },
    ],
    5,
  ),
  kind(
    'batch/v1',
    'Job',
    [
      ...both((spec) => ({ spec: { template: { spec: never(spec) } } })),
      {
        spec: {
          parallelism: 2,
          completions: 3,
          backoffLimit: 1,
          completionMode: 'Indexed',
          activeDeadlineSeconds: 60,
          ttlSecondsAfterFinished: 5,
          template: { spec: never(podSpec) },
          podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } }] },
        },
      },
    ],
    5,
  ),
  kind(
    'batch/v1',
    'CronJob',
    [
      ...both((spec) => ({
        spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: never(spec) } } } },
      })),
      {
        spec: {
          schedule: '@hourly',
          timeZone: 'Etc/UTC',
          concurrencyPolicy: 'Forbid',
          suspend: true,
          startingDeadlineSeconds: 100,
          jobTemplate: { metadata: { labels }, spec: { backoffLimit: 0, template: { spec: never(podSpec) } } },
        },
      },
    ],
    4,
  ),
  kind('apps/v1', 'ControllerRevision', [
    { data: { a: 1 }, revision: 1 },
    { data: { spec: { template: { $patch: 'replace', x: [1, null] } } }, revision: 7 },
  ]),
  kind(
    'v1',
    'PodTemplate',
    both((spec) => ({ template: template(spec) })),
  ),
  kind(
    'v1',
    'ReplicationController',
    both((spec) => ({ spec: { replicas: 1, selector: labels, template: template(spec) } })),
  ),
  kind(
    'v1',
    'Service',
    [
      { spec: { selector: labels, ports: [{ port: 80 }] } },
      {
        spec: {
          selector: labels,
          type: 'NodePort',
          ports: [
            { name: 'a', port: 80, targetPort: 'http' },
            { name: 'b', port: 81, targetPort: 8080, protocol: 'UDP' },
          ],
          sessionAffinity: 'ClientIP',
        },
      },
      {
        spec: {
          selector: labels,
          type: 'LoadBalancer',
          externalTrafficPolicy: 'Local',
          ports: [{ port: 443 }],
          loadBalancerSourceRanges: ['10.0.0.0/8'],
        },
      },
      { spec: { type: 'ExternalName', externalName: 'example.com' } },
      { spec: { clusterIP: 'None', selector: labels } },
    ],
    5,
  ),
  kind(
    'v1',
    'ConfigMap',
    [{ data: { k: 'v' } }, { data: { k: 'v', 'b.c': '' }, binaryData: { b: 'AA==' }, immutable: true }],
    4,
  ),
  kind(
    'v1',
    'Secret',
    [
      { data: { k: 'dg==' } },
      { stringData: { s: 't' }, type: 'Opaque' },
      { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YQ==', 'tls.key': 'Yg==' } },
      { type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } },
    ],
    4,
  ),
  kind('v1', 'ServiceAccount', [
    {},
    { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false },
  ]),
  kind(
    'v1',
    'Node',
    [
      {},
      {
        spec: {
          podCIDR: '10.1.0.0/24',
          podCIDRs: ['10.1.0.0/24'],
          taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
          unschedulable: true,
        },
        status: {
          capacity: { cpu: '4', pods: '110' },
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        },
      },
    ],
    5,
  ),
  kind('v1', 'Namespace', [{}, { spec: { finalizers: ['example.com/mine'] } }]),
  kind(
    'v1',
    'PersistentVolume',
    [
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/p' } } },
      {
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteMany'],
          csi: { driver: 'x.csi.io', volumeHandle: 'h' },
          claimRef: { namespace: 'a', name: 'b' },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          mountOptions: ['ro'],
        },
      },
      {
        spec: {
          capacity: { storage: '5Gi' },
          accessModes: ['ReadOnlyMany'],
          nfs: { server: 's', path: '/x' },
          volumeMode: 'Filesystem',
        },
      },
    ],
    3,
  ),
  kind(
    'v1',
    'PersistentVolumeClaim',
    [
      { spec: claim },
      {
        spec: {
          ...claim,
          storageClassName: '',
          volumeMode: 'Block',
          selector,
          dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
        },
      },
    ],
    4,
  ),
  kind('v1', 'ResourceQuota', [
    { spec: { hard: { pods: '10', 'requests.cpu': '4' } } },
    { spec: { hard: { 'count/deployments.apps': '2', pods: '3' }, scopes: ['BestEffort'] } },
    {
      spec: {
        hard: { pods: '1' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
      },
    },
  ]),
  kind('v1', 'LimitRange', [
    { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }] } },
    {
      spec: {
        limits: [
          { type: 'Pod', min: { memory: '1Mi' }, maxLimitRequestRatio: { cpu: '2' } },
          { type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '1Gi' } },
        ],
      },
    },
  ]),
  kind('scheduling.k8s.io/v1', 'PriorityClass', [
    { value: 1000, description: 'd' },
    { value: -5, preemptionPolicy: 'Never' },
  ]),
  kind(
    'policy/v1',
    'PodDisruptionBudget',
    [
      { spec: { minAvailable: '50%', selector } },
      { spec: { maxUnavailable: 1, selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    ],
    3,
  ),
  kind('coordination.k8s.io/v1', 'Lease', [
    {},
    {
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        renewTime: '2021-01-01T00:00:00.000000Z',
        leaseTransitions: 1,
      },
    },
  ]),
  kind('v1', 'Event', [
    {
      involvedObject: { kind: 'Pod', namespace: '$ns', name: 'p' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      firstTimestamp: '2021-01-01T00:00:00Z',
      lastTimestamp: '2021-01-01T00:00:00Z',
      count: 1,
      source: { component: 'c' },
    },
    {
      involvedObject: { kind: 'Pod', namespace: '$ns', name: 'p' },
      reason: 'R',
      type: 'Warning',
      eventTime: '2021-01-01T00:00:00.000000Z',
      action: 'A',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i',
      series: { count: 2, lastObservedTime: '2021-01-01T00:00:00.000000Z' },
    },
  ]),
  kind('events.k8s.io/v1', 'Event', [
    {
      eventTime: '2021-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { kind: 'Pod', namespace: '$ns', name: 'p' },
    },
  ]),
  kind('rbac.authorization.k8s.io/v1', 'Role', [{ rules: [rule] }, {}]),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRole', [
    { rules: [rule, { nonResourceURLs: ['/healthz*'], verbs: ['get'] }] },
    { aggregationRule: { clusterRoleSelectors: [selector] } },
  ]),
  kind('rbac.authorization.k8s.io/v1', 'RoleBinding', [
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'default', name: 's' },
      ],
    },
  ]),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', [
    { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'Group', name: 'nobody' }] },
  ]),
  kind(
    'networking.k8s.io/v1',
    'Ingress',
    [
      {
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
      {
        spec: {
          ingressClassName: 'x',
          defaultBackend: { service: { name: 's', port: { name: 'http' } } },
          tls: [{ hosts: ['a.b'], secretName: 't' }],
        },
      },
    ],
    3,
  ),
  kind('networking.k8s.io/v1', 'IngressClass', [
    { spec: { controller: 'example.com/c', parameters: { apiGroup: 'k8s.example.com', kind: 'P', name: 'p' } } },
  ]),
  kind(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    [
      { spec: { podSelector: {} } },
      {
        spec: {
          podSelector: selector,
          policyTypes: ['Ingress', 'Egress'],
          ingress: [
            {
              from: [
                { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
                { podSelector: selector, namespaceSelector: {} },
              ],
              ports: [{ port: 80 }, { port: 'http', protocol: 'UDP' }, { port: 90, endPort: 99 }],
            },
          ],
          egress: [{}],
        },
      },
    ],
    3,
  ),
  kind(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    [
      { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
      {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          minReplicas: 1,
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
            { type: 'External', external: { metric: { name: 'q', selector }, target: { type: 'Value', value: '10' } } },
          ],
          behavior: {
            scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] },
          },
        },
      },
    ],
    3,
  ),
  kind('autoscaling/v1', 'HorizontalPodAutoscaler', [
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
      },
    },
  ]),
  kind('discovery.k8s.io/v1', 'EndpointSlice', [
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
      ports: [{ name: 'p', port: 80 }],
    },
    { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }], ports: [{ port: 1 }] },
  ]),
  kind('v1', 'Endpoints', [{ subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }]),
  kind('storage.k8s.io/v1', 'StorageClass', [
    { provisioner: 'example.com/p' },
    {
      provisioner: 'p',
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      parameters: { a: 'b' },
      allowVolumeExpansion: true,
      mountOptions: ['ro'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
  ]),
  kind('storage.k8s.io/v1', 'CSIDriver', [
    { spec: {} },
    {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Ephemeral'],
        tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }],
        fsGroupPolicy: 'File',
      },
    },
  ]),
  kind('storage.k8s.io/v1', 'CSINode', [
    { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['k'], allocatable: { count: 5 } }] } },
  ]),
  kind('storage.k8s.io/v1', 'VolumeAttachment', [
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'pv' } } },
  ]),
  kind('storage.k8s.io/v1', 'CSIStorageCapacity', [
    { storageClassName: 'fast', capacity: '1Gi', nodeTopology: selector },
  ]),
  kind('storage.k8s.io/v1', 'VolumeAttributesClass', [{ driverName: 'x.io', parameters: { iops: '1' } }]),
  kind('node.k8s.io/v1', 'RuntimeClass', [
    { handler: 'runc' },
    {
      handler: 'kata',
      overhead: { podFixed: { cpu: '100m' } },
      scheduling: { nodeSelector: labels, tolerations: [{ operator: 'Exists' }] },
    },
  ]),
  kind('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', [
    { webhooks: [webhook] },
    { webhooks: [richWebhook] },
  ]),
  kind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', [
    { webhooks: [webhook] },
    { webhooks: [{ ...richWebhook, reinvocationPolicy: 'IfNeeded' }] },
  ]),
  kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', [
    { spec: { matchConstraints: { resourceRules: [unasked] }, validations: [{ expression: 'object.spec.x < 5' }] } },
    {
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: { resourceRules: [{ ...unasked, resourceNames: ['a'] }], excludeResourceRules: [unasked] },
        variables: [{ name: 'v', expression: 'object.x' }],
        validations: [
          { expression: 'variables.v == 1', messageExpression: '"no " + string(variables.v)', reason: 'Invalid' },
        ],
        matchConditions: [{ name: 'm', expression: 'true' }],
        auditAnnotations: [{ key: 'k', valueExpression: '"v"' }],
      },
    },
  ]),
  kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', [
    { spec: { policyName: 'p-$name', validationActions: ['Deny'], matchResources: { resourceRules: [unasked] } } },
  ]),
  kind('apiregistration.k8s.io/v1', 'APIService', [
    {
      metadata: { name: 'v1.$name.example.com' },
      spec: {
        group: '$name.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'default', name: 's' },
        insecureSkipTLSVerify: true,
      },
    },
  ]),
  kind(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    [
      crd(
        {},
        {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } } },
        },
      ),
      crd(
        {
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          additionalPrinterColumns: columns,
        },
        {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            spec: {
              type: 'object',
              required: ['size'],
              properties: {
                size: { type: 'integer' },
                items: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                },
              },
              'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too big' }],
            },
          },
        },
      ),
    ],
    4,
  ),
];
