/** The whole manifest. */
import { container } from './container.ts';
import {
  anyText,
  anything,
  boolean,
  bound,
  integer,
  list,
  map,
  type MapSchema,
  object,
  oneOf,
  optional,
  required,
  text,
} from './language.ts';
import { nodeSelector, pod, toleration } from './pod.ts';
import { relationship, textOrReference } from './references.ts';

/** Written by API servers; without meaning in manifests. */
const SERVER_METADATA = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'ownerReferences',
  'finalizers',
  'selfLink',
  'generateName',
]);

const metadata = object(
  'Metadata',
  {
    name: required(text('component-name'), 'Name of the component and of its DaemonSet'),
    namespace: optional(text('dns-label'), 'Where the custom resource lives; the daemon lives in `spec.namespace`'),
    slug: optional(text(), 'A name for addresses'),
    id: optional(text('label-value'), 'Identity in an inventory; becomes a label'),
    org: optional(text('label-value'), 'Organization; becomes a label'),
    env: optional(text('label-value'), 'Environment; becomes a label'),
    labels: optional(map(anyText, 'label-key'), 'Labels of the component'),
    annotations: optional(
      map(anyText),
      'Annotations of the component; `lint.everynode.dev/<rule>: reason` silences a lint',
    ),
    tags: optional(list(text()), 'Words to find it by'),
    relationships: optional(list(relationship), 'Other components this one needs; they come first'),
    group: optional(text(), 'A group of components'),
  },
  { ignored: SERVER_METADATA },
);

/** One text is the file that has the name of the ConfigMap. */
const fileTexts: MapSchema<string> = { ...map(anyText, 'config-key'), form: 'files' };

const policyRule = object('PolicyRule', {
  apiGroups: required(list(anyText, { minItems: 1 }), 'API groups; `""` is the core group'),
  resources: required(list(text(), { minItems: 1 }), 'Resources'),
  verbs: required(list(text(), { minItems: 1 }), 'Verbs'),
  resourceNames: optional(list(text()), 'Only objects of these names'),
});

const bounds = {
  maxUnavailable: optional(bound, 'So many pods may be down at a time: a number or a percentage', {
    default: '1, or 0 with maxSurge',
  }),
  maxSurge: optional(bound, 'So many nodes may run old and new together; not with host ports', { default: '0' }),
};

/** The CEL condition that a bound is zero; a bound is a number or a text. */
const isZero = (name: string): string => ['0', "'0'", "'0%'"].map((zero) => `self.${name} == ${zero}`).join(' || ');

const updateStrategy = object('UpdateStrategy', {
  type: optional(oneOf('RollingUpdate', 'OnDelete'), 'Whether pods are replaced by themselves', {
    default: '`RollingUpdate`',
  }),
  rollingUpdate: optional(
    object('RollingUpdate', bounds, {
      rules: [
        {
          rule: `!has(self.maxUnavailable) || !has(self.maxSurge) || !(${isZero('maxUnavailable')}) || !(${isZero('maxSurge')})`,
          message: 'maxUnavailable and maxSurge must not both be 0',
        },
      ],
    }),
    'How fast',
  ),
  maxUnavailable: optional(bound, 'As `rollingUpdate.maxUnavailable`; give one of the two'),
  maxSurge: optional(bound, 'As `rollingUpdate.maxSurge`; give one of the two'),
});

const spec = object('Spec', {
  targetCluster: optional(
    object('TargetCluster', {
      clusterKind: optional(text(), 'Kind of cluster'),
      clusterName: optional(text(), 'Its name'),
    }),
    'Accepted for older manifests; the kubeconfig says which cluster',
  ),
  namespace: required(
    textOrReference,
    'Namespace of the daemon: a text, or kind KubernetesNamespace, field `spec.name` unless said otherwise',
  ),
  createNamespace: optional(boolean, 'Make the namespace, too', { default: 'false' }),
  namespaceLabels: optional(map(anyText, 'label-key'), 'Labels of the namespace made, such as the Pod Security level'),
  container: required(
    object('Containers', {
      app: required(container, 'The daemon'),
      sidecars: optional(list(container), 'Containers beside it'),
    }),
    'The containers',
  ),
  pod: optional(pod, 'The pod around them'),
  nodeSelector: optional(nodeSelector, 'Only nodes with these labels'),
  tolerations: optional(list(toleration), 'Taints that do not keep it away'),
  updateStrategy: optional(updateStrategy, 'How pods are replaced'),
  minReadySeconds: optional(integer(0), 'A pod counts as available when it was ready so long'),
  revisionHistoryLimit: optional(integer(0), 'Old revisions to keep', { default: '10' }),
  createServiceAccount: optional(boolean, 'Make a service account', { default: 'false' }),
  serviceAccountName: optional(text('dns-subdomain'), 'Account the pods run as', {
    default: '`metadata.name` if one is made',
  }),
  configMaps: optional(
    map(fileTexts, 'dns-subdomain'),
    'ConfigMaps to make: a text (its file has the name of the ConfigMap), or several texts by file name',
  ),
  rbac: optional(
    object('Rbac', {
      clusterRules: optional(list(policyRule), 'Rights in the whole cluster'),
      namespaceRules: optional(list(policyRule), 'Rights in the namespace'),
    }),
    'Rights of the service account',
  ),
});

export const manifest = object('KubernetesDaemonSet', {
  apiVersion: required(text(), 'Group and version'),
  kind: required(oneOf('KubernetesDaemonSet'), 'Always `KubernetesDaemonSet`'),
  metadata: required(metadata, 'Who it is'),
  spec: required(spec, 'What shall be'),
  status: optional(anything, 'What is; written by the controller'),
});
