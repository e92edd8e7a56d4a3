import {
  duplicate,
  type FieldError,
  field,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../kube/field-errors.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, qualifiedNameProblems } from '../../kube/names.ts';
import { portNameProblems, portNumberProblems } from '../../kube/value-formats.ts';
import type { Service, ServicePort, ServiceSpec } from '../types/core-v1.ts';
import { PROTOCOLS } from './endpoints.ts';
import { parseIP, validateCIDR, validateEndpointIP, validateIP } from '../../kube/ip.ts';
import { append } from '../rules/append.ts';
import { validateLabels } from '../rules/metadata.ts';
import { validateClusterIPs } from './service-validate-ips.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheck } from './service-prepare.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const IP_MODES = ['Proxy', 'VIP'];
const MAX_AFFINITY_SECONDS = 86_400;
const LOAD_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

const each = (path: string, value: unknown, problems: readonly string[]): FieldError[] =>
  problems.map((text) => invalid(path, value, text));

function validateTargetPort(target: string | number | undefined, path: string): readonly FieldError[] {
  if (typeof target === 'string') return each(path, target, portNameProblems(target));
  return each(path, target ?? 0, portNumberProblems(target ?? 0));
}

function validatePort(port: ServicePort, needsName: boolean, names: Set<string>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', protocol = '', appProtocol } = port;
  const namePath = field.child(path, 'name');
  if (name !== '') {
    append(errors, each(namePath, name, dns1123LabelProblems(name)));
    if (names.has(name)) errors.push(duplicate(namePath, name));
    names.add(name);
  } else if (needsName) errors.push(required(namePath, ''));
  append(errors, each(field.child(path, 'port'), port.port ?? 0, portNumberProblems(port.port ?? 0)));
  if (protocol === '') errors.push(required(field.child(path, 'protocol'), ''));
  else if (!PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(field.child(path, 'protocol'), protocol, PROTOCOLS));
  }
  append(errors, validateTargetPort(port.targetPort, field.child(path, 'targetPort')));
  if (appProtocol !== undefined) {
    append(errors, each(field.child(path, 'appProtocol'), appProtocol, qualifiedNameProblems(appProtocol)));
  }
  return errors;
}

const portPath = (index: number): string => field.index('spec.ports', index);

function validatePorts(spec: ServiceSpec): readonly FieldError[] {
  const ports = spec.ports ?? [];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const nodePorts = new Set<string>();
  const seen = new Set<string>();
  for (const [index, port] of ports.entries())
    append(errors, validatePort(port, ports.length > 1, names, portPath(index)));
  for (const [index, { nodePort = 0, protocol = '' }] of ports.entries()) {
    if (nodePort === 0) continue;
    if (spec.type === 'ClusterIP') {
      errors.push(forbidden(field.child(portPath(index), 'nodePort'), "may not be used when `type` is 'ClusterIP'"));
    }
    const identity = `${protocol}/${nodePort}`;
    if (nodePorts.has(identity)) errors.push(duplicate(field.child(portPath(index), 'nodePort'), nodePort));
    nodePorts.add(identity);
  }
  for (const [index, { port = 0, protocol = '' }] of ports.entries()) {
    const identity = `${protocol}/${port}`;
    if (seen.has(identity)) {
      const printed = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      errors.push(duplicate(portPath(index), printed));
    }
    seen.add(identity);
  }
  return errors;
}

function validateByType(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.ports?.length && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required('spec.ports', ''));
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type !== 'ExternalName') return errors;
  const no = 'may not be set for ExternalName services';
  if (spec.clusterIPs?.length) errors.push(forbidden('spec.clusterIPs', no));
  if (spec.ipFamilies?.length) errors.push(forbidden('spec.ipFamilies', no));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden('spec.ipFamilyPolicy', no));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.push(required('spec.externalName', ''));
  else append(errors, each('spec.externalName', name, dns1123SubdomainProblems(name)));
  return errors;
}

function validateAffinity(spec: ServiceSpec): readonly FieldError[] {
  const affinity = spec.sessionAffinity ?? '';
  const config = spec.sessionAffinityConfig;
  const path = 'spec.sessionAffinityConfig';
  if (affinity === '') return [required('spec.sessionAffinity', '')];
  if (!AFFINITIES.includes(affinity)) return [notSupported('spec.sessionAffinity', affinity, AFFINITIES)];
  if (affinity === 'None') {
    return config ? [forbidden(path, 'must not be set when session affinity is None')] : [];
  }
  const why = 'when session affinity type is ClientIP';
  if (!config) return [required(path, why)];
  if (!config.clientIP) return [required(field.child(path, 'clientIP'), why)];
  const seconds = config.clientIP.timeoutSeconds;
  if (seconds === undefined) return [required(`${path}.clientIP.timeoutSeconds`, why)];
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  const bounds = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, bounds)];
}

