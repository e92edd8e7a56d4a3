/**
 * The spec of a pod or of a template. Specs that share their parts with one that was found fine are compared with it
 * part by part, by identity; only what is a pod's own (its node, its affinity, its names) is judged anew.
 */
import {
  duplicate,
  field,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../../../kube/field-errors.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { dns1123LabelProblems, nameIsDnsSubdomain, qualifiedNameProblems } from '../../../kube/names.ts';
import type { Container, PodResourceClaim, PodSpec, Volume } from '../../types/core-v1.ts';
import { validateLabels } from '../../rules/metadata.ts';
import { visitContainers } from './containers.ts';
import { knownFine, rememberFine } from './fine-specs.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, isSet, listOf, MAX_INT32, rangeText } from '../../rules/findings.ts';
import { internalValue } from './internal-form.ts';
import type { PodOptions } from './options.ts';
import { CREATE_POD, CREATE_TEMPLATE } from './options.ts';
import { validateAffinity } from './validate-affinity.ts';
import { MIRROR_POD } from './validate-annotations.ts';
import type { ContainerContext } from './validate-containers.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './validate-containers.ts';
import {
  validateDnsConfig,
  validateDnsPolicy,
  validateHostAliases,
  validateHostnameOverride,
} from './validate-network.ts';
import { validateOverhead, validatePodLevelResources } from './validate-resources.ts';
import { validateSchedulingGates, validateTolerations, validateTopologySpread } from './validate-scheduling.ts';
import { validatePodSecurityContext } from './validate-security.ts';
import { validateVolumes } from './validate-volumes.ts';
import { validateHostProcess, validateLinuxPod, validateWindowsPod } from './validate-windows.ts';

export function validatePodSpec(
  found: Findings,
  spec: PodSpec,
  podMeta: ObjectMeta | undefined,
  options: PodOptions,
  path: string,
): void {
  const model = options === CREATE_POD || options === CREATE_TEMPLATE ? knownFine(spec, options.isPod) : undefined;
  if (model !== undefined) {
    if (spec.affinity !== undefined && spec.affinity !== model.affinity) {
      validateAffinity(found, spec.affinity, options, `${path}.affinity`);
    }
    validateOwnNames(found, spec, path);
    return;
  }
  const before = found.length;
  validateEverything(found, spec, podMeta, options, path);
  if (found.length > before) return;
  if (options === CREATE_POD || options === CREATE_TEMPLATE) rememberFine(spec, options.isPod);
}

function validateOwnNames(found: Findings, { nodeName, hostname, subdomain }: PodSpec, path: string): void {
  if (nodeName) addTexts(found, `${path}.nodeName`, nodeName, nameIsDnsSubdomain(nodeName, false));
  if (hostname) addTexts(found, `${path}.hostname`, hostname, dns1123LabelProblems(hostname));
  if (subdomain) addTexts(found, `${path}.subdomain`, subdomain, dns1123LabelProblems(subdomain));
}

function validateEverything(
  found: Findings,
  spec: PodSpec,
  podMeta: ObjectMeta | undefined,
  options: PodOptions,
  path: string,
): void {
  if (spec.terminationGracePeriodSeconds === undefined) {
    found.push(required(`${path}.terminationGracePeriodSeconds`, ''));
  }
  const volumes = validateVolumes(found, spec.volumes, { options, podMeta }, `${path}.volumes`);
  const claims = claimNames(spec.resourceClaims);
  if (spec.resourceClaims !== undefined) {
    validateResourceClaims(found, spec.resourceClaims, podMeta, `${path}.resourceClaims`);
  }
  const context: ContainerContext = {
    options,
    allowIndivisibleHugePages: options.allowIndivisibleHugePages,
    volumes,
    claims,
    grace: spec.terminationGracePeriodSeconds,
    os: spec.os?.name,
    podRestartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers ?? true,
  };
  validateContainers(found, spec.containers, context, `${path}.containers`);
  validateInitContainers(found, spec.initContainers, listOf(spec.containers), context, `${path}.initContainers`);
  if (isSet(spec.ephemeralContainers)) {
    validateEphemeralContainers(found, spec, context, `${path}.ephemeralContainers`);
  }
  validatePodLevelResources(found, spec, context, path);
  if (spec.hostNetwork) validateHostNetworkPorts(found, listOf(spec.containers), options.isPod, `${path}.containers`);
  validatePlacement(found, spec, options, path);
  validateIdentity(found, spec, path);
  if (spec.overhead !== undefined) validateOverhead(found, spec.overhead, context, `${path}.overhead`);
  if (spec.os !== undefined) validateOs(found, spec, path);
  if (spec.schedulingGroup !== undefined) validateSchedulingGroup(found, spec, `${path}.schedulingGroup`);
  validateFileKeyVolumes(found, spec, path);
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

function validatePlacement(found: Findings, spec: PodSpec, options: PodOptions, path: string): void {
  const { restartPolicy, topologySpreadConstraints, schedulingGates } = spec;
  if (!restartPolicy) found.push(required(`${path}.restartPolicy`, ''));
  else if (!RESTART_POLICIES.includes(restartPolicy)) {
    found.push(notSupported(`${path}.restartPolicy`, restartPolicy, RESTART_POLICIES));
  }
  validateDnsPolicy(found, spec.dnsPolicy, `${path}.dnsPolicy`);
  addAll(found, validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  validatePodSecurityContext(found, spec, options, `${path}.securityContext`);
  if (spec.affinity !== undefined) validateAffinity(found, spec.affinity, options, `${path}.affinity`);
  validateDnsConfig(found, spec.dnsConfig, spec.dnsPolicy, `${path}.dnsConfig`);
  for (const [index, { conditionType = '' }] of listOf(spec.readinessGates).entries()) {
    const at = `${path}.readinessGates[${index}].conditionType`;
    addTexts(found, at, conditionType, qualifiedNameProblems(conditionType));
  }
  if (schedulingGates !== undefined) validateSchedulingGates(found, schedulingGates, `${path}.schedulingGates`);
  if (topologySpreadConstraints !== undefined) {
    validateTopologySpread(found, topologySpreadConstraints, options, `${path}.topologySpreadConstraints`);
  }
  validateHostProcess(found, spec, path);
  if (spec.hostUsers === false) validateUserNamespace(found, spec, options, path);
  if (spec.tolerations !== undefined) validateTolerations(found, spec.tolerations, options, `${path}.tolerations`);
}

const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

function validateIdentity(found: Findings, spec: PodSpec, path: string): void {
  const { serviceAccountName, activeDeadlineSeconds: deadline, priorityClassName, runtimeClassName } = spec;
  validateHostnameOverride(found, spec, path);
  if (serviceAccountName) {
    addTexts(found, `${path}.serviceAccountName`, serviceAccountName, nameIsDnsSubdomain(serviceAccountName, false));
  }
  validateOwnNames(found, spec, path);
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    found.push(invalid(`${path}.activeDeadlineSeconds`, deadline, rangeText(1, MAX_INT32)));
  }
  if (spec.hostAliases !== undefined) validateHostAliases(found, spec.hostAliases, `${path}.hostAliases`);
  if (priorityClassName) {
    addTexts(found, `${path}.priorityClassName`, priorityClassName, nameIsDnsSubdomain(priorityClassName, false));
  }
  if (runtimeClassName !== undefined) {
    addTexts(found, `${path}.runtimeClassName`, runtimeClassName, nameIsDnsSubdomain(runtimeClassName, false));
  }
  const preemption = spec.preemptionPolicy;
  if (preemption === '') found.push(required(`${path}.preemptionPolicy`, ''));
  else if (preemption !== undefined && !PREEMPTION_POLICIES.includes(preemption)) {
    found.push(notSupported(`${path}.preemptionPolicy`, preemption, PREEMPTION_POLICIES));
  }
}

function claimNames(claims: readonly PodResourceClaim[] | undefined): ReadonlySet<string> | undefined {
  return claims === undefined ? undefined : new Set(claims.map(({ name }) => name).filter((name) => name !== ''));
}

function validateResourceClaims(
  found: Findings,
  claims: readonly PodResourceClaim[],
  podMeta: ObjectMeta | undefined,
  path: string,
): void {
  const isMirror = podMeta?.annotations !== undefined && Object.hasOwn(podMeta.annotations, MIRROR_POD);
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    if (isMirror) found.push(forbidden('[]', 'static pods do not support resource claims'));
    else validateResourceClaim(found, claim, names, field.index(path, index));
  }
}

function validateResourceClaim(found: Findings, claim: PodResourceClaim, names: Set<string>, path: string): void {
  const { resourceClaimName, resourceClaimTemplateName } = claim;
  const name = claim.name ?? '';
  if (name === '') found.push(required(`${path}.name`, ''));
  else if (names.has(name)) found.push(duplicate(`${path}.name`, name));
  else {
    addTexts(found, `${path}.name`, name, dns1123LabelProblems(name));
    names.add(name);
  }
  const shown = (): unknown => internalValue('core.PodResourceClaim', claim);
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const text = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    found.push(invalid(path, shown(), text));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    found.push(invalid(path, shown(), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
  }
  for (const key of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
    const value = claim[key];
    if (value !== undefined) addTexts(found, `${path}.${key}`, value, nameIsDnsSubdomain(value, false));
  }
}

/** On the host's network a port is the host's port. A template may leave it open: the pod's defaults fill it in. */
function validateHostNetworkPorts(
  found: Findings,
  containers: readonly Container[],
  isPod: boolean,
  path: string,
): void {
  for (const [index, { ports }] of containers.entries()) {
    for (const [position, { hostPort = 0, containerPort = 0 }] of listOf(ports).entries()) {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) continue;
      const text = 'must match `containerPort` when `hostNetwork` is true';
      found.push(invalid(`${path}[${index}].ports[${position}].hostPort`, hostPort, text));
    }
  }
}

function validateUserNamespace(found: Findings, spec: PodSpec, options: PodOptions, path: string): void {
  const refuse = (at: string): void => {
    found.push(forbidden(at, 'when `hostUsers` is false'));
  };
  if (spec.hostNetwork && !options.allowHostNetworkInUserNamespace) refuse(`${path}.hostNetwork`);
  if (spec.hostPID) refuse(`${path}.HostPID`);
  if (spec.hostIPC) refuse(`${path}.HostIPC`);
  if (options.allowDevicesInUserNamespace) return;
  visitContainers(spec, path, ({ volumeDevices }, at) => {
    if (isSet(volumeDevices)) refuse(`${at()}.volumeDevices`);
  });
}

const SYSTEMS = ['linux', 'windows'];

function validateOs(found: Findings, spec: PodSpec, path: string): void {
  const name = spec.os?.name;
  if (!name) found.push(required(`${path}.os.name`, ''));
  else if (!SYSTEMS.includes(name)) found.push(notSupported(`${path}.os`, name, SYSTEMS));
  else if (name === 'linux') validateLinuxPod(found, spec, path);
  else validateWindowsPod(found, spec, path);
}

function validateSchedulingGroup(found: Findings, { schedulingGroup }: PodSpec, path: string): void {
  const name = schedulingGroup?.podGroupName;
  if (name === undefined) found.push(invalid(`${path}.podGroupName`, null, 'must specify one of: `podGroupName`'));
  else addTexts(found, `${path}.podGroupName`, name, nameIsDnsSubdomain(name, false));
}

/** Variables read from a file need that file in a volume the pod itself writes. */
function validateFileKeyVolumes(found: Findings, spec: PodSpec, path: string): void {
  let byName: ReadonlyMap<string, Volume> | undefined;
  visitContainers(spec, path, ({ env }, at) => {
    if (env === undefined) return;
    for (let index = 0; index < env.length; index++) {
      const reference = env[index]?.valueFrom?.fileKeyRef;
      if (reference === undefined) continue;
      byName ??= new Map(listOf(spec.volumes).map((volume) => [volume.name, volume]));
      const name = reference.volumeName ?? '';
      const where = `${at()}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = byName.get(name);
      if (volume === undefined) found.push(notFoundValue(where, name));
      else if (volume.emptyDir === undefined) {
        found.push(invalid(where, name, 'referenced volume must be of type emptyDir'));
      }
    }
  });
}
