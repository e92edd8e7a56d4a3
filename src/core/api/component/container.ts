/** A container: the daemon itself, a sidecar or an init container. */
import { DEFAULTS } from './defaults.ts';
import { environment } from './env.ts';
import {
  boolean,
  integer,
  list,
  long,
  map,
  object,
  oneOf,
  optional,
  port,
  quantity,
  required,
  text,
} from './language.ts';
import { lifecycle, probe } from './probes.ts';
import { volumeMounts } from './volumes.ts';

const image = object(
  'Image',
  {
    repo: required(text('image-repo'), 'Repository, with its registry'),
    tag: optional(text('image-tag'), 'Tag; needed unless there is a digest'),
    digest: optional(text('digest'), 'Exactly this image, whatever the tag says'),
    pullSecretName: optional(text('dns-subdomain'), 'An existing Secret to pull with'),
  },
  { form: 'image' },
);

const containerPort = object('Port', {
  name: required(text('port-name'), 'Name, unique in the pod'),
  containerPort: required(port, 'Port the container listens on'),
  networkProtocol: optional(oneOf('SCTP', 'TCP', 'UDP'), 'Protocol', {
    default: `\`${DEFAULTS.protocol}\``,
    aliases: ['protocol'],
  }),
  hostPort: optional(integer(0, 65535), 'The same port on the node; 0 is none'),
  appProtocol: optional(text(), 'Accepted for older manifests; a DaemonSet has no use for it'),
  servicePort: optional(integer(0, 65535), 'Accepted for older manifests; a DaemonSet has no Service'),
});

const { limits, requests } = DEFAULTS.resources;
const amounts = map(quantity);

const resources = object('Resources', {
  limits: optional(amounts, 'The most it may use: cpu, memory, ephemeral-storage, devices'),
  requests: optional(amounts, 'What is set aside for it on every node'),
});

export const seccompProfile = object('SeccompProfile', {
  type: required(oneOf('RuntimeDefault', 'Unconfined', 'Localhost'), 'Which profile'),
  localhostProfile: optional(text(), 'Its file on the node; with `Localhost` only'),
});

export const seLinuxOptions = object('SELinuxOptions', {
  user: optional(text(), 'User'),
  role: optional(text(), 'Role'),
  type: optional(text(), 'Type'),
  level: optional(text(), 'Level'),
});

export const appArmorProfile = object('AppArmorProfile', {
  type: required(oneOf('RuntimeDefault', 'Unconfined', 'Localhost'), 'Which profile'),
  localhostProfile: optional(text(), 'Its name on the node; with `Localhost` only'),
});

const securityContext = object('SecurityContext', {
  privileged: optional(boolean, 'Everything the node allows'),
  runAsUser: optional(long(0), 'User; 0 is root'),
  runAsGroup: optional(long(0), 'Group'),
  runAsNonRoot: optional(boolean, 'Refuse to start as root'),
  readOnlyRootFilesystem: optional(boolean, 'Nothing can be written but through mounts'),
  allowPrivilegeEscalation: optional(boolean, 'A child may gain more rights than its parent'),
  capabilities: optional(
    object('Capabilities', {
      add: optional(list(text()), 'Capabilities to gain, without the prefix CAP_'),
      drop: optional(list(text()), 'Capabilities to lose; `ALL` is all'),
    }),
    'Linux capabilities',
  ),
  seccompProfile: optional(seccompProfile, 'System calls allowed'),
  appArmorProfile: optional(appArmorProfile, 'AppArmor profile'),
  seLinuxOptions: optional(seLinuxOptions, 'SELinux labels', { aliases: ['selinuxOptions', 'selinux_options'] }),
  procMount: optional(oneOf('Default', 'Unmasked'), 'How /proc is mounted'),
});

export const container = object('Container', {
  name: optional(text('dns-label'), 'Name in the pod; sidecars and init containers need one', {
    default: `\`${DEFAULTS.containerName}\`, in compatible mode \`${DEFAULTS.compatibleContainerName}\``,
  }),
  image: required(image, 'The image: an object, or one text `repo:tag@digest`'),
  imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'When to pull'),
  command: optional(list(text()), "In place of the image's entry point"),
  args: optional(list(text()), "In place of the image's arguments"),
  workingDir: optional(text(), 'Working directory'),
  ports: optional(list(containerPort), 'Ports it listens on'),
  env: optional(environment, 'Environment'),
  resources: optional(resources, 'Requests and limits', {
    default: `limits ${limits.cpu} and ${limits.memory}, requests ${requests.cpu} and ${requests.memory}; \`{}\` is none at all`,
  }),
  livenessProbe: optional(probe, 'Restart it when this fails'),
  readinessProbe: optional(probe, 'It counts as available when this succeeds; rollouts wait for it'),
  startupProbe: optional(probe, 'The other probes wait for this one'),
  volumeMounts: optional(volumeMounts, 'Mounts, and the volumes behind them'),
  lifecycle: optional(lifecycle, 'What happens after start and before stop'),
  securityContext: optional(securityContext, 'Rights'),
  restartPolicy: optional(
    oneOf('Always'),
    'For init containers: `Always` makes one run beside the daemon and start before it',
  ),
  terminationMessagePolicy: optional(oneOf('File', 'FallbackToLogsOnError'), 'What explains its end'),
});
