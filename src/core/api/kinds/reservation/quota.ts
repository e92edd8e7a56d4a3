/** Quotas: how much may be reserved, by whom. Here: defaults and validation. */
import { duplicate, field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { LabelSelector } from '../../../kube/meta-v1.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import type { Quota, QuotaScope, QuotaSpec, QuotaTimeWindow } from '../../types/korder-v1alpha1.ts';
import { validateConditions } from '../../rules/conditions.ts';
import { addAll, addTexts, type Findings } from '../../rules/findings.ts';
import { selectorFindings } from '../pod/label-keys.ts';
import { isEmptySelector } from '../workloads/template.ts';
import { validateAllocation, validateHard } from './quota-amounts.ts';
import { type ReservationRules, reservationStrategy } from './rules.ts';
import { validateBounds } from './schema-bounds.ts';
import { createdMs, validateSchedule } from './time-rules.ts';

const NO_SPEC: QuotaSpec = Object.freeze({});
const CLUSTER = 'Cluster';

const scopeType = ({ scope }: QuotaSpec): string => scope?.type ?? CLUSTER;

function validateSpec(found: Findings, spec: QuotaSpec, fromMs: number): void {
  validateScope(found, spec.scope ?? {}, scopeType(spec));
  validateHard(found, spec.hard, 'spec.hard');
  const names = new Set<string>();
  for (const [index, window] of (spec.timeWindows ?? []).entries()) {
    validateWindow(found, window, fromMs, names, field.index('spec.timeWindows', index));
  }
  const listed = scopeType(spec) === 'NamespaceList' ? spec.scope?.namespaces : undefined;
  validateAllocation(found, spec.allocation ?? [], { hard: spec.hard, listed }, 'spec.allocation');
}

/** The one member that each type of scope needs. */
const MEMBERS = [
  ['NamespaceSelector', 'namespaceSelector'],
  ['NamespaceList', 'namespaces'],
  ['ObjectSelector', 'objectSelector'],
] as const;

function validateScope(found: Findings, scope: QuotaScope, type: string): void {
  validateBounds(found, 'QuotaScope', scope, 'spec.scope');
  for (const [owner, member] of MEMBERS) {
    const path = `spec.scope.${member}`;
    if (scope[member] === undefined) {
      if (type === owner) found.push(required(path, `type ${type} needs it`));
    } else if (type !== owner) {
      found.push(forbidden(path, `does not go with type ${type}; remove it, or use type ${owner}`));
    }
  }
  validateScopeSelector(found, scope.namespaceSelector, 'spec.scope.namespaceSelector');
  validateScopeSelector(found, scope.objectSelector, 'spec.scope.objectSelector');
  if (scope.namespaces !== undefined) validateNamespaces(found, scope.namespaces, 'spec.scope.namespaces');
}

function validateScopeSelector(found: Findings, selector: LabelSelector | undefined, path: string): void {
  if (selector === undefined) return;
  addAll(found, selectorFindings(selector, path));
  if (isEmptySelector(selector)) {
    found.push(invalid(path, selector, 'an empty selector selects everything; use type Cluster for that'));
  }
}

function validateNamespaces(found: Findings, namespaces: readonly string[], path: string): void {
  if (namespaces.length === 0) found.push(required(path, 'name at least one namespace'));
  for (const [index, name] of namespaces.entries()) {
    const at = field.index(path, index);
    addTexts(found, at, name, dns1123LabelProblems(name));
    if (namespaces.indexOf(name) < index) found.push(duplicate(at, name));
  }
}

function validateWindow(
  found: Findings,
  { name, schedule, multiplier }: QuotaTimeWindow,
  fromMs: number,
  names: Set<string>,
  path: string,
): void {
  if (!name) found.push(required(`${path}.name`, 'the status names the active window'));
  else if (names.has(name)) found.push(duplicate(`${path}.name`, name));
  names.add(name);
  if (!schedule) found.push(required(`${path}.schedule`, 'write when the window begins, such as 0 22 * * *'));
  else validateSchedule(found, schedule, { timeZone: undefined, fromMs }, `${path}.schedule`);
  if (multiplier === undefined) found.push(required(`${path}.multiplier`, 'write a number, such as 1.5'));
  else if (!/^[0-9]+(\.[0-9]+)?$/.test(multiplier) || !(Number(multiplier) > 0)) {
    found.push(invalid(`${path}.multiplier`, multiplier, 'must be a decimal number above zero, such as 1.5'));
  }
}

export const QUOTA_RULES: ReservationRules<Quota> = {
  create({ metadata, spec }) {
    const found: Findings = [];
    validateSpec(found, spec ?? NO_SPEC, createdMs(metadata));
    return found;
  },
  update({ metadata, spec }, old) {
    const found: Findings = [];
    if (deepEqual(spec, old.spec)) return found;
    validateSpec(found, spec ?? NO_SPEC, createdMs(metadata));
    const before = scopeType(old.spec ?? NO_SPEC);
    if (scopeType(spec ?? NO_SPEC) !== before) {
      const text = `field is immutable (it is ${before}); make another Quota`;
      found.push(invalid('spec.scope.type', spec?.scope?.type ?? null, text));
    }
    return found;
  },
  warnings: () => [],
};

function defaults(quota: Quota): Quota {
  const spec = quota.spec ?? NO_SPEC;
  if (spec.scope?.type !== undefined) return quota;
  return withMember(quota, 'spec', withMember(spec, 'scope', { ...spec.scope, type: CLUSTER }));
}

export const quotaStrategy = reservationStrategy<Quota>({
  namespaced: false,
  rules: QUOTA_RULES,
  status: (found, { status }) => addAll(found, validateConditions(status?.conditions, 'status.conditions')),
  defaults,
});
