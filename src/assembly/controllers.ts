/**
 * Which controllers run. The names and the syntax are kube-controller-manager's `--controllers`: `*` is everything,
 * `name` switches one on, `-name` off, the first that names a controller counts; without `*` only those named run.
 */
/** Every controller that can be switched, with the shorter name older releases knew it by. */
export const CONTROLLERS = {
  'certificatesigningrequest-approving-controller': 'csrapproving',
  'certificatesigningrequest-cleaner-controller': 'csrcleaner',
  'certificatesigningrequest-signing-controller': 'csrsigning',
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'component-controller': 'component',
  'daemonset-controller': 'daemonset',
  'cronjob-controller': 'cronjob',
  'deployment-controller': 'deployment',
  'disruption-controller': 'disruption',
  'endpoints-controller': 'endpoint',
  'endpointslice-controller': 'endpointslice',
  'endpointslice-mirroring-controller': 'endpointslicemirroring',
  'garbage-collector-controller': 'garbagecollector',
  'job-controller': 'job',
  'namespace-controller': 'namespace',
  'node-lifecycle-controller': 'nodelifecycle',
  'persistentvolume-binder-controller': 'persistentvolume-binder',
  'persistentvolume-protection-controller': 'pv-protection',
  'persistentvolumeclaim-protection-controller': 'pvc-protection',
  'pod-garbage-collector-controller': 'podgc',
  'replicaset-controller': 'replicaset',
  'replicationcontroller-controller': 'replicationcontroller',
  'resourcequota-controller': 'resourcequota',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'serviceaccount-controller': 'serviceaccount',
  'serviceaccount-token-controller': 'serviceaccount-token',
  'statefulset-controller': 'statefulset',
  'taint-eviction-controller': 'taint-eviction',
  'ttl-after-finished-controller': 'ttl-after-finished',
  'validatingadmissionpolicy-status-controller': 'validatingadmissionpolicy-status',
  'volumeattributesclass-protection-controller': 'volumeattributesclass-protection-controller',
} as const;

export type ControllerName = keyof typeof CONTROLLERS;

const ALL_CONTROLLERS: readonly string[] = ['*'];

/** Answers for each controller whether it runs. Throws for a name nobody has. */
export function selectControllers(selection: readonly string[] = ALL_CONTROLLERS): (name: ControllerName) => boolean {
  const names = new Map<string, ControllerName>();
  for (const [name, alias] of Object.entries(CONTROLLERS) as [ControllerName, string][]) {
    names.set(name, name);
    names.set(alias, name);
  }
  const chosen = new Map<ControllerName, boolean>();
  let byDefault = false;
  for (const entry of selection) {
    if (entry === '*') {
      byDefault = true;
      continue;
    }
    const isOn = !entry.startsWith('-');
    const name = names.get(isOn ? entry : entry.slice(1));
    if (name === undefined) {
      const text = `"${isOn ? entry : entry.slice(1)}" is not in the list of known controllers`;
      throw Object.assign(new Error(text), { code: 'EN_ASSEMBLY_UNKNOWN_CONTROLLER' });
    }
    if (!chosen.has(name)) chosen.set(name, isOn);
  }
  return (name) => chosen.get(name) ?? byDefault;
}
