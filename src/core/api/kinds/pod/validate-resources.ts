/** Requests and limits: names, values, and how the two go together. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { duplicate, field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { dns1123LabelProblems, qualifiedNameProblems } from '../../../kube/names.ts';
import type { Container, PodSpec, ResourceClaim, ResourceRequirements } from '../../types/core-v1.ts';
import { amountText, compareAmounts, isNegative, isWhole, isWholeMultiple } from '../../rules/amounts.ts';
import { aggregate, isPodLevelResource } from './defaults/default-pod-resources.ts';
import type { Findings, ResourceList } from '../../rules/findings.ts';
import { addTexts, has, listOf, lookup, sorted } from '../../rules/findings.ts';
import {
  allowsOvercommit,
  hugePageSize,
  isContainerResource,
  isExtended,
  isHugePages,
  isNative,
  isStandard,
  isWholeNumbered,
} from '../../rules/resource-names.ts';

type NameRule = (found: Findings, name: string, path: string) => void;

/** True if the name is valid as the name of any resource. */
function validateResourceName(found: Findings, name: string, path: string): boolean {
  const texts = qualifiedNameProblems(name);
  addTexts(found, path, name, texts);
  if (texts.length > 0) return false;
  if (name.includes('/') || isStandard(name)) return true;
  found.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  return false;
}

export const containerResourceName: NameRule = (found, name, path) => {
  validateResourceName(found, name, path);
  if (!name.includes('/')) {
    if (!isContainerResource(name)) found.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNative(name) && !isExtended(name)) {
    found.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
};

const podResourceName: NameRule = (found, name, path) => {
  if (validateResourceName(found, name, path) && !isPodLevelResource(name)) {
    found.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']));
  }
};

/** A quantity that is not negative, and whole where only whole ones make sense. */
function validateQuantity(found: Findings, name: string, value: string | number, path: string): void {
  if (isNegative(value)) found.push(invalid(path, amountText(value), 'must be greater than or equal to 0'));
  if (isWholeNumbered(name) && !isWhole(value)) found.push(invalid(path, amountText(value), 'must be an integer'));
}

const isComputeName = (name: string): boolean => name === 'cpu' || name === 'memory';

export interface ResourceContext {
  readonly allowIndivisibleHugePages: boolean;
  /** Names under spec.resourceClaims. */
  readonly claims: ReadonlySet<string> | undefined;
}

export function validateContainerResources(
  found: Findings,
  resources: ResourceRequirements | undefined,
  context: ResourceContext,
  path: string,
): void {
  if (resources !== undefined) validateRequirements(found, resources, containerResourceName, context, path);
}

/** The overhead of a RuntimeClass is validated like limits. */
export function validateOverhead(found: Findings, limits: ResourceList, context: ResourceContext, path: string): void {
  validateRequirements(found, { limits }, containerResourceName, context, path);
}

function validateRequirements(
  found: Findings,
  { limits, requests, claims }: ResourceRequirements,
  nameRule: NameRule,
  context: ResourceContext,
  path: string,
): void {
  let compute = false;
  let hugePages = false;
  const validateEntry = (name: string, value: string | number, at: string): void => {
    nameRule(found, name, at);
    validateQuantity(found, name, value, at);
    compute ||= isComputeName(name);
  };
  const validateHugePages = (name: string, value: string | number, at: string): void => {
    if (!isHugePages(name)) return;
    hugePages = true;
    if (!context.allowIndivisibleHugePages && !isWholeMultiple(value, hugePageSize(name))) {
      const text = amountText(value);
      found.push(invalid(at, text, `${text} is not positive integer multiple of ${name}`));
    }
  };
  for (const name in limits) {
    const value = limits[name] ?? '0';
    const at = field.key(`${path}.limits`, name);
    validateEntry(name, value, at);
    validateHugePages(name, value, at);
  }
  for (const name in requests) {
    const value = requests[name] ?? '0';
    const at = field.key(`${path}.requests`, name);
    validateEntry(name, value, at);
    validateAgainstLimit(found, name, value, lookup(limits, name), path);
    validateHugePages(name, value, at);
  }
  if (hugePages && !compute) found.push(forbidden(path, 'HugePages require cpu or memory'));
  if (claims !== undefined) validateClaimNames(found, claims, context.claims, `${path}.claims`);
}

function validateAgainstLimit(
  found: Findings,
  name: string,
  request: string | number,
  limit: string | number | undefined,
  path: string,
): void {
  if (limit === undefined) {
    if (allowsOvercommit(name)) return;
    found.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
    return;
  }
  if (limit === request) return;
  const order = compareAmounts(request, limit);
  const text = amountText(request);
  if (order !== 0 && !allowsOvercommit(name)) {
    found.push(invalid(`${path}.requests`, text, `must be equal to ${name} limit of ${amountText(limit)}`));
  } else if (order > 0) {
    found.push(
      invalid(`${path}.requests`, text, `must be less than or equal to ${name} limit of ${amountText(limit)}`),
    );
  }
}

function validateClaimNames(
  found: Findings,
  claims: readonly ResourceClaim[],
  known: ReadonlySet<string> | undefined,
  path: string,
): void {
  const whole = new Set<string>();
  const parts = new Map<string, Set<string>>();
  for (const [index, { name = '', request = '' }] of claims.entries()) {
    const at = field.index(path, index);
    if (name === '') {
      found.push(required(at, ''));
      continue;
    }
    const requested = parts.get(name) ?? new Set();
    if (whole.has(name)) found.push(duplicate(at, name));
    else if (request === '') {
      for (let repeats = 0; repeats < requested.size; repeats++) found.push(duplicate(at, name));
      whole.add(name);
    } else {
      addTexts(found, field.child(at, 'request'), request, dns1123LabelProblems(request));
      if (requested.has(request)) found.push(duplicate(at, `${name}/${request}`));
      parts.set(name, requested.add(request));
    }
    if (!known?.has(name)) found.push(unknownClaim(at, name, known));
  }
}

function unknownClaim(path: string, name: string, known: ReadonlySet<string> | undefined): FieldError {
  const names = known === undefined || known.size === 0 ? ' which is empty' : `: ${sorted([...known]).join(', ')}`;
  return {
    type: 'FieldValueNotFound',
    field: path,
    message: `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${names}`,
  };
}

/** Resources of the pod as a whole, which must leave room for its containers. */
export function validatePodLevelResources(
  found: Findings,
  spec: PodSpec,
  context: ResourceContext,
  path: string,
): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const at = field.child(path, 'resources');
  if (spec.os?.name === 'windows') {
    found.push(forbidden(at, 'may not be set for a windows pod'));
    return;
  }
  if (resources.claims !== undefined) {
    found.push(forbidden(field.child(at, 'claims'), 'claims may not be set for Resources at pod-level'));
  }
  validateRequirements(found, resources, podResourceName, context, at);
  validateRoom(found, spec, resources, at);
}

