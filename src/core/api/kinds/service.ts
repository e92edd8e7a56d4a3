/** Services. Addresses and node ports are the server's to allocate; what may be asked for is judged here. */
import { type FieldError, field } from '../../kube/field-errors.ts';
import { nameIsDnsLabel } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../kind/generic-strategy.ts';
import type { LoadBalancerIngress, Service, ServicePort, ServiceSpec } from '../types/core-v1.ts';
import { parseIP, warningsForCIDR, warningsForIP } from '../../kube/ip.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { mapped, withoutFields } from '../rules/objects.ts';
import {
  dropWhatTheTypeNoLongerHas,
  isExternallyAccessible,
  keepAllocated,
  syncClusterIPs,
} from './service-prepare.ts';
import { validateLoadBalancerStatus, validateServiceSpec } from './service-validate.ts';
import { validateServiceChange } from './service-validate-update.ts';

const RULES = { namespaced: true, name: nameIsDnsLabel };
const CLUSTER_TYPES: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);
const DEFAULT_AFFINITY = { clientIP: { timeoutSeconds: 10_800 } };

function defaultPort(port: ServicePort): ServicePort {
  const needsTarget = port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '';
  if (port.protocol && !needsTarget) return port;
  return { ...port, protocol: port.protocol || 'TCP', ...(needsTarget ? { targetPort: port.port } : {}) };
}

function defaultAffinity(spec: ServiceSpec): ServiceSpec {
  const affinity = spec.sessionAffinity || 'None';
  const named = affinity === spec.sessionAffinity ? spec : { ...spec, sessionAffinity: affinity };
  if (affinity === 'None') return withoutFields(named, 'sessionAffinityConfig');
  if (affinity !== 'ClientIP' || named.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return named;
  return { ...named, sessionAffinityConfig: DEFAULT_AFFINITY };
}

function defaultSpec(given: ServiceSpec): ServiceSpec {
  let spec = defaultAffinity(given);
  if (!spec.type) spec = { ...spec, type: 'ClusterIP' };
  const ports = spec.ports && mapped(spec.ports, defaultPort);
  if (ports && ports !== spec.ports) spec = { ...spec, ports };
  if (!spec.externalTrafficPolicy && isExternallyAccessible(spec)) spec = { ...spec, externalTrafficPolicy: 'Cluster' };
  if (spec.internalTrafficPolicy === undefined && CLUSTER_TYPES.has(spec.type ?? '')) {
    spec = { ...spec, internalTrafficPolicy: 'Cluster' };
  }
  if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === undefined) {
    spec = { ...spec, allocateLoadBalancerNodePorts: true };
  }
  return spec;
}

const defaultIngress = (point: LoadBalancerIngress): LoadBalancerIngress =>
  point.ip && point.ipMode === undefined ? { ...point, ipMode: 'VIP' } : point;

function defaults(service: Service): Service {
  const spec = defaultSpec(service.spec ?? {});
  let result = spec === service.spec ? service : { ...service, spec };
  const ingress = service.status?.loadBalancer?.ingress;
  if (spec.type === 'LoadBalancer' && ingress) {
    const points = mapped(ingress, defaultIngress);
    if (points !== ingress) {
      result = {
        ...result,
        status: { ...service.status, loadBalancer: { ...service.status.loadBalancer, ingress: points } },
      };
    }
  }
  return result;
}

const EMPTY_STATUS = { loadBalancer: {} };

function warnings(service: Service): readonly string[] {
  const { metadata, spec } = service;
  const found: string[] = [];
  if (metadata.annotations && Object.hasOwn(metadata.annotations, 'service.kubernetes.io/topology-aware-hints')) {
    found.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  }
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  if (spec.clusterIP && !headless) {
    for (const [i, ip] of (spec.clusterIPs ?? []).entries()) found.push(...warningsForIP(`spec.clusterIPs[${i}]`, ip));
  }
  const external = spec.externalIPs ?? [];
  if (headless) {
    if (spec.loadBalancerIP) found.push('spec.loadBalancerIP is ignored for headless services');
    if (external.length > 0) found.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services');
  }
  for (const [i, ip] of external.entries()) found.push(...warningsForIP(`spec.externalIPs[${i}]`, ip));
  if (external.length > 0 && !headless && spec.type !== 'ExternalName') {
    found.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (spec.loadBalancerIP && parseIP(spec.loadBalancerIP)) {
    found.push(...warningsForIP('spec.loadBalancerIP', spec.loadBalancerIP));
  }
  for (const [i, cidr] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    found.push(...warningsForCIDR(field.index('spec.loadBalancerSourceRanges', i), cidr));
  }
  if (spec.type === 'ExternalName' && external.length > 0) {
    found.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== 'ExternalName' && spec.externalName) {
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return found;
}

/** A Service of type ExternalName has no traffic inside the cluster, so no `internalTrafficPolicy`. */
const withoutUnused = (service: Service): Service =>
  service.spec?.type === 'ExternalName' && service.spec.internalTrafficPolicy !== undefined
    ? { ...service, spec: withoutFields(service.spec, 'internalTrafficPolicy') }
    : service;

export const serviceStrategy: KindStrategy<Service> = {
  ...createGenericStrategy<Service>({ namespaced: true, hasStatus: true, hasGeneration: false }),
  defaults,
  prepareForCreate: (service) => syncClusterIPs({ ...withoutUnused(service), status: EMPTY_STATUS }, undefined),
  prepareForUpdate(service, old, subresource) {
    if (subresource === 'status') return withFieldOf(service, old, 'spec');
    const kept = keepAllocated(withFieldOf(service, old, 'status'), old);
    return withoutUnused(dropWhatTheTypeNoLongerHas(syncClusterIPs(kept, old), old));
  },
  validate(service) {
    const errors = validateObjectMeta(service.metadata, RULES, 'metadata');
    append(errors, validateServiceSpec(service, undefined));
    return errors;
  },
  validateUpdate(service, old, subresource): readonly FieldError[] {
    const errors = validateObjectMetaUpdate(service.metadata, old.metadata, 'metadata');
    if (subresource === 'status') append(errors, validateLoadBalancerStatus(service, old));
    else {
      append(errors, validateServiceChange(service, old));
      append(errors, validateServiceSpec(service, old));
    }
    return errors;
  },
  warnings,
  allowCreateOnUpdate: true,
};
