/** Addresses of a service and the families they belong to. */
import { duplicate, type FieldError, field, invalid, notSupported, required } from '../../kube/field-errors.ts';
import type { ServiceSpec } from '../types/core-v1.ts';
import { familyOf, isDualStack, parseIP, validateIP } from '../../kube/ip.ts';
import { append } from '../rules/append.ts';
import { isHeadless } from './service-prepare.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const PATH = 'spec.clusterIPs';

function validateLinkedFields(ip: string, many: readonly string[]): readonly FieldError[] {
  if (ip === '') {
    return many.length === 0 ? [] : [invalid(PATH, many, 'must be empty when `clusterIP` is not specified')];
  }
  if (many.length === 0) return [required(PATH, '')];
  return many[0] === ip ? [] : [invalid(PATH, many, 'first value must match `clusterIP`')];
}

function validateFamilies(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    const path = field.index('spec.ipFamilies', index);
    if (!FAMILIES.includes(family)) errors.push(notSupported(path, family, FAMILIES));
    if (seen.has(family)) errors.push(duplicate(path, family));
    seen.add(family);
  }
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, POLICIES));
  }
  return errors;
}

/** Each address must belong to the family at its place in `ipFamilies`, where families are named. */
function validateMatch(spec: ServiceSpec, many: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const families = spec.ipFamilies ?? [];
  if (isHeadless(spec)) return errors;
  for (const [index, text] of many.entries()) {
    const wanted = families[index];
    const ip = parseIP(text);
    if (wanted === undefined || !FAMILIES.includes(wanted) || !ip || familyOf(ip) === wanted) continue;
    const path = field.index(PATH, index);
    errors.push(invalid(path, text, `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``));
  }
  return errors;
}

export function validateClusterIPs(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const many = spec.clusterIPs ?? [];
  const errors = [...validateLinkedFields(spec.clusterIP ?? '', many), ...validateFamilies(spec)];
  let broken = false;
  for (const [index, ip] of many.entries()) {
    if (index === 0 && ip === 'None') {
      if (many.length > 1) {
        broken = true;
        errors.push(invalid(PATH, many, "'None' must be the first and only value"));
      }
      continue;
    }
    const problems = validateIP(field.index(PATH, index), ip, old?.clusterIPs);
    broken ||= problems.length > 0;
    append(errors, problems);
  }
  if (many.length > 2) errors.push(invalid(PATH, many, 'may only hold up to 2 values'));
  // Findings about families would mislead while one of the addresses is invalid.
  if (broken) return errors;
  if (many.length > 1 && !isDualStack(many.map(parseIP))) {
    errors.push(invalid(PATH, many, 'may specify no more than one IP for each IP family'));
  }
  append(errors, validateMatch(spec, many));
  return errors;
}