function validateSourceRanges(service: Service, old: Service | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const ranges = service.spec?.loadBalancerSourceRanges ?? [];
  const balanced = service.spec?.type === 'LoadBalancer';
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges';
    if (!balanced) errors.push(forbidden(path, LOAD_BALANCER_ONLY));
    const known = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [index, range] of ranges.entries()) {
      append(errors, validateCIDR(field.index(path, index), range.trim(), known));
    }
    return errors;
  }
  const written = service.metadata.annotations?.[SOURCE_RANGES];
  if (written === undefined) return errors;
  const path = field.key('metadata.annotations', SOURCE_RANGES);
  if (!balanced) errors.push(forbidden(path, LOAD_BALANCER_ONLY));
  if (old?.metadata.annotations?.[SOURCE_RANGES] === written || written.trim() === '') return errors;
  for (const range of written.trim().split(',')) append(errors, validateCIDR(path, range.trim()));
  return errors;
}

function validateTraffic(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy: outer = '', healthCheckNodePort: health = 0 } = spec;
  const { internalTrafficPolicy: inner, trafficDistribution: distribution } = spec;
  const outerPath = 'spec.externalTrafficPolicy';
  if (!isExternallyAccessible(spec)) {
    if (outer !== '') errors.push(invalid(outerPath, outer, 'may only be set for externally-accessible services'));
  } else if (outer === '') errors.push(required(outerPath, ''));
  else if (!TRAFFIC_POLICIES.includes(outer)) errors.push(notSupported(outerPath, outer, TRAFFIC_POLICIES));

  const healthPath = 'spec.healthCheckNodePort';
  if (!needsHealthCheck(spec)) {
    if (health !== 0) {
      const when = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
      errors.push(invalid(healthPath, health, when));
    }
  } else if (health === 0) errors.push(required(healthPath, ''));
  else append(errors, each(healthPath, health, portNumberProblems(health)));

  const innerPath = 'spec.internalTrafficPolicy';
  if (inner === undefined) {
    if (spec.type !== undefined && spec.type !== 'ExternalName' && TYPES.includes(spec.type)) {
      errors.push(required(innerPath, ''));
    }
  } else if (!TRAFFIC_POLICIES.includes(inner)) errors.push(notSupported(innerPath, inner, TRAFFIC_POLICIES));

  if (distribution !== undefined && !DISTRIBUTIONS.includes(distribution)) {
    errors.push(notSupported('spec.trafficDistribution', distribution, DISTRIBUTIONS));
  }
  return errors;
}

function validateLoadBalancer(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const balanced = spec.type === 'LoadBalancer';
  if (spec.allocateLoadBalancerNodePorts !== undefined && !balanced) {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', LOAD_BALANCER_ONLY));
  }
  if (spec.allocateLoadBalancerNodePorts === undefined && balanced) {
    errors.push(required('allocateLoadBalancerNodePorts', ''));
  }
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return errors;
  if (!balanced) errors.push(forbidden('spec.loadBalancerClass', LOAD_BALANCER_ONLY));
  else append(errors, each('spec.loadBalancerClass', loadBalancerClass, qualifiedNameProblems(loadBalancerClass)));
  return errors;
}

/** Validates everything but metadata. Invalid values that `old` has already may stay. */
export function validateServiceSpec(service: Service, old: Service | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const spec = service.spec ?? {};
  const annotations = service.metadata.annotations ?? {};
  const mode = annotations[TOPOLOGY_MODE];
  if (mode !== undefined && annotations[TOPOLOGY_HINTS] !== undefined && mode !== annotations[TOPOLOGY_HINTS]) {
    const path = field.key('metadata.annotations', TOPOLOGY_MODE);
    errors.push(invalid(path, mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`));
  }
  append(errors, validateByType(spec));
  append(errors, validatePorts(spec));
  append(errors, validateLabels(spec.selector, 'spec.selector'));
  append(errors, validateAffinity(spec));
  append(errors, validateClusterIPs(spec, old?.spec));
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const path = field.index('spec.externalIPs', index);
    const problems = validateIP(path, ip, old?.spec?.externalIPs);
    append(errors, problems.length > 0 ? problems : validateEndpointIP(path, ip));
  }
  const type = spec.type ?? '';
  if (type === '') errors.push(required('spec.type', ''));
  else if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  append(errors, validateSourceRanges(service, old));
  append(errors, validateLoadBalancer(spec));
  append(errors, validateTraffic(spec));
  return errors;
}

export function validateLoadBalancerStatus(service: Service, old: Service): readonly FieldError[] {
  const errors: FieldError[] = [];
  const path = 'status.loadBalancer.ingress';
  const points = service.status?.loadBalancer?.ingress ?? [];
  if (service.spec?.type !== 'LoadBalancer' && points.length > 0) {
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = (old.status?.loadBalancer?.ingress ?? []).flatMap((point) => (point.ip ? [point.ip] : []));
  for (const [index, { ip = '', ipMode, hostname = '' }] of points.entries()) {
    const at = field.index(path, index);
    if (ip !== '') append(errors, validateIP(field.child(at, 'ip'), ip, known));
    const modePath = field.child(at, 'ipMode');
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(modePath, 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
    else if (!IP_MODES.includes(ipMode)) errors.push(notSupported(modePath, ipMode, IP_MODES));
    if (hostname === '') continue;
    append(errors, each(field.child(at, 'hostname'), hostname, dns1123SubdomainProblems(hostname)));
    if (parseIP(hostname)) {
      errors.push(invalid(field.child(at, 'hostname'), hostname, 'must be a DNS name, not an IP address'));
    }
  }
  return errors;
}
