/**
 * Keeps a Service's linked fields consistent (`clusterIP` with `clusterIPs`, the type with its fields) before
 * validation.
 */
import type { Service, ServiceSpec } from '../types/core-v1.ts';
import { deepEqual } from '../../kube/immutable.ts';
import { mapped, withoutFields } from '../rules/objects.ts';

const EMPTY: ServiceSpec = {};
const specOf = (service: Service): ServiceSpec => service.spec ?? EMPTY;
const withSpec = (service: Service, spec: ServiceSpec): Service =>
  spec === service.spec ? service : { ...service, spec };

export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);

/** The load balancer asks a node port of its own whether a node has local endpoints. */
export const needsHealthCheck = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

export const isHeadless = (spec: ServiceSpec): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';

const needsClusterIP = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName';
const needsNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';

const sameClusterIPs = (a: ServiceSpec, b: ServiceSpec): boolean => deepEqual(a.clusterIPs ?? [], b.clusterIPs ?? []);

/** Clients that know only `clusterIP` get `clusterIPs` filled in, and changed along with it. */
export function syncClusterIPs(service: Service, old: Service | undefined): Service {
  const spec = specOf(service);
  const ip = spec.clusterIP ?? '';
  const many = spec.clusterIPs ?? [];
  if (!old) return ip !== '' && many.length === 0 ? withSpec(service, { ...spec, clusterIPs: [ip] }) : service;
  const before = specOf(old);
  const was = before.clusterIP ?? '';
  if (ip === was) {
    return many.length === 0 && before.clusterIPs?.length
      ? withSpec(service, { ...spec, clusterIPs: before.clusterIPs })
      : service;
  }
  if (!sameClusterIPs(spec, before)) return service;
  return withSpec(service, ip === '' ? withoutFields(spec, 'clusterIPs') : { ...spec, clusterIPs: [ip] });
}

/** Values the server once allocated are kept when a client leaves them out. */
export function keepAllocated(service: Service, old: Service): Service {
  const before = specOf(old);
  let spec = specOf(service);
  if (needsClusterIP(before) && needsClusterIP(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec = { ...spec, clusterIP: before.clusterIP };
    if (!spec.clusterIPs?.length && before.clusterIPs?.length) spec = { ...spec, clusterIPs: before.clusterIPs };
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) spec = withKnownNodePorts(spec, before);
  if (needsHealthCheck(before) && needsHealthCheck(spec) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec = { ...spec, healthCheckNodePort: before.healthCheckNodePort };
  }
  if (spec.ipFamilyPolicy === undefined && before.ipFamilyPolicy !== undefined && needsClusterIP(spec)) {
    spec = { ...spec, ipFamilyPolicy: before.ipFamilyPolicy };
  }
  if (!spec.ipFamilies?.length && before.ipFamilies?.length && needsClusterIP(spec)) {
    spec = { ...spec, ipFamilies: before.ipFamilies };
  }
  return withSpec(service, spec);
}

const nodePortsOf = (spec: ServiceSpec): Set<number> =>
  new Set((spec.ports ?? []).map((port) => port.nodePort ?? 0).filter((port) => port !== 0));

function withKnownNodePorts(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  if (!spec.ports) return spec;
  const used = nodePortsOf(before).intersection(nodePortsOf(spec));
  const byName = new Map((before.ports ?? []).map((port) => [port.name ?? '', port.nodePort ?? 0]));
  const ports = mapped(spec.ports, (port) => {
    const known = byName.get(port.name ?? '') ?? 0;
    return port.nodePort || known === 0 || used.has(known) ? port : { ...port, nodePort: known };
  });
  return ports === spec.ports ? spec : { ...spec, ports };
}

/**
 * When a service changes its type, fields that only the old type has are dropped, unless the client changed them in the
 * same update: those are left for validation to reject.
 */
export function dropWhatTheTypeNoLongerHas(service: Service, old: Service): Service {
  const before = specOf(old);
  let spec = specOf(service);
  if (needsClusterIP(before) && !needsClusterIP(spec)) {
    if ((spec.clusterIP ?? '') === (before.clusterIP ?? '') && sameClusterIPs(spec, before)) {
      spec = withoutFields(spec, 'clusterIP', 'clusterIPs');
    }
    if (deepEqual(spec.ipFamilies, before.ipFamilies)) spec = withoutFields(spec, 'ipFamilies');
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) spec = withoutFields(spec, 'ipFamilyPolicy');
  }
  if (
    needsNodePorts(before) &&
    !needsNodePorts(spec) &&
    nodePortsOf(spec).isSubsetOf(nodePortsOf(before)) &&
    spec.ports
  ) {
    const ports = mapped(spec.ports, (port) => withoutFields(port, 'nodePort'));
    if (ports !== spec.ports) spec = { ...spec, ports };
  }
  if (
    needsHealthCheck(before) &&
    !needsHealthCheck(spec) &&
    (spec.healthCheckNodePort ?? 0) === (before.healthCheckNodePort ?? 0)
  ) {
    spec = withoutFields(spec, 'healthCheckNodePort');
  }
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
      spec = withoutFields(spec, 'allocateLoadBalancerNodePorts');
    }
    if (spec.loadBalancerClass === before.loadBalancerClass) spec = withoutFields(spec, 'loadBalancerClass');
  }
  if (
    isExternallyAccessible(before) &&
    !isExternallyAccessible(spec) &&
    spec.externalTrafficPolicy === before.externalTrafficPolicy
  ) {
    spec = withoutFields(spec, 'externalTrafficPolicy');
  }
  const result = withSpec(service, spec);
  // The ingress addresses go at once; the load balancer itself may take longer to go down.
  if (spec.type === 'LoadBalancer' || !result.status?.loadBalancer?.ingress) return result;
  return { ...result, status: { ...result.status, loadBalancer: {} } };
}
