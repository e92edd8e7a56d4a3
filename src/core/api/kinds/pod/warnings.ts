/** Things that are allowed and probably not meant. Shown to the client, never refused. */
import { goQuote } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { labelValueProblems } from '../../../kube/names.ts';
import type {
  ContainerPort,
  EnvVar,
  NodeSelectorTerm,
  PersistentVolumeClaimSpec,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '../../types/core-v1.ts';
import { warningsForIP } from '../../../kube/ip.ts';
import { amountText, isWhole } from '../../rules/amounts.ts';
import type { AnyContainer } from './containers.ts';
import { visitContainers } from './containers.ts';
import type { ResourceList, StringMap } from '../../rules/findings.ts';
import { has, isSet, listOf, lookup } from '../../rules/findings.ts';
import { overlappingPathWarnings } from './path-warnings.ts';
import { APP_ARMOR, appArmorFromAnnotation, SECCOMP_CONTAINER, SECCOMP_POD } from './validate-annotations.ts';

type Warnings = string[];

export const DEPRECATED_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

const DEPRECATED_ANNOTATIONS = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;

const DEAD_VOLUMES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['photonPersistentDisk', ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+']],
  ['gitRepo', ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+']],
  ['scaleIO', ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+']],
  ['flocker', ['flocker', 'deprecated in v1.22, non-functional in v1.25+']],
  ['storageos', ['storageOS', 'deprecated in v1.22, non-functional in v1.25+']],
  ['quobyte', ['quobyte', 'deprecated in v1.22, non-functional in v1.25+']],
  ['glusterfs', ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+']],
  ['cephfs', ['cephfs', 'deprecated in v1.28, non-functional in v1.31+']],
  ['rbd', ['rbd', 'deprecated in v1.28, non-functional in v1.31+']],
]);

const NO_POD = 'a null labelSelector results in matching no pod';

/** `path` is the path of the template; empty for a pod itself. */
export function podWarnings(spec: PodSpec, meta: ObjectMeta | undefined, path: string): readonly string[] {
  const warnings: Warnings = [];
  const at = (rest: string): string => (path === '' ? rest : `${path}.${rest}`);
  addPlacementWarnings(warnings, spec, at('spec'));
  for (const [key, text] of DEPRECATED_ANNOTATIONS) {
    if (has(meta?.annotations, key)) warnings.push(`${at('metadata.annotations')}[${key}]: ${text}`);
  }
  addVolumeWarnings(warnings, listOf(spec.volumes), at('spec.volumes'));
  addRepeated(warnings, listOf(spec.hostAliases), 'ip', at('spec.hostAliases'));
  addRepeated(warnings, listOf(spec.imagePullSecrets), 'name', at('spec.imagePullSecrets'));
  for (const [index, { name }] of listOf(spec.imagePullSecrets).entries()) {
    if (!name) warnings.push(`${at('spec.imagePullSecrets')}[${index}].name: invalid empty name ""`);
  }
  addFractions(warnings, spec.overhead, at('spec.overhead'));
  addProfileWarnings(warnings, spec, meta?.annotations, at('metadata.annotations'), path !== '');
  visitContainers(spec, at('spec'), (container, where) => addContainerWarnings(warnings, container, where));
  addPortWarnings(warnings, spec, at('spec'));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const text = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${at('spec.terminationGracePeriodSeconds')}: ${text}`);
  }
  addAffinityWarnings(warnings, spec, at('spec.affinity'));
  for (const [index, server] of listOf(spec.dnsConfig?.nameservers).entries()) {
    warnings.push(...warningsForIP(`${at('spec.dnsConfig.nameservers')}[${index}]`, server));
  }
  for (const [index, { ip }] of listOf(spec.hostAliases).entries()) {
    warnings.push(...warningsForIP(`${at('spec.hostAliases')}[${index}].ip`, ip));
  }
  return warnings;
}

export const templateWarnings = (template: PodTemplateSpec | undefined, path: string): readonly string[] =>
  template?.spec === undefined ? [] : podWarnings(template.spec, template.metadata, path);

function addPlacementWarnings(warnings: Warnings, spec: PodSpec, path: string): void {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const text = DEPRECATED_LABELS.get(key);
    if (text !== undefined) warnings.push(`${path}.nodeSelector[${key}]: ${text}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
  for (const [index, term] of listOf(affinity?.[hard]?.nodeSelectorTerms).entries()) {
    addTermWarnings(warnings, term, false, `${path}.affinity.nodeAffinity.${hard}.nodeSelectorTerms[${index}]`);
  }
  const soft = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const [index, { preference }] of listOf(affinity?.[soft]).entries()) {
    addTermWarnings(warnings, preference ?? {}, true, `${path}.affinity.nodeAffinity.${soft}[${index}].preference`);
  }
  for (const [index, { topologyKey, labelSelector }] of listOf(spec.topologySpreadConstraints).entries()) {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const text = DEPRECATED_LABELS.get(topologyKey);
    if (text !== undefined) warnings.push(`${at}.topologyKey: ${topologyKey} is ${text}`);
    if (labelSelector === undefined) warnings.push(`${at}.labelSelector: ${NO_POD}`);
  }
}

/** `checkValues` also names values that no label can have. */
export function addTermWarnings(warnings: string[], term: NodeSelectorTerm, checkValues: boolean, path: string): void {
  for (const [index, { key, values }] of listOf(term.matchExpressions).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const text = DEPRECATED_LABELS.get(key);
    if (text !== undefined) warnings.push(`${at}.key: ${key} is ${text}`);
    if (!checkValues) continue;
    for (const [position, value] of listOf(values).entries()) {
      for (const problem of labelValueProblems(value)) {
        warnings.push(`${at}.values[${position}]: ${value} is invalid, ${problem}`);
      }
    }
  }
}

function addVolumeWarnings(warnings: Warnings, volumes: readonly Volume[], path: string): void {
  for (const [index, volume] of volumes.entries()) {
    for (const key in volume) {
      const dead = DEAD_VOLUMES.get(key);
      if (dead !== undefined) warnings.push(`${path}[${index}].${dead[0]}: ${dead[1]}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim !== undefined) {
      warnings.push(...claimWarnings(claim, `${path}[${index}].ephemeral.volumeClaimTemplate.spec`));
    }
  }
  warnings.push(...overlappingPathWarnings(volumes));
}

export function claimWarnings({ resources }: PersistentVolumeClaimSpec, path: string): readonly string[] {
  const warnings: Warnings = [];
  for (const list of ['requests', 'limits'] as const) {
    addFraction(warnings, resources?.[list], 'storage', `${path}.resources.${list}`);
  }
  return warnings;
}

type Named<K extends string> = { readonly [key in K]?: string };

function addRepeated<K extends string>(warnings: Warnings, entries: readonly Named<K>[], key: K, path: string): void {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const value = entry[key] ?? '';
    if (seen.has(value)) warnings.push(`${path}[${index}].${key}: duplicate ${key} ${goQuote(value)}`);
    seen.add(value);
  }
}

function addFraction(
  warnings: Warnings,
  list: ResourceList | undefined,
  name: string,
  path: string | (() => string),
): void {
  const amount = lookup(list, name);
  if (amount === undefined || isWhole(amount)) return;
  const text = `fractional byte value ${goQuote(amountText(amount))} is invalid, must be an integer`;
  warnings.push(`${typeof path === 'string' ? path : path()}[${name}]: ${text}`);
}

function addFractions(warnings: Warnings, list: ResourceList | undefined, path: string): void {
  addFraction(warnings, list, 'memory', path);
  addFraction(warnings, list, 'ephemeral-storage', path);
}

function namesProfiles(annotations: StringMap): boolean {
  for (const key in annotations) {
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER) || key.startsWith(APP_ARMOR)) return true;
  }
  return false;
}

/** Security profiles that are only written as the annotations they used to be. */
function addProfileWarnings(
  warnings: Warnings,
  spec: PodSpec,
  annotations: StringMap | undefined,
  path: string,
  isTemplate: boolean,
): void {
  if (annotations === undefined || !namesProfiles(annotations)) return;
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (spec.securityContext?.seccompProfile === undefined && has(annotations, SECCOMP_POD)) {
    warnings.push(`${path}[${SECCOMP_POD}]: ${seccomp}`);
  }
  const podProfile = spec.securityContext?.appArmorProfile;
  visitContainers(spec, '', ({ name, securityContext }) => {
    const seccompKey = `${SECCOMP_CONTAINER}${name}`;
    if (securityContext?.seccompProfile === undefined && has(annotations, seccompKey)) {
      warnings.push(`${path}[${seccompKey}]: ${seccomp}`);
    }
    const key = `${APP_ARMOR}${name}`;
    const annotation = lookup(annotations, key);
    if (annotation === undefined || securityContext?.appArmorProfile !== undefined || !isTemplate) return;
    if (podProfile !== undefined && deepEqual(podProfile, appArmorFromAnnotation(annotation))) return;
    warnings.push(`${path}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  });
}

function addContainerWarnings(warnings: Warnings, { resources, env }: AnyContainer, at: () => string): void {
  if (resources !== undefined) {
    for (const name of ['memory', 'ephemeral-storage']) {
      addFraction(warnings, resources.limits, name, () => `${at()}.resources.limits`);
      addFraction(warnings, resources.requests, name, () => `${at()}.resources.requests`);
    }
  }
  if (isSet(env)) addHiddenVariables(warnings, listOf(env), at);
}

function addHiddenVariables(warnings: Warnings, env: readonly EnvVar[], at: () => string): void {
  const seen = new Set<string>();
  for (const [index, { name, value = '', valueFrom }] of env.entries()) {
    const reference = `$(${name})`;
    const extends_ = valueFrom === undefined && value !== reference && value.includes(reference);
    if (seen.has(name) && !extends_) {
      const text = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
      warnings.push(`${at()}.env[${index}]: ${text}`);
    }
    seen.add(name);
  }
}

interface PortUse {
  readonly port: ContainerPort;
  /** The path is built only for a warning: nearly every port is fine. */
  readonly path: () => string;
}

function addPortWarnings(warnings: Warnings, spec: PodSpec, path: string): void {
  const uses = new Map<number, PortUse[]>();
  const names = new Map<string, PortUse>();
  const nameWarnings: Warnings = [];
  visitContainers(spec, path, ({ ports }, at) => {
    if (ports === undefined) return;
    for (let index = 0; index < ports.length; index++) {
      const port = ports[index] as ContainerPort;
      const use: PortUse = { port, path: () => `${at()}.ports[${index}]` };
      if (port.hostIP && !port.hostPort) {
        warnings.push(`${use.path()}: hostIP set without hostPort: ${printPort(port)}`);
      }
      const others = uses.get(port.containerPort);
      if (others === undefined) uses.set(port.containerPort, [use]);
      else {
        for (const other of others) {
          const kind = other.port.protocol === port.protocol ? overlap(port, other.port) : undefined;
          if (kind !== undefined) warnings.push(`${use.path()}: ${kind} port definition with ${other.path()}`);
        }
        others.push(use);
      }
      if (!port.name) continue;
      const first = names.get(port.name);
      if (first === undefined) names.set(port.name, use);
      else {
        const text = `duplicate port name ${goQuote(port.name)} with ${first.path()}`;
        nameWarnings.push(
          `${use.path()}: ${text}, services and probes that select ports by name will use ${first.path()}`,
        );
      }
    }
  });
  warnings.push(...nameWarnings);
}

/** A structure as Go prints it with names. */
const printPort = ({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

function overlap(a: ContainerPort, b: ContainerPort): string | undefined {
  const [hostA, hostB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  const [ipA, ipB] = [a.hostIP ?? '', b.hostIP ?? ''];
  if (ipA === ipB && hostA === hostB) return 'duplicate';
  if (hostA === 0 || hostB === 0) return 'overlapping';
  return hostA === hostB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined;
}

function addAffinityWarnings(warnings: Warnings, { affinity }: PodSpec, path: string): void {
  for (const key of ['podAffinity', 'podAntiAffinity'] as const) {
    const rules = affinity?.[key];
    const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
    for (const [index, { labelSelector }] of listOf(rules?.[hard]).entries()) {
      if (labelSelector === undefined) warnings.push(`${path}.${key}.${hard}[${index}].labelSelector: ${NO_POD}`);
    }
    const soft = 'preferredDuringSchedulingIgnoredDuringExecution';
    for (const [index, { podAffinityTerm }] of listOf(rules?.[soft]).entries()) {
      if (podAffinityTerm?.labelSelector !== undefined) continue;
      warnings.push(`${path}.${key}.${soft}[${index}].podAffinityTerm.labelSelector: ${NO_POD}`);
    }
  }
}
