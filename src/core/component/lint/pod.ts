/** Lints that look at the pod and what is around it. */
import { volumeOf } from '../render/volumes.ts';
import { containersOf } from '../containers-of.ts';
import type { Lint } from './context.ts';

export const tolerations: Lint = ({ component, report }) => {
  const { spec } = component;
  const list = spec.tolerations ?? spec.pod?.scheduling?.tolerations ?? [];
  const at = spec.tolerations === undefined ? ['spec', 'pod', 'scheduling', 'tolerations'] : ['spec', 'tolerations'];
  for (const [index, { key, operator, tolerationSeconds }] of list.entries()) {
    if (key === undefined && operator === 'Exists' && tolerationSeconds === undefined) {
      report('tolerate-everything', [...at, index], 'every taint is tolerated', 'name the keys');
    }
    if (key === 'node-role.kubernetes.io/master') {
      report(
        'retired-taint',
        [...at, index, 'key'],
        'no node has this taint any more',
        'node-role.kubernetes.io/control-plane',
      );
    }
  }
};

export const strategy: Lint = ({ component, report }) => {
  const { updateStrategy } = component.spec;
  if (updateStrategy?.type !== 'OnDelete') return;
  const bounds = (['rollingUpdate', 'maxUnavailable', 'maxSurge'] as const).filter(
    (name) => updateStrategy[name] !== undefined,
  );
  for (const name of bounds) {
    report('bounds-without-effect', ['spec', 'updateStrategy', name], 'means nothing with OnDelete', 'take it out');
  }
};

export const rights: Lint = ({ component, rendered, report }) => {
  const { rbac, createServiceAccount } = component.spec;
  if (rbac === undefined) return;
  if (rendered.identity.mode === 'compatible' && createServiceAccount !== true) {
    report('rights-ignored', ['spec', 'rbac'], 'no rights are given', 'createServiceAccount: true');
  }
  for (const list of ['clusterRules', 'namespaceRules'] as const) {
    for (const [index, rule] of (rbac[list] ?? []).entries()) {
      for (const name of ['apiGroups', 'resources', 'verbs'] as const) {
        if (!rule[name].includes('*')) continue;
        report('wildcard-rights', ['spec', 'rbac', list, index, name], 'gives rights to everything', 'name them');
      }
    }
  }
};

export const labels: Lint = ({ component, rendered, report }) => {
  for (const [name, value] of Object.entries(component.spec.pod?.labels ?? {})) {
    const own = rendered.identity.labels[name];
    if (own === undefined || own === value) continue;
    report('label-without-effect', ['spec', 'pod', 'labels', name], `stays ${own}`, 'take it out');
  }
};

/** Where all logins of a registry stand. */
export const logins: Lint = ({ component, report }) => {
  for (const [index, { password }] of (component.spec.pod?.imageRegistries ?? []).entries()) {
    if (password.origin.from !== 'literal') continue;
    const path = ['spec', 'pod', 'imageRegistries', index, 'password'];
    report('literal-secret', path, 'the password stands in the manifest', 'use env:, file: or imagePullSecrets');
  }
};

/** Only where they are rendered at all: in safe mode such a mount is an error. */
export const bareVolumes: Lint = ({ component, rendered, report }) => {
  if (rendered.identity.mode !== 'compatible') return;
  const all = containersOf(component).flatMap(({ container, path }) =>
    (container.volumeMounts ?? []).map((mount, index) => ({ mount, path: [...path, 'volumeMounts', index] })),
  );
  const declared = new Set(all.flatMap(({ mount }) => (volumeOf(mount) === undefined ? [] : [mount.name])));
  for (const { mount, path } of all) {
    if (!declared.has(mount.name)) report('volume-without-source', path, `${mount.name} will be an empty directory`);
  }
};

const PREFIX = 'pod-security.kubernetes.io/enforce';
const LEVELS = ['restricted', 'baseline'] as const;

export const podSecurity: Lint = ({ component, rendered, podSecurity: evaluate, namespaceLabels, report }) => {
  if (evaluate === undefined) return;
  const { template } = rendered.daemonSet.spec;
  const spec = template.spec ?? { containers: [] };
  const latest = Number.POSITIVE_INFINITY;
  const against = (level: (typeof LEVELS)[number], version = latest) =>
    evaluate({ level, version }, template.metadata?.annotations, spec);
  const labels = component.spec.createNamespace === true ? (component.spec.namespaceLabels ?? {}) : namespaceLabels;
  const level = labels?.[PREFIX];
  const path = ['spec', 'namespace'];
  if (level === 'baseline' || level === 'restricted') {
    const version = /^v1\.([0-9]{1,4})$/.exec(labels?.[`${PREFIX}-version`] ?? '')?.[1];
    const found = against(level, version === undefined ? latest : Number(version));
    if (found.length === 0) return;
    const reasons = found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
    report('pod-security', path, `the namespace enforces ${level}, which refuses the pods: ${reasons}`);
  } else if (level === undefined) {
    const needed = LEVELS.find((each) => against(each).length === 0) ?? 'privileged';
    if (needed === 'privileged')
      report('pod-security-level', path, 'the namespace must allow privileged pods', `label it ${PREFIX}: privileged`);
  }
};
