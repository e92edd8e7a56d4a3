/** Every lint: its name, which also silences it, how grave it is, and why it matters. A name is never changed. */
export type Level = 'error' | 'warning' | 'info';

interface Rule {
  readonly level: Level;
  readonly why: string;
}

export const LINT_RULES = {
  'pod-security': {
    level: 'error',
    why: 'The namespace enforces a Pod Security level that refuses the pods; the DaemonSet is accepted and nothing runs',
  },
  'pod-security-level': {
    level: 'info',
    why: 'The Pod Security level the namespace must allow, where that is not known',
  },
  'host-port-clash': {
    level: 'error',
    why: 'Another daemon takes the same port on the same nodes; one of the two never starts there',
  },
  'selector-overlap': {
    level: 'error',
    why: 'Another DaemonSet of the namespace selects the same pods; the two fight over them',
  },
  'missing-object': {
    level: 'warning',
    why: 'A Secret or ConfigMap that pods name is not in the cluster; the DaemonSet is accepted and its pods wait',
  },
  'missing-limits': { level: 'warning', why: 'Without a memory limit one daemon can take a whole node down' },
  'missing-requests': {
    level: 'warning',
    why: 'Without requests nothing is set aside for the daemon, and it is the first to be evicted',
  },
  'default-resources': { level: 'info', why: 'Nothing is said about resources, so general defaults count' },
  'writable-host-path': { level: 'warning', why: 'Whoever gets into the container can change files of the node' },
  'latest-image': { level: 'warning', why: 'Nodes run different images under one name, and there is no way back' },
  privileged: { level: 'warning', why: 'The container is root on the node' },
  'tolerate-everything': {
    level: 'warning',
    why: 'Pods also go to nodes that are broken or being drained, and hold up rollouts there',
  },
  'dangerous-capability': { level: 'warning', why: 'The capability is nearly as good as root on the node' },
  'capabilities-not-dropped': {
    level: 'info',
    why: 'Capabilities are added to those every container has; drop ALL first to have only what is needed',
  },
  'capabilities-beside-privileged': { level: 'info', why: 'A privileged container has every capability anyway' },
  'literal-secret': { level: 'warning', why: 'A secret in plain text is in the history of the repository for ever' },
  'reads-outside': {
    level: 'error',
    why: 'A file that is not below the folder of the manifest would go into a Secret that the image reads; apply refuses it',
  },
  'reads-variable': {
    level: 'warning',
    why: 'A variable of the machine that applies it goes into a Secret that the image reads; apply asks for its name',
  },
  'reads-file': {
    level: 'info',
    why: 'A file beside the manifest goes into a Secret that the image reads',
  },
  'wildcard-rights': { level: 'warning', why: 'A star gives rights to things that do not exist yet' },
  'missing-readiness': { level: 'info', why: 'Without a readiness probe a rollout goes on when new pods do not work' },
  'bounds-without-effect': {
    level: 'warning',
    why: 'With OnDelete nothing is updated by itself, so bounds mean nothing',
  },
  'retired-taint': {
    level: 'info',
    why: 'The taint node-role.kubernetes.io/master is gone since Kubernetes 1.25; control planes have node-role.kubernetes.io/control-plane',
  },
  'label-without-effect': {
    level: 'warning',
    why: 'Pods are found by this label, so it keeps the value that everynode gives it',
  },
  'fraction-of-a-byte': {
    level: 'warning',
    why: 'Memory in thousandths of a byte (`m`) is a mistake for `Mi`; Kubernetes rounds it up to a byte or two',
  },
  'file-becomes-directory': {
    level: 'warning',
    why: 'A single key mounted without subPath appears as a directory of that name',
  },
  'volume-without-source': { level: 'warning', why: 'A volume nobody says the source of is an empty directory' },
  'rights-ignored': { level: 'warning', why: 'Rights are only given to a service account that is made, too' },
  'secret-namespace-ignored': {
    level: 'warning',
    why: 'A pod reads Secrets of its own namespace, whatever the reference says',
  },
  'silence-without-reason': { level: 'warning', why: 'A lint is silenced by saying why' },
  'unknown-silence': { level: 'warning', why: 'There is no lint of that name' },
} as const satisfies { readonly [name: string]: Rule };

export type LintRule = keyof typeof LINT_RULES;

/** The code of a rule, as errors have one: EN_LINT_ and its name. */
export const lintCode = (rule: LintRule): string => `EN_LINT_${rule.replaceAll('-', '_').toUpperCase()}`;

/** On a component: `lint.everynode.dev/privileged: loads a kernel module`. */
export const SILENCE_PREFIX = 'lint.everynode.dev/';