function validateRoom(found: Findings, spec: PodSpec, { limits, requests }: ResourceRequirements, path: string): void {
  for (const [name, total] of aggregate(spec, (resources) => resources?.requests)) {
    const own = lookup(requests, name);
    if (own === undefined || compareAmounts(total, own) <= 0) continue;
    const text = `must be greater than or equal to aggregate container requests of ${amountText(total)}`;
    found.push(invalid(field.key(`${path}.requests`, name), amountText(own), text));
  }
  for (const [name, total] of aggregate(spec, (resources) => resources?.limits)) {
    const own = lookup(limits, name);
    if (!isHugePages(name) || own === undefined || compareAmounts(total, own) <= 0) continue;
    const text = `must be greater than or equal to aggregate container limits of ${amountText(total)}`;
    found.push(invalid(field.key(`${path}.limits`, name), amountText(own), text));
  }
  for (const [index, { resources }] of listOf(spec.containers).entries()) {
    for (const name of Object.keys(resources?.limits ?? {})) {
      const value = lookup(resources?.limits, name) ?? '0';
      const own = lookup(limits, name);
      if (own === undefined || compareAmounts(value, own) <= 0) continue;
      const at = field.child(field.key(field.index(`${path}.containers`, index), name), 'limits');
      found.push(invalid(at, amountText(value), `must be less than or equal to pod limits of ${amountText(own)}`));
    }
  }
}

type WithResources = Pick<Container, 'resources'>;

const indivisible = (list: ResourceList | undefined): boolean =>
  Object.keys(list ?? {}).some(
    (name) => isHugePages(name) && has(list, name) && !isWholeMultiple(list?.[name] ?? '0', hugePageSize(name)),
  );

export function usesIndivisibleHugePages(spec: PodSpec, containers: readonly WithResources[]): boolean {
  return (
    indivisible(spec.overhead) ||
    containers.some(({ resources }) => indivisible(resources?.limits) || indivisible(resources?.requests))
  );
}
