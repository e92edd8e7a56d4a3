/** Rules for components beyond those that Kubernetes has for the rendered objects. */
import type { Component } from '../../api/component/types.ts';
import { containersOf, type Declared } from '../containers-of.ts';
import type { Fault } from '../read/scalars.ts';
import type { PathStep } from '../trace.ts';
import type { Finding, Findings } from '../render/findings.ts';
import type { Identity } from '../render/mode.ts';
import { inventoryName } from '../inventory-name.ts';
import { boundsOf, isZeroBound } from '../render/strategy.ts';
import { checkStart } from './start-rules.ts';

type Report = (path: readonly PathStep[], fault: Fault) => void;

export function checkRules(component: Component, identity: Identity): readonly Finding[] {
  const findings: Findings = [];
  const report: Report = (path, fault) => void findings.push({ path, fault });
  checkSamePlaces(component, report);
  checkBounds(component, report);
  checkStart(component, identity, report);
  checkReservedNames(component, report);
  const names = new Set<string>();
  for (const declared of containersOf(component)) {
    checkName(declared, identity, names, report);
    checkImage(declared, report);
    checkEnvNames(declared, report);
    if (identity.mode === 'safe') checkSecretNamespaces(declared, identity, report);
  }
  return findings;
}

/** Fields that newer manifests keep elsewhere. */
const SAME: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['spec', 'nodeSelector'],
    ['spec', 'pod', 'scheduling', 'nodeSelector'],
  ],
  [
    ['spec', 'tolerations'],
    ['spec', 'pod', 'scheduling', 'tolerations'],
  ],
  [
    ['spec', 'serviceAccountName'],
    ['spec', 'pod', 'serviceAccount'],
  ],
  [
    ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'],
    ['spec', 'updateStrategy', 'maxUnavailable'],
  ],
  [
    ['spec', 'updateStrategy', 'rollingUpdate', 'maxSurge'],
    ['spec', 'updateStrategy', 'maxSurge'],
  ],
];

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (member, step) => (member as { readonly [key: string]: unknown } | undefined)?.[step],
    value,
  );
}

function checkSamePlaces(component: Component, report: Report): void {
  for (const [one, other] of SAME) {
    if (at(component, one) === undefined || at(component, other) === undefined) continue;
    report(other, {
      code: 'EN_COMPONENT_FIELD_TWICE',
      message: `is the same as ${one.join('.')}; give one of the two`,
    });
  }
}

function checkBounds(component: Component, report: Report): void {
  const { spec } = component;
  const { updateStrategy } = spec;
  if (updateStrategy === undefined || updateStrategy.type === 'OnDelete') return;
  const { maxUnavailable, maxSurge } = boundsOf(spec);
  const path = (name: 'maxUnavailable' | 'maxSurge'): readonly PathStep[] => [
    'spec',
    'updateStrategy',
    ...(updateStrategy.rollingUpdate?.[name] === undefined ? [] : ['rollingUpdate']),
    name,
  ];
  const surges = maxSurge !== undefined && !isZeroBound(maxSurge);
  const takesDown = maxUnavailable === undefined ? !surges : !isZeroBound(maxUnavailable);
  if (!surges && !takesDown) {
    report(path('maxUnavailable'), {
      code: 'EN_COMPONENT_BOUNDS',
      message: 'maxUnavailable and maxSurge are both 0: nothing could ever be updated',
      suggestion: 'let one of the two be at least 1',
    });
  }
  if (surges && takesDown) {
    report(path('maxSurge'), {
      code: 'EN_COMPONENT_BOUNDS',
      message: 'maxUnavailable and maxSurge are both above 0, which Kubernetes does not allow for DaemonSets',
      suggestion: 'set maxUnavailable to 0',
    });
  }
  if (!surges) return;
  const clash = hostPortOf(component);
  if (clash === undefined) return;
  report(path('maxSurge'), {
    code: 'EN_COMPONENT_SURGE_HOST_PORT',
    message: `a surge runs two pods on a node, but the host port ${clash} can be taken only once`,
    suggestion: 'use maxUnavailable, or give up the host port',
  });
}

/** A port on the node that a second pod could not have. In the node's network every port is one. */
function hostPortOf(component: Component): number | undefined {
  const isHostNetwork = component.spec.pod?.hostNetwork === true;
  for (const { container } of containersOf(component)) {
    for (const { hostPort = 0, containerPort } of container.ports ?? []) {
      if (hostPort !== 0) return hostPort;
      if (isHostNetwork) return containerPort;
    }
  }
  return undefined;
}

function checkName({ role, container, path }: Declared, identity: Identity, names: Set<string>, report: Report): void {
  if (role !== 'app' && container.name === undefined) {
    const message = `a ${role === 'init' ? 'init container' : 'sidecar'} needs a name`;
    report([...path, 'name'], { code: 'EN_COMPONENT_REQUIRED', message, expected: 'a DNS label' });
    return;
  }
  const name = role === 'app' ? identity.containerName : (container.name ?? '');
  if (names.has(name)) {
    const message = `another container is called ${JSON.stringify(name)}`;
    report([...path, 'name'], { code: 'EN_COMPONENT_DUPLICATE', message });
  }
  names.add(name);
}

function checkImage({ container, path }: Declared, report: Report): void {
  const { tag, digest } = container.image;
  if (tag !== undefined || digest !== undefined) return;
  report([...path, 'image', 'tag'], {
    code: 'EN_COMPONENT_REQUIRED',
    message: 'is missing; an image needs a tag or a digest',
    expected: 'a tag, or a digest',
  });
}

/** Kubernetes would take the last variable; which one was meant is unknown. */
function checkEnvNames({ container, path }: Declared, report: Report): void {
  const variables = new Set((container.env?.variables ?? []).map(({ name }) => name));
  for (const [index, { name }] of (container.env?.secrets ?? []).entries()) {
    if (!variables.has(name)) continue;
    const message = `${JSON.stringify(name)} is a plain variable, too`;
    report([...path, 'env', 'secrets', index, 'name'], { code: 'EN_COMPONENT_DUPLICATE', message });
  }
}

function checkSecretNamespaces({ container, path }: Declared, { namespace }: Identity, report: Report): void {
  for (const [index, { secretRef }] of (container.env?.secrets ?? []).entries()) {
    if (secretRef?.namespace === undefined || secretRef.namespace === namespace) continue;
    report([...path, 'env', 'secrets', index, 'secretRef', 'namespace'], {
      code: 'EN_COMPONENT_SECRET_NAMESPACE',
      message: `a pod in ${namespace} cannot read a Secret in ${secretRef.namespace}`,
      suggestion: `copy the Secret into ${namespace}`,
    });
  }
}

/** The inventory is a ConfigMap of the same namespace: a ConfigMap of its name would overwrite it, or be overwritten. */
function checkReservedNames({ spec }: Component, report: Report): void {
  for (const name of Object.keys(spec.configMaps ?? {})) {
    if (!name.startsWith(inventoryName(''))) continue;
    report(['spec', 'configMaps', name], {
      code: 'EN_COMPONENT_VALUE',
      message: `names that begin with ${inventoryName('')} are where everynode keeps what it applied`,
      suggestion: 'choose another name',
    });
  }
}
