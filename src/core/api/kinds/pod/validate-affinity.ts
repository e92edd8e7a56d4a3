/** Affinity to nodes and to other pods. */
import { field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { labelValueProblems, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../kube/names.ts';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../types/core-v1.ts';
import { validateLabelName } from '../../rules/metadata.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, listOf } from '../../rules/findings.ts';
import { matchLabelKeysFindings, selectorFindings } from './label-keys.ts';
import type { PodOptions } from './options.ts';

export function validateAffinity(found: Findings, affinity: Affinity, options: PodOptions, path: string): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) {
    validateNodeAffinity(found, nodeAffinity, options.allowInvalidNodeAffinityValues, `${path}.nodeAffinity`);
  }
  const allow = options.allowInvalidSelectorValues;
  if (podAffinity !== undefined) validatePodAffinity(found, podAffinity, allow, `${path}.podAffinity`);
  if (podAntiAffinity !== undefined) validatePodAffinity(found, podAntiAffinity, allow, `${path}.podAntiAffinity`);
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function validateWeight(found: Findings, weight: number, path: string): void {
  if (weight === undefined || weight <= 0 || weight > 100) {
    found.push(invalid(`${path}.weight`, weight ?? 0, 'must be in the range 1-100'));
  }
}

function validateNodeAffinity(found: Findings, affinity: NodeAffinity, allowValues: boolean, path: string): void {
  const hard = affinity[REQUIRED];
  if (hard !== undefined) validateNodeSelector(found, hard, allowValues, `${path}.${REQUIRED}`);
  for (const [index, { weight, preference }] of listOf(affinity[PREFERRED]).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(found, weight, at);
    // A preference with a value no label can have does no harm.
    validateNodeTerm(found, preference ?? {}, true, `${at}.preference`);
  }
}

export function validateNodeSelector(
  found: Findings,
  selector: NodeSelector,
  allowValues: boolean,
  path: string,
): void {
  const terms = listOf(selector.nodeSelectorTerms);
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) found.push(required(at, 'must have at least one node selector term'));
  for (let index = 0; index < terms.length; index++) {
    validateNodeTerm(found, terms[index] as NodeSelectorTerm, allowValues, field.index(at, index));
  }
}

function validateNodeTerm(found: Findings, term: NodeSelectorTerm, allowValues: boolean, path: string): void {
  const { matchExpressions, matchFields } = term;
  if (matchExpressions !== undefined) {
    for (const [index, requirement] of matchExpressions.entries()) {
      validateNodeRequirement(found, requirement, allowValues, `${path}.matchExpressions[${index}]`);
    }
  }
  if (matchFields !== undefined) {
    for (const [index, requirement] of matchFields.entries()) {
      validateFieldRequirement(found, requirement, `${path}.matchFields[${index}]`);
    }
  }
}

function validateNodeRequirement(
  found: Findings,
  { key = '', operator = '', values }: Partial<NodeSelectorRequirement>,
  allowValues: boolean,
  path: string,
): void {
  const count = listOf(values).length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) {
        found.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) {
        found.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (count !== 1) {
        found.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  addAll(found, validateLabelName(key, `${path}.key`));
  if (allowValues) return;
  for (const [index, value] of listOf(values).entries()) {
    addTexts(found, `${path}.values[${index}]`, value, labelValueProblems(value));
  }
}

/** The one field of a node that can be matched is its name: how daemon pods find their node. */
function validateFieldRequirement(
  found: Findings,
  { key = '', operator = '', values }: Partial<NodeSelectorRequirement>,
  path: string,
): void {
  if (operator !== 'In' && operator !== 'NotIn') {
    found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (listOf(values).length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    found.push(required(`${path}.values`, text));
  }
  if (key !== 'metadata.name') {
    found.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
    return;
  }
  const names = listOf(values);
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? '';
    const texts = nameIsDnsSubdomain(name, false);
    if (texts.length > 0) addTexts(found, `${path}.values[${index}]`, name, texts);
  }
}

function validatePodAffinity(found: Findings, affinity: PodAffinity, allowValues: boolean, path: string): void {
  for (const [index, term] of listOf(affinity[REQUIRED]).entries()) {
    validatePodTerm(found, term, allowValues, `${path}.${REQUIRED}[${index}]`);
  }
  for (const [index, { weight, podAffinityTerm }] of listOf(affinity[PREFERRED]).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(found, weight, at);
    validatePodTerm(found, podAffinityTerm ?? {}, allowValues, `${at}.podAffinityTerm`);
  }
}

function validatePodTerm(
  found: Findings,
  term: Partial<PodAffinityTerm>,
  allowInvalidValues: boolean,
  path: string,
): void {
  const { labelSelector, namespaceSelector, namespaces, matchLabelKeys, mismatchLabelKeys, topologyKey = '' } = term;
  addAll(found, selectorFindings(labelSelector, `${path}.labelSelector`, { allowInvalidValues }));
  addAll(found, selectorFindings(namespaceSelector, `${path}.namespaceSelector`, { allowInvalidValues }));
  for (const name of listOf(namespaces)) addTexts(found, `${path}.namespace`, name, nameIsDnsLabel(name, false));
  addAll(found, matchLabelKeysFindings(matchLabelKeys, mismatchLabelKeys, labelSelector, path));
  if (topologyKey === '') found.push(required(`${path}.topologyKey`, 'can not be empty'));
  addAll(found, validateLabelName(topologyKey, `${path}.topologyKey`));
}
