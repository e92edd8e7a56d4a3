/** Status updates of running pods. Kubelets write them, so only impossible reports are rejected. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { duplicate, field, forbidden, invalid, notSupported, required, tooLong } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { dns1123LabelProblems, nameIsDnsSubdomain, qualifiedNameProblems } from '../../../kube/names.ts';
import { userIdProblems } from '../../../kube/value-formats.ts';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodCondition,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../types/core-v1.ts';
import { rememberSeen } from '../../schema/remember-seen.ts';
import { isDualStack, parseIP, validateIP } from '../../../kube/ip.ts';
import { isNegative } from '../../rules/amounts.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, has, listOf } from '../../rules/findings.ts';
import { internalValue } from './internal-form.ts';
import { IMMUTABLE, validateMetaUpdate } from '../../rules/meta-rules.ts';
import { optionsFromOld } from './options.ts';
import { isNative } from '../../rules/resource-names.ts';
import { validateAnnotationChanges, validatePodAnnotations } from './validate-annotations.ts';

const NO_STATUS: PodStatus = Object.freeze({});

export function validatePodStatusUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  const found = validateMetaUpdate(pod.metadata, old.metadata);
  const options = optionsFromOld(old.spec, old.metadata, true);
  const { annotations } = pod.metadata;
  validateAnnotationChanges(found, annotations, old.metadata.annotations, 'metadata.annotations');
  validatePodAnnotations(found, annotations, pod.spec, options, 'metadata.annotations');
  const status = pod.status ?? NO_STATUS;
  const before = old.status ?? NO_STATUS;
  validateConditions(found, listOf(status.conditions));
  if (pod.spec.nodeName !== old.spec.nodeName) {
    found.push(forbidden('status.nodeName', 'may not be changed directly'));
  }
  validateNomination(found, status.nominatedNodeName ?? '', before.nominatedNodeName ?? '', old.spec.nodeName);
  if ((status.observedGeneration ?? 0) < 0) {
    found.push(invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer'));
  }
  if ((status.qosClass ?? '') !== (before.qosClass ?? '')) {
    found.push(invalid('status.qosClass', status.qosClass ?? '', IMMUTABLE));
  }
  validateTransitions(found, status, before, old.spec);
  validateClaimStatuses(found, status, pod.spec);
  if (status.extendedResourceClaimStatus !== undefined) {
    validateExtendedClaims(found, status.extendedResourceClaimStatus, pod.spec);
  }
  validateNodeClaims(found, status, pod.spec);
  validateAddresses(found, status, before);
  for (const key of STATUS_LISTS) validateUsers(found, status[key], pod.spec.os?.name, key);
  validateDevices(found, listOf(status.containerStatuses), listOf(pod.spec.containers), 'status.containerStatuses');
  validateDevices(
    found,
    listOf(status.initContainerStatuses),
    listOf(pod.spec.initContainers),
    'status.initContainerStatuses',
  );
  for (const [index, { allocatedResourcesStatus }] of listOf(status.ephemeralContainerStatuses).entries()) {
    if (listOf(allocatedResourcesStatus).length === 0) continue;
    const at = `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`;
    found.push(forbidden(at, 'must not be specified in container status'));
  }
  return found;
}

const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** Conditions known to be valid; pods of one template reach the same conditions at the same time, and share them. */
const fineConditions = rememberSeen();

