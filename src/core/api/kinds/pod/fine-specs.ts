/**
 * Specs that were found fine by the rules for new objects, known by their containers. Another spec is as fine when it
 * has the same parts, by identity, in every field that validation reads.
 */
import type { Container, PodSpec } from '../../types/core-v1.ts';
import { isSet, listOf } from '../../rules/findings.ts';
import { subtreeMemo } from '../../rules/memo.ts';

const pods = subtreeMemo<readonly Container[], PodSpec>();
const templates = subtreeMemo<readonly Container[], PodSpec>();

/**
 * A valid spec with the same parts. A pod's own fields (affinity, nodeName, hostname, subdomain) must still be
 * validated.
 */
export function knownFine(spec: PodSpec, isPod: boolean): PodSpec | undefined {
  if (spec.containers === undefined) return undefined;
  const model = (isPod ? pods : templates).get(spec.containers);
  return model !== undefined && sharesParts(spec, model) ? model : undefined;
}

/** Pods with resource claims or ephemeral volumes, whose claims are named after the pod, are always validated. */
export function rememberFine(spec: PodSpec, isPod: boolean): void {
  if (isSet(spec.resourceClaims) || listOf(spec.volumes).some(({ ephemeral }) => ephemeral !== undefined)) return;
  if (isPod) pods.offer(spec.containers, spec);
  else templates.keep(spec.containers, spec);
}

/** Every field that validation reads, except the pod's own: affinity, nodeName, hostname and subdomain. */
const sharesParts = (a: PodSpec, b: PodSpec): boolean =>
  a.volumes === b.volumes &&
  a.initContainers === b.initContainers &&
  a.ephemeralContainers === b.ephemeralContainers &&
  a.restartPolicy === b.restartPolicy &&
  a.terminationGracePeriodSeconds === b.terminationGracePeriodSeconds &&
  a.activeDeadlineSeconds === b.activeDeadlineSeconds &&
  a.dnsPolicy === b.dnsPolicy &&
  a.nodeSelector === b.nodeSelector &&
  a.serviceAccountName === b.serviceAccountName &&
  a.hostNetwork === b.hostNetwork &&
  a.hostPID === b.hostPID &&
  a.hostIPC === b.hostIPC &&
  a.shareProcessNamespace === b.shareProcessNamespace &&
  a.securityContext === b.securityContext &&
  a.imagePullSecrets === b.imagePullSecrets &&
  a.tolerations === b.tolerations &&
  a.hostAliases === b.hostAliases &&
  a.priorityClassName === b.priorityClassName &&
  a.dnsConfig === b.dnsConfig &&
  a.readinessGates === b.readinessGates &&
  a.runtimeClassName === b.runtimeClassName &&
  a.preemptionPolicy === b.preemptionPolicy &&
  a.overhead === b.overhead &&
  a.topologySpreadConstraints === b.topologySpreadConstraints &&
  a.setHostnameAsFQDN === b.setHostnameAsFQDN &&
  a.os === b.os &&
  a.hostUsers === b.hostUsers &&
  a.schedulingGates === b.schedulingGates &&
  a.resourceClaims === b.resourceClaims &&
  a.resources === b.resources &&
  a.hostnameOverride === b.hostnameOverride &&
  a.schedulingGroup === b.schedulingGroup;
