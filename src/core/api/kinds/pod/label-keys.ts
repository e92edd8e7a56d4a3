/** Label selectors as pods carry them, and the keys that are merged into them from the pod's own labels. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { field, forbidden, invalid } from '../../../kube/field-errors.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../../kube/meta-v1.ts';
import type { LabelSelectorOptions } from '../../rules/metadata.ts';
import { validateLabelName, validateLabelSelector } from '../../rules/metadata.ts';
import { addAll, listOf } from '../../rules/findings.ts';

type Keys = readonly string[] | undefined;

type LooseRequirement = Partial<LabelSelectorRequirement>;

const isWhole = ({ key, operator }: LooseRequirement): boolean => key !== undefined && operator !== undefined;

/** A requirement that leaves out its key or operator is judged as if it had left it empty. */
export function selectorFindings(
  selector: LabelSelector | undefined,
  path: string,
  options: LabelSelectorOptions = {},
): readonly FieldError[] {
  const expressions = selector?.matchExpressions;
  if (expressions === undefined || expressions.every(isWhole)) return validateLabelSelector(selector, path, options);
  const whole = expressions.map((expression) => Object.assign({ key: '', operator: '' }, expression));
  return validateLabelSelector({ ...selector, matchExpressions: whole }, path, options);
}

export const hasInvalidSelector = (selector: LabelSelector | undefined): boolean =>
  selector !== undefined && selectorFindings(selector, '').length > 0;

export function matchLabelKeysFindings(
  matching: Keys,
  mismatching: Keys,
  selector: LabelSelector | undefined,
  path: string,
): readonly FieldError[] {
  const found: FieldError[] = [];
  addKeys(found, matching, selector, field.child(path, 'matchLabelKeys'));
  addKeys(found, mismatching, selector, field.child(path, 'mismatchLabelKeys'));
  if (selector !== undefined) addRepeated(found, listOf(matching), selector, path);
  for (const [index, key] of listOf(matching).entries()) {
    if (!listOf(mismatching).includes(key)) continue;
    const at = field.index(field.child(path, 'matchLabelKeys'), index);
    found.push(invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  }
  return found;
}

function addKeys(found: FieldError[], keys: Keys, selector: LabelSelector | undefined, path: string): void {
  if (keys === undefined || keys.length === 0) return;
  if (selector === undefined) found.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  else for (const [index, key] of keys.entries()) addAll(found, validateLabelName(key, field.index(path, index)));
}

/** `matchLabelKeys` are merged into the selector by now, so a key that occurs twice was also written by the client. */
function addRepeated(found: FieldError[], keys: readonly string[], selector: LabelSelector, path: string): void {
  if (keys.length === 0) return;
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  for (const { key } of listOf(selector.matchExpressions)) {
    if (seen.has(key) && keys.includes(key)) {
      const at = field.index(path, keys.lastIndexOf(key));
      found.push(invalid(at, key, 'exists in both matchLabelKeys and labelSelector'));
    }
    seen.add(key);
  }
}

/** The rule from before keys were merged into selectors, for constraints that were stored under that rule. */
export function legacyMatchLabelKeysFindings(
  keys: Keys,
  selector: LabelSelector | undefined,
  path: string,
): readonly FieldError[] {
  if (keys === undefined || keys.length === 0) return [];
  const found: FieldError[] = [];
  const known = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...listOf(selector?.matchExpressions).map(({ key }) => key),
  ]);
  if (selector === undefined) found.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  for (const [index, key] of keys.entries()) {
    addAll(found, validateLabelName(key, field.index(path, index)));
    if (known.has(key)) {
      found.push(invalid(field.index(path, index), key, 'exists in both matchLabelKeys and labelSelector'));
    }
  }
  return found;
}