function validateConditions(found: Findings, conditions: readonly PodCondition[]): void {
  if (conditions.length === 0 || fineConditions.find(conditions) !== undefined) return;
  const before = found.length;
  for (const [index, { type, observedGeneration }] of conditions.entries()) {
    const at = `status.conditions[${index}]`;
    if ((observedGeneration ?? 0) < 0) {
      found.push(invalid(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer'));
    }
    if (!SYSTEM_CONDITIONS.includes(type)) addTexts(found, `${at}.Type`, type, qualifiedNameProblems(type));
  }
  if (found.length === before) fineConditions.add(conditions, conditions);
}

function validateNomination(found: Findings, node: string, before: string, boundTo: string | undefined): void {
  if (node === '' || node === before) return;
  const path = 'status.nominatedNodeName';
  addTexts(found, path, node, nameIsDnsSubdomain(node, false));
  if (boundTo) found.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
}

const hasEnded = ({ state }: ContainerStatus): boolean => state?.terminated !== undefined;

/** A container that has ended starts again only where its restart policy says so. */
function validateTransitions(found: Findings, status: PodStatus, old: PodStatus, spec: PodSpec): void {
  if (!STATUS_LISTS.some((key) => old[key]?.some(hasEnded))) return;
  const restartsAll = [...listOf(spec.initContainers), ...listOf(spec.containers)].some(({ restartPolicyRules }) =>
    listOf(restartPolicyRules).some(({ action }) => action === 'RestartAllContainers'),
  );
  for (const key of STATUS_LISTS) {
    if (restartsAll && key !== 'ephemeralContainerStatuses') continue;
    const containers: readonly Container[] =
      key === 'containerStatuses'
        ? listOf(spec.containers)
        : key === 'initContainerStatuses'
          ? listOf(spec.initContainers)
          : [];
    const now = listOf(status[key]);
    for (const [index, { name, state }] of listOf(old[key]).entries()) {
      if (state?.terminated === undefined) continue;
      const next = now.find((candidate) => candidate.name === name);
      if (next === undefined || next.state?.terminated !== undefined) continue;
      const container = containers.find((candidate) => candidate.name === name);
      if (container !== undefined && mayRestart(container, spec, state.terminated.exitCode ?? 0)) continue;
      found.push(forbidden(`status.${key}[${index}].state`, 'may not be transitioned to non-terminated state'));
    }
  }
}

function mayRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  const byPolicy = (policy: string | undefined): boolean | undefined => {
    if (policy === 'Always') return true;
    if (policy === 'OnFailure') return exitCode !== 0;
    return policy === 'Never' ? false : undefined;
  };
  if (container.restartPolicy !== undefined) {
    const rule = listOf(container.restartPolicyRules).find(({ exitCodes }) => {
      if (exitCodes === undefined) return false;
      const listed = listOf(exitCodes.values).includes(exitCode);
      return exitCodes.operator === 'In' ? listed : exitCodes.operator === 'NotIn' && !listed;
    });
    if (rule?.action === 'Restart' || rule?.action === 'RestartAllContainers') return true;
    const own = byPolicy(container.restartPolicy);
    if (own !== undefined) return own;
  }
  return byPolicy(spec.restartPolicy) ?? true;
}

function validateClaimStatuses(found: Findings, status: PodStatus, spec: PodSpec): void {
  if (listOf(status.resourceClaimStatuses).length === 0) return;
  const known = new Set(listOf(spec.resourceClaims).map(({ name }) => name));
  const seen = new Set<string>();
  for (const [index, { name, resourceClaimName }] of listOf(status.resourceClaimStatuses).entries()) {
    const at = `status.resourceClaimStatuses[${index}]`;
    if (!known.has(name)) {
      found.push(invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) found.push(duplicate(`${at}.name`, name));
    seen.add(name);
    if (resourceClaimName !== undefined) {
      addTexts(found, `${at}.resourceClaimName`, resourceClaimName, nameIsDnsSubdomain(resourceClaimName, false));
    }
  }
}

function validateExtendedClaims(found: Findings, claim: PodExtendedResourceClaimStatus, spec: PodSpec): void {
  const path = 'status.extendedResourceClaimStatus';
  const all = [...listOf(spec.initContainers), ...listOf(spec.containers)];
  const containers = new Map(all.map((container) => [container.name, container]));
  const mappings = listOf(claim.requestMappings);
  if (mappings.length === 0) {
    found.push(required(`${path}.requestMappings`, 'at least one request mapping is required'));
  }
  const seen = new Set<string>();
  for (const [index, { containerName, resourceName, requestName }] of mappings.entries()) {
    const at = `${path}.requestMappings[${index}]`;
    const container = containers.get(containerName);
    if (container === undefined) {
      const text = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      found.push(invalid(`${at}.containerName`, containerName, text));
    } else if (!has(container.resources?.requests, resourceName)) {
      const text =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
      found.push(invalid(`${at}.resourceName`, resourceName, text));
    }
    addTexts(found, `${path}.requestName`, requestName, dns1123LabelProblems(requestName));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      found.push(duplicate(`${at}.containerName`, containerName), duplicate(`${at}.resourceName`, resourceName));
      found.push(duplicate(`${at}.requestName`, requestName));
    }
    seen.add(key);
  }
  const name = claim.resourceClaimName;
  if (!name) found.push(required(`${path}.resourceClaimName`, ''));
  else addTexts(found, `${path}.resourceClaimName`, name, nameIsDnsSubdomain(name, false));
}

function validateNodeClaims(found: Findings, status: PodStatus, spec: PodSpec): void {
  const claims = listOf(status.nodeAllocatableResourceClaimStatuses);
  if (claims.length === 0) return;
  const known = new Set(
    [...listOf(spec.resourceClaims), ...listOf(status.resourceClaimStatuses)].map((claim) => claim.resourceClaimName),
  );
  for (const [index, { resourceClaimName, containers, resources }] of claims.entries()) {
    const at = `status.nodeAllocatableResourceClaimStatuses[${index}]`;
    if (!resourceClaimName) found.push(required(`${at}.resourceClaimName`, 'must not be empty'));
    if (!known.has(resourceClaimName)) {
      found.push(invalid(`${at}.resourceClaimName`, resourceClaimName, 'no mapping found in pod reference'));
    }
    if (listOf(containers).length === 0) found.push(required(`${at}.containers`, 'must not be empty'));
    const names = Object.keys(resources ?? {});
    if (names.length === 0) found.push(required(`${at}.resources`, 'must not be empty'));
    for (const name of names) {
      const where = field.key(`${at}.resources`, name);
      if (!isNative(name)) found.push(invalid(where, name, 'must be a node allocatable resource name'));
      const amount = resources?.[name] ?? '0';
      if (isNegative(amount)) found.push(invalid(where, String(amount), 'must be non-negative'));
    }
  }
}

/** At most one address of each family. */
function validateAddresses(found: Findings, status: PodStatus, old: PodStatus): void {
  const podIPs = listOf(status.podIPs);
  const hostIPs = listOf(status.hostIPs);
  validateAddressList(found, podIPs, listOf(old.podIPs), 'podIPs', 'core.PodIP');
  if (hostIPs.length === 0) return;
  if ((status.hostIP ?? '') !== hostIPs[0]?.ip) {
    found.push(invalid('status.hostIPs[0].ip', hostIPs[0]?.ip ?? '', 'must be equal to `hostIP`'));
  }
  validateAddressList(found, hostIPs, listOf(old.hostIPs), 'hostIPs', 'core.HostIP');
}

type Addresses = readonly { readonly ip?: string }[];

function validateAddressList(found: Findings, list: Addresses, old: Addresses, key: string, type: string): void {
  const kept = old.map(({ ip = '' }) => ip);
  list.forEach(({ ip = '' }, index) => addAll(found, validateIP(`status.${key}[${index}]`, ip, kept)));
  if (list.length < 2) return;
  const parsed = list.map(({ ip = '' }) => parseIP(ip));
  const broken = parsed.indexOf(undefined);
  if (broken >= 0) {
    found.push({
      type: 'InternalError',
      field: `status.${key}`,
      message: `Internal error: failed to check for dual stack with error:invalid IP[${broken}]: ${list[broken]?.ip ?? ''}`,
    });
  }
  if (broken < 0 && isDualStack(parsed) && list.length <= 2) return;
  const shown = internalValue(`[${type}`, list);
  found.push(invalid(`status.${key}`, shown, 'may specify no more than one IP for each IP family'));
}

function validateUsers(
  found: Findings,
  statuses: readonly ContainerStatus[] | undefined,
  os: string | undefined,
  key: string,
): void {
  if (statuses === undefined || !statuses.some(({ user }) => user?.linux !== undefined)) return;
  for (const [index, { user }] of statuses.entries()) {
    if (user?.linux === undefined) continue;
    const at = `status.${key}[${index}].user.linux`;
    if (os === 'windows') {
      found.push(forbidden(at, 'cannot be set for a windows pod'));
      continue;
    }
    const { uid, gid, supplementalGroups } = user.linux;
    addTexts(found, `${at}.uid`, uid, userIdProblems(uid));
    addTexts(found, `${at}.gid`, gid, userIdProblems(gid));
    for (const [position, group] of listOf(supplementalGroups).entries()) {
      addTexts(found, `${at}.supplementalGroups[${position}]`, group, userIdProblems(group));
    }
  }
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const MAX_MESSAGE = 1024;

function validateDevices(
  found: Findings,
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: string,
): void {
  if (!statuses.some(({ allocatedResourcesStatus }) => allocatedResourcesStatus !== undefined)) return;
  for (const [index, { name, allocatedResourcesStatus }] of statuses.entries()) {
    const container = containers.find((candidate) => candidate.name === name);
    for (const [position, resource] of listOf(allocatedResourcesStatus).entries()) {
      const at = `${path}[${index}].allocatedResourcesStatus[${position}]`;
      if (container !== undefined) validateDeviceName(found, resource.name, container, at);
      validateHealth(found, resource, at);
    }
  }
}

function validateDeviceName(found: Findings, name: string, { resources }: Container, path: string): void {
  if (!name.startsWith('claim:')) {
    if (!has(resources?.requests, name)) {
      found.push(invalid(`${path}.name`, name, "must match one of the container's resource requests"));
    }
    return;
  }
  const claims = listOf(resources?.claims).map(
    (claim) => `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`,
  );
  if (claims.includes(name)) return;
  const text =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  found.push(invalid(`${path}.name`, name, text));
}

function validateHealth(found: Findings, { resources }: ResourceStatus, path: string): void {
  const seen = new Set<string>();
  for (const [index, { resourceID, health = '', message }] of listOf(resources).entries()) {
    const at = `${path}.resources[${index}]`;
    if (!HEALTH.includes(health)) found.push(notSupported(`${at}.health`, health, HEALTH));
    if (message === '') found.push(required(`${at}.message`, 'must be non-empty if specified'));
    else if (message !== undefined && exceedsBytes(message, MAX_MESSAGE)) {
      found.push(tooLong(`${at}.message`, MAX_MESSAGE));
    }
    if (seen.has(resourceID)) found.push(duplicate(`${at}.resourceID`, resourceID));
    seen.add(resourceID);
  }
}
