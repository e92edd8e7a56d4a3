/** Amounts of a Quota: counts of objects, reserved resources, and the longest duration. */
import { duplicate, field, invalid, notSupported, required, typeInvalid } from '../../../kube/field-errors.ts';
import { parseGoDuration } from '../../../kube/go-duration.ts';
import type { Json } from '../../../kube/json.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import { quantityProblem } from '../../../kube/quantity.ts';
import type { QuotaAllocation } from '../../types/korder-v1alpha1.ts';
import { compareAmounts, isNegative, isWhole } from '../../rules/amounts.ts';
import { addTexts, type Findings, lookup } from '../../rules/findings.ts';
import { containerResourceName } from '../pod/validate-resources.ts';

type Amounts = { readonly [name: string]: unknown };

const RESERVED = 'reserved.';
const LONGEST = 'max-duration';
const COUNTED = ['orders', 'tickets'];
const SHARED = [...COUNTED, `${RESERVED}<resource>`];
const NAMES = [...SHARED, LONGEST];

export function validateHard(found: Findings, hard: Json | undefined, path: string): void {
  if (hard === undefined || hard === null) {
    found.push(required(path, `write at least one of ${NAMES.join(', ')}`));
  } else if (typeof hard !== 'object' || Array.isArray(hard)) {
    found.push(typeInvalid(path, hard, 'must be a map of names and amounts'));
  } else {
    const amounts: Amounts = hard as Amounts;
    if (Object.keys(amounts).length === 0) found.push(required(path, `write at least one of ${NAMES.join(', ')}`));
    for (const [name, value] of Object.entries(amounts)) {
      const at = field.key(path, name);
      if (name === LONGEST) validateLongest(found, value, at);
      else validateAmount(found, name, value, NAMES, at);
    }
  }
}

/** A Go duration, or seconds. */
function validateLongest(found: Findings, value: unknown, path: string): void {
  const seconds = typeof value === 'number' ? value : /^[0-9]+$/.test(String(value)) ? Number(value) : undefined;
  const ms = seconds === undefined ? parseGoDuration(String(value)) : seconds * 1000;
  if (ms === undefined || !(ms > 0)) {
    found.push(invalid(path, value, 'must be a duration above zero, such as 24h, or a number of seconds'));
  }
}

function validateAmount(found: Findings, name: string, value: unknown, names: readonly string[], path: string): void {
  const isCounted = COUNTED.includes(name);
  if (name.startsWith(RESERVED)) containerResourceName(found, name.slice(RESERVED.length), path);
  else if (!isCounted) found.push(notSupported(path, name, names));
  if (typeof value !== 'string' && typeof value !== 'number') {
    found.push(typeInvalid(path, value, 'must be an amount, such as 100 or 2Ti'));
    return;
  }
  const problem = quantityProblem(String(value).trim());
  if (problem !== undefined) found.push(invalid(path, value, `${problem}; write an amount, such as 100 or 2Ti`));
  else if (isNegative(value)) found.push(invalid(path, value, 'must be greater than or equal to 0'));
  else if (isCounted && !isWhole(value)) found.push(invalid(path, value, 'must be an integer'));
}

interface Whole {
  readonly hard: Json | undefined;
  /** Namespaces that the scope names; absent: any. */
  readonly listed: readonly string[] | undefined;
}

export function validateAllocation(
  found: Findings,
  allocation: readonly QuotaAllocation[],
  { hard, listed }: Whole,
  path: string,
): void {
  const isMap = typeof hard === 'object' && hard !== null && !Array.isArray(hard);
  const whole: Amounts = isMap ? (hard as Amounts) : {};
  const seen = new Set<string>();
  for (const [index, { namespace, limits = {} }] of allocation.entries()) {
    const at = field.index(path, index);
    if (!namespace) found.push(required(`${at}.namespace`, 'name the namespace that has this share'));
    else addTexts(found, `${at}.namespace`, namespace, dns1123LabelProblems(namespace));
    if (namespace && seen.has(namespace)) found.push(duplicate(`${at}.namespace`, namespace));
    seen.add(namespace);
    if (namespace && listed !== undefined && !listed.includes(namespace)) {
      found.push(invalid(`${at}.namespace`, namespace, 'must be one of spec.scope.namespaces; add it there'));
    }
    if (Object.keys(limits).length === 0)
      found.push(required(`${at}.limits`, `write at least one of ${SHARED.join(', ')}`));
    for (const [name, value] of Object.entries(limits)) {
      validateAmount(found, name, value, SHARED, field.key(`${at}.limits`, name));
      validateShare(found, name, value, lookup(whole, name), field.key(`${at}.limits`, name));
    }
  }
}

function validateShare(found: Findings, name: string, share: string | number, whole: unknown, path: string): void {
  if (typeof whole !== 'string' && typeof whole !== 'number') return;
  if (compareAmounts(share, whole) <= 0) return;
  found.push(invalid(path, share, `must not be above spec.hard[${name}], which is ${whole}`));
}
