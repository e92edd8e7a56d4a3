/** Fields of a Service that are immutable once they are set. */
import { type FieldError, field, forbidden, invalid } from '../../kube/field-errors.ts';
import { qualifiedNameProblems } from '../../kube/names.ts';
import type { Service, ServiceSpec } from '../types/core-v1.ts';
import { isHeadless, needsHealthCheck } from './service-prepare.ts';

const FIXED = 'may not change once set';
const singleStackToRelease = (what: string, policy: string | undefined): FieldError =>
  invalid('spec.ipFamilyPolicy', policy ?? null, `must be set to 'SingleStack' when releasing the secondary ${what}`);

function clusterIPChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const ips = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  const first = 'spec.clusterIPs[0]';
  if (isHeadless(spec) && isHeadless(old)) return [];
  if (ips.length === before.length) {
    return before.flatMap((ip, i) => (ip === ips[i] ? [] : [invalid(field.index('spec.clusterIPs', i), ips, FIXED)]));
  }
  const errors: FieldError[] = [];
  if (ips.length === 0) errors.push(invalid(first, null, 'primary clusterIP can not be unset'));
  else if (before.length > 0 && ips[0] !== before[0]) errors.push(invalid(first, ips, FIXED));
  if (ips.length === 1 && before.length > 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(singleStackToRelease('clusterIP', spec.ipFamilyPolicy));
  }
  return errors;
}

function familyChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const families = spec.ipFamilies ?? [];
  const before = old.ipFamilies ?? [];
  const path = 'spec.ipFamilies[0]';
  if (isHeadless(spec) || isHeadless(old)) return [];
  if (families.length === before.length) {
    return before.flatMap((family, i) => (family === families[i] ? [] : [invalid(path, families, FIXED)]));
  }
  const errors: FieldError[] = [];
  const released = families.length < before.length;
  if (released && !spec.clusterIPs?.length) {
    errors.push(invalid(path, spec.ipFamilies ?? null, 'primary ipFamily can not be unset'));
  }
  if (families.length > 0 && before.length > 0 && families[0] !== before[0]) {
    errors.push(invalid(path, spec.clusterIPs ?? null, FIXED));
  }
  if (released && families.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(singleStackToRelease('ipFamily', spec.ipFamilyPolicy));
  }
  return errors;
}

function loadBalancerChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = spec.loadBalancerClass;
  if (spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && name !== old.loadBalancerClass) {
    errors.push(invalid('spec.loadBalancerClass', name ?? null, FIXED));
  }
  if (spec.type === 'LoadBalancer' && name !== undefined) {
    for (const text of qualifiedNameProblems(name)) errors.push(invalid('spec.loadBalancerClass', name, text));
  }
  if (
    needsHealthCheck(spec) &&
    needsHealthCheck(old) &&
    (spec.healthCheckNodePort ?? 0) !== (old.healthCheckNodePort ?? 0)
  ) {
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'));
  }
  return errors;
}

export function validateServiceChange(service: Service, old: Service): readonly FieldError[] {
  const spec = service.spec ?? {};
  const before = old.spec ?? {};
  const linked =
    spec.type === 'ExternalName' || before.type === 'ExternalName'
      ? []
      : [...clusterIPChanges(spec, before), ...familyChanges(spec, before)];
  return [...linked, ...loadBalancerChanges(spec, before)];
}
