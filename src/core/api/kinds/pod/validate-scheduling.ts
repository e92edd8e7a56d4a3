/** Tolerations, spreading over the cluster, and gates before scheduling. */
import { duplicate, field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { parseInt64 } from '../../../kube/go-text.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../../kube/names.ts';
import { decimalIntegerProblems } from '../../../kube/value-formats.ts';
import type { PodSchedulingGate, Toleration, TopologySpreadConstraint } from '../../types/core-v1.ts';
import { validateLabelName } from '../../rules/metadata.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts } from '../../rules/findings.ts';
import { legacyMatchLabelKeysFindings, matchLabelKeysFindings, selectorFindings } from './label-keys.ts';
import { subtreeMemo } from '../../rules/memo.ts';
import type { PodOptions } from './options.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const fineTolerations = subtreeMemo<readonly Toleration[], true>();

export function validateTolerations(
  found: Findings,
  tolerations: readonly Toleration[],
  options: PodOptions,
  path: string,
): void {
  if (fineTolerations.get(tolerations)) return;
  const before = found.length;
  for (let index = 0; index < tolerations.length; index++) {
    validateToleration(found, tolerations[index] as Toleration, options, field.index(path, index));
  }
  if (found.length === before && !options.allowComparisonTolerations) fineTolerations.offer(tolerations, true);
}

function validateToleration(found: Findings, toleration: Toleration, options: PodOptions, path: string): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  if (key !== '') addAll(found, validateLabelName(key, `${path}.key`));
  else if (operator !== 'Exists') {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    found.push(invalid(`${path}.operator`, operator, text));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    found.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  validateTolerationValue(found, operator, value, options, path);
  if (effect !== '' && !EFFECTS.includes(effect)) found.push(notSupported(`${path}.effect`, effect, EFFECTS));
}

/** Findings about the value stand at the operator: Kubernetes puts them there. */
function validateTolerationValue(
  found: Findings,
  operator: string,
  value: string,
  options: PodOptions,
  path: string,
): void {
  const at = `${path}.operator`;
  switch (operator) {
    case '':
    case 'Equal': {
      const texts = labelValueProblems(value);
      if (texts.length > 0) found.push(invalid(at, value, texts.join(';')));
      return;
    }
    case 'Exists':
      if (value !== '') found.push(invalid(at, value, "value must be empty when `operator` is 'Exists'"));
      return;
    case 'Lt':
    case 'Gt': {
      if (!options.allowComparisonTolerations) {
        found.push(notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt']));
        return;
      }
      addTexts(found, `${path}.value`, value, decimalIntegerProblems(value));
      const parsed = parseInt64(value);
      if (!parsed.ok) found.push(invalid(`${path}.value`, value, parsed.error));
      return;
    }
    default:
      found.push(notSupported(at, operator, ['Equal', 'Exists']));
  }
}

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSIONS = ['Honor', 'Ignore'];

export function validateTopologySpread(
  found: Findings,
  constraints: readonly Partial<TopologySpreadConstraint>[],
  options: PodOptions,
  path: string,
): void {
  // From the back, so that each constraint knows which kinds come after it.
  const later = new Set<string>();
  const repeated = constraints.map(() => false);
  for (let index = constraints.length - 1; index >= 0; index--) {
    const kind = kindOf(constraints[index] ?? {});
    repeated[index] = later.has(kind);
    later.add(kind);
  }
  for (const [index, constraint] of constraints.entries()) {
    const at = field.index(path, index);
    const { maxSkew = 0, topologyKey, whenUnsatisfiable = '' } = constraint;
    if (maxSkew <= 0) found.push(invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (!topologyKey) found.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!ACTIONS.includes(whenUnsatisfiable)) {
      found.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ACTIONS));
    }
    if (repeated[index]) found.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, kindOf(constraint)));
    validateConstraintDetails(found, constraint, options, at);
  }
}

const kindOf = ({ topologyKey = '', whenUnsatisfiable = '' }: Partial<TopologySpreadConstraint>): string =>
  `{${topologyKey}, ${whenUnsatisfiable}}`;

function validateConstraintDetails(
  found: Findings,
  constraint: Partial<TopologySpreadConstraint>,
  options: PodOptions,
  path: string,
): void {
  const { minDomains, whenUnsatisfiable = '', labelSelector, matchLabelKeys } = constraint;
  if (minDomains !== undefined) {
    const at = `${path}.minDomains`;
    if (minDomains <= 0) found.push(invalid(at, minDomains, 'must be greater than zero'));
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      found.push(invalid(at, minDomains, text));
    }
  }
  for (const key of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[key];
    if (policy !== undefined && !INCLUSIONS.includes(policy)) {
      found.push(notSupported(`${path}.${key}`, policy, INCLUSIONS));
    }
  }
  if (options.oldMatchLabelKeysAreInvalid) {
    addAll(found, legacyMatchLabelKeysFindings(matchLabelKeys, labelSelector, `${path}.matchLabelKeys`));
  } else addAll(found, matchLabelKeysFindings(matchLabelKeys, undefined, labelSelector, path));
  if (!options.allowInvalidSpreadSelectors) {
    addAll(found, selectorFindings(labelSelector, `${path}.labelSelector`));
  }
}

export function validateSchedulingGates(found: Findings, gates: readonly PodSchedulingGate[], path: string): void {
  const seen = new Set<string>();
  for (const [index, { name = '' }] of gates.entries()) {
    const at = field.index(path, index);
    addTexts(found, at, name, qualifiedNameProblems(name));
    if (seen.has(name)) found.push(duplicate(at, name));
    seen.add(name);
  }
}

export function validateOnlyRemovedGates(
  found: Findings,
  gates: readonly PodSchedulingGate[],
  old: readonly PodSchedulingGate[],
  path: string,
): void {
  const known = new Set(old.map(({ name }) => name));
  const added = new Map(gates.map(({ name }, index) => [name, index]));
  for (const [name, index] of added) {
    if (known.has(name)) continue;
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    found.push(forbidden(`${path}[${index}].name`, text));
  }
}
