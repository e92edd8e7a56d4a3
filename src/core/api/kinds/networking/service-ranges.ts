/** Ranges that services take their addresses from, and the addresses taken. */
import { field, immutableField, invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { dns1123SubdomainProblems, nameIsDnsSubdomain, type NameRule } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type { IPAddress, ServiceCIDR } from '../../types/networking-v1.ts';
import { familyOf, parseCIDR, strictIPProblem, validateStrictCIDR } from '../../../kube/ip.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf } from '../../rules/findings.ts';
import { validateSegment } from './references.ts';

/** The name of an IPAddress is the address itself in canonical form. */
const nameIsAddress: NameRule = (name) => {
  const problem = strictIPProblem(name);
  return problem === undefined ? [] : [problem];
};

function validateAddress({ metadata, spec }: IPAddress): Findings {
  const found = validateObjectMeta(metadata, { namespaced: false, name: nameIsAddress }, 'metadata');
  const path = 'spec.parentRef';
  const parent = spec?.parentRef;
  if (parent === undefined) {
    found.push(required(path, ''));
    return found;
  }
  const { group = '', namespace = '' } = parent;
  if (group !== '') addTexts(found, `${path}.group`, group, dns1123SubdomainProblems(group));
  validateSegment(found, parent.resource, `${path}.resource`);
  validateSegment(found, parent.name, `${path}.name`);
  if (namespace !== '') validateSegment(found, namespace, `${path}.namespace`);
  return found;
}

export const ipAddressStrategy: KindStrategy<IPAddress> = {
  ...createGenericStrategy<IPAddress>({ namespaced: false, hasStatus: false, hasGeneration: false }),
  validate: validateAddress,
  validateUpdate(address, old) {
    const found = validateAddress(address);
    addAll(found, validateObjectMetaUpdate(address.metadata, old.metadata, 'metadata'));
    const parent = address.spec?.parentRef;
    if (!deepEqual(parent, old.spec?.parentRef)) {
      const { group = '', resource, namespace = '', name } = parent ?? {};
      const shown = parent && { Group: group, Resource: resource, Namespace: namespace, Name: name };
      found.push(immutableField('spec.parentRef', shown));
    }
    return found;
  },
};

const RANGE_RULES = { namespaced: false, name: nameIsDnsSubdomain };
const CIDRS = 'spec.cidrs';

function validateRanges(found: Findings, cidrs: readonly string[]): void {
  if (cidrs.length === 0) {
    found.push(required(CIDRS, 'at least one CIDR required'));
    return;
  }
  if (cidrs.length > 2) {
    found.push(invalid(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values'));
    return;
  }
  for (const [index, cidr] of cidrs.entries()) addAll(found, validateStrictCIDR(field.index(CIDRS, index), cidr));
  const [first, second] = cidrs.map((cidr) => parseCIDR(cidr)?.ip);
  if (first && second && familyOf(first) === familyOf(second)) {
    const text = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    found.push(invalid(CIDRS, cidrs, text));
  }
}

function validateRangesUpdate(found: Findings, cidrs: readonly string[], before: readonly string[]): void {
  if (cidrs.length === before.length) {
    for (const [index, cidr] of cidrs.entries()) {
      if (cidr !== before[index]) found.push(immutableField(field.index(CIDRS, index), cidr));
    }
  } else if (before.length === 1 && cidrs.length === 2) {
    // A second family may be added.
    if (cidrs[0] !== before[0]) found.push(immutableField(field.index(CIDRS, 0), cidrs[0]));
    validateRanges(found, cidrs);
  } else found.push(immutableField(CIDRS, cidrs));
}

export const serviceCIDRStrategy: KindStrategy<ServiceCIDR> = {
  ...createGenericStrategy<ServiceCIDR>({
    namespaced: false,
    hasStatus: true,
    hasGeneration: false,
    emptyStatus: () => ({}),
  }),
  validate({ metadata, spec }) {
    const found = validateObjectMeta(metadata, RANGE_RULES, 'metadata');
    validateRanges(found, listOf(spec?.cidrs));
    return found;
  },
  validateUpdate({ metadata, spec }, old, subresource) {
    const found = validateObjectMetaUpdate(metadata, old.metadata, 'metadata');
    if (subresource !== 'status') validateRangesUpdate(found, listOf(spec?.cidrs), listOf(old.spec?.cidrs));
    return found;
  },
};
