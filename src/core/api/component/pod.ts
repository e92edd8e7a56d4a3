/** Everything about the pod that is not a container. */
import { container, appArmorProfile, seccompProfile, seLinuxOptions } from './container.ts';
import {
  anyText,
  boolean,
  integer,
  list,
  long,
  map,
  object,
  oneOf,
  optional,
  required,
  secret,
  text,
} from './language.ts';
import { textOrReference } from './references.ts';

export const toleration = object('Toleration', {
  key: optional(text(), 'Key of the taint', { default: 'every key, with `Exists`' }),
  operator: optional(oneOf('Exists', 'Equal'), 'Whether the value counts', { default: '`Equal`' }),
  value: optional(anyText, 'Value of the taint'),
  effect: optional(oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'), 'Effect', { default: 'every effect' }),
  tolerationSeconds: optional(long(), 'For `NoExecute`: stay so long', { default: 'for ever' }),
});

export const nodeSelector = map(anyText, 'label-key');

const requirement = object('NodeRequirement', {
  key: required(text('label-key'), 'Label of the node'),
  operator: required(oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'), 'Comparison'),
  values: optional(list(anyText), 'One or more for In and NotIn, one number for Gt and Lt, none for the others'),
});

const nodeTerm = object('NodeTerm', {
  matchExpressions: required(list(requirement, { minItems: 1 }), 'All of them must hold'),
});

const weight = required(integer(1, 100), 'How much it counts');

const podTerm = object('PodTerm', {
  matchLabels: required(map(anyText, 'label-key', 1), 'Labels of the other pods'),
  topologyKey: required(text('label-key'), 'Node label that says what counts as the same place'),
  namespaces: optional(list(text('dns-label')), 'Where to look for them', { default: "the daemon's namespace" }),
});

const podAffinity = object('PodAffinity', {
  required: optional(list(podTerm), 'Must hold'),
  preferred: optional(list(object('WeightedPodTerm', { weight, term: required(podTerm, 'The wish') })), 'Should hold'),
});

const scheduling = object('Scheduling', {
  nodeSelector: optional(nodeSelector, 'As `spec.nodeSelector`; give one of the two'),
  tolerations: optional(list(toleration), 'As `spec.tolerations`; give one of the two'),
  nodeAffinity: optional(
    object('NodeAffinity', {
      required: optional(list(nodeTerm), 'One of them must hold'),
      preferred: optional(
        list(object('WeightedNodeTerm', { weight, term: required(nodeTerm, 'The wish') })),
        'Nodes where they hold are better',
      ),
    }),
    'Which nodes, with operators',
  ),
  podAffinity: optional(podAffinity, 'Near other pods'),
  podAntiAffinity: optional(podAffinity, 'Away from other pods'),
  topologySpreadConstraints: optional(
    list(
      object('TopologySpread', {
        maxSkew: required(integer(1), 'How uneven it may be'),
        topologyKey: required(text('label-key'), 'Node label that says what counts as the same place'),
        whenUnsatisfiable: required(oneOf('DoNotSchedule', 'ScheduleAnyway'), 'Must it hold?'),
        matchLabels: optional(map(anyText, 'label-key'), 'Pods that count', { default: "the daemon's own" }),
      }),
    ),
    'Even spread',
  ),
  schedulerName: optional(text(), 'Another scheduler'),
});

const podSecurityContext = object('PodSecurityContext', {
  runAsUser: optional(long(0), 'User of all containers'),
  runAsGroup: optional(long(0), 'Group of all containers'),
  runAsNonRoot: optional(boolean, 'Refuse to start as root'),
  fsGroup: optional(long(0), 'Group that owns volumes'),
  fsGroupChangePolicy: optional(oneOf('Always', 'OnRootMismatch'), 'When volumes change hands'),
  supplementalGroups: optional(list(long(0)), 'More groups'),
  sysctls: optional(
    list(object('Sysctl', { name: required(text(), 'Name'), value: required(text(), 'Value') })),
    'Kernel parameters',
  ),
  seccompProfile: optional(seccompProfile, 'System calls allowed'),
  appArmorProfile: optional(appArmorProfile, 'AppArmor profile'),
  seLinuxOptions: optional(seLinuxOptions, 'SELinux labels', { aliases: ['selinuxOptions', 'selinux_options'] }),
});

const imageRegistry = object('ImageRegistry', {
  server: required(text(), 'Registry as it stands in image names; Docker Hub is `https://index.docker.io/v1/`'),
  username: required(text(), 'User'),
  password: required(
    secret,
    'Password or token: `env:NAME`, `file:path` or the text itself. Not allowed as a text in a custom resource',
  ),
  email: optional(text(), 'Some registries ask for it'),
});

export const pod = object('Pod', {
  serviceAccount: optional(
    textOrReference,
    'Account the pods run as; kind KubernetesServiceAccount, field `status.outputs.service_account_name` unless said otherwise',
    {
      default: '`spec.serviceAccountName`',
    },
  ),
  automountServiceAccountToken: optional(boolean, 'Whether pods get a token for the API server'),
  imagePullSecrets: optional(
    list(textOrReference),
    'Existing Secrets to pull with; kind KubernetesSecret, field `spec.name` unless said otherwise',
  ),
  imageRegistries: optional(
    list(imageRegistry, { key: 'server' }),
    'Registries that need a login; written into `<name>-image-pull-secret`',
  ),
  initContainers: optional(list(container), 'Containers that run before the daemon, in order'),
  labels: optional(map(anyText, 'label-key'), 'More labels for pods'),
  annotations: optional(map(anyText), 'Annotations for pods'),
  scheduling: optional(scheduling, 'Where pods may be'),
  securityContext: optional(podSecurityContext, 'Rights all containers have'),
  terminationGracePeriodSeconds: optional(long(0), 'Time to stop', { default: '30' }),
  dnsPolicy: optional(oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'), 'How names are resolved', {
    default: '`ClusterFirst`, with hostNetwork `ClusterFirstWithHostNet`',
  }),
  dnsConfig: optional(
    object('DnsConfig', {
      nameservers: optional(list(text('ip')), 'Name servers'),
      searches: optional(list(text()), 'Search domains'),
      options: optional(
        list(object('DnsOption', { name: required(text(), 'Name'), value: optional(anyText, 'Value') })),
        'Resolver options',
      ),
    }),
    'Resolver settings',
  ),
  hostAliases: optional(
    list(
      object('HostAlias', {
        ip: required(text('ip'), 'Address'),
        hostnames: required(list(text('dns-subdomain'), { minItems: 1 }), 'Its names'),
      }),
    ),
    'Lines for /etc/hosts',
  ),
  hostNetwork: optional(boolean, "The node's network"),
  hostPid: optional(boolean, "The node's processes", { aliases: ['hostPID'] }),
  hostIpc: optional(boolean, "The node's shared memory", { aliases: ['hostIPC'] }),
  hostUsers: optional(boolean, 'false: users of their own'),
  shareProcessNamespace: optional(boolean, 'Containers see each other'),
  enableServiceLinks: optional(boolean, 'Variables for the Services of the namespace'),
  priorityClassName: optional(text('dns-subdomain'), 'How important the daemon is'),
  runtimeClassName: optional(text('dns-subdomain'), 'Another container runtime'),
});
