import { duplicate, type FieldError, field, forbidden, invalid, required } from '../../kube/field-errors.ts';
import { withMember } from '../../kube/immutable.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../kube/names.ts';
import { approximateValue, quantityFromJson } from '../../kube/quantity.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { LimitRange, LimitRangeItem } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { mapped } from '../rules/objects.ts';
import { type Amount, amountText, compareAmounts } from '../rules/quantities.ts';
import { roundedList } from '../rules/amounts.ts';
import { allowsOvercommit, isContainerResource, isExtended, isNative } from '../rules/resource-names.ts';
import { validateResourceName } from './resource-quota.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

type Amounts = { readonly [name: string]: Amount };

/** Container limits default to the maximum, requests to the limits, else to the minimum. */
function defaultItem(item: LimitRangeItem): LimitRangeItem {
  if (item.type !== 'Container') return item;
  const limits: Amounts = { ...item.max, ...item.default };
  const requests: Amounts = { ...item.min, ...limits, ...item.defaultRequest };
  return {
    ...item,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
}

function validateType(type: string, path: string): readonly FieldError[] {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return problems.map((text) => invalid(path, type, text));
  if (type.includes('/') || TYPES.has(type)) return [];
  return [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateName(type: string, name: string, path: string): readonly FieldError[] {
  const errors = [...validateResourceName(name, path)];
  if (type !== 'Pod' && type !== 'Container') return errors;
  if (!name.includes('/') && !isContainerResource(name)) {
    errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNative(name) && !isExtended(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

const greater = (a: Amount | undefined, b: Amount | undefined): boolean =>
  a !== undefined && b !== undefined && compareAmounts(a, b) > 0;

/** Minimum, defaults and maximum of one resource must stand in that order. */
function validateOrder(item: LimitRangeItem, name: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const podwide = item.type === 'Pod';
  const of = (amounts: Amounts | undefined): Amount | undefined =>
    amounts && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  const min = of(item.min);
  const max = of(item.max);
  const limit = podwide ? undefined : of(item.default);
  const request = podwide ? undefined : of(item.defaultRequest);
  const ratio = of(item.maxLimitRequestRatio);
  const complain = (part: string, value: Amount | undefined, text: string): void =>
    void errors.push(invalid(field.key(field.child(path, part), name), amountText(value), text));
  const t = amountText;
  if (greater(min, max)) complain('min', min, `min value ${t(min)} is greater than max value ${t(max)}`);
  if (greater(min, request)) {
    complain('defaultRequest', request, `min value ${t(min)} is greater than default request value ${t(request)}`);
  }
  if (greater(request, max)) {
    complain('defaultRequest', request, `default request value ${t(request)} is greater than max value ${t(max)}`);
  }
  if (greater(request, limit)) {
    const text = `default request value ${t(request)} is greater than default limit value ${t(limit)}`;
    complain('defaultRequest', request, text);
  }
  if (greater(min, limit)) complain('default', min, `min value ${t(min)} is greater than default value ${t(limit)}`);
  if (greater(limit, max)) complain('default', max, `default value ${t(limit)} is greater than max value ${t(max)}`);
  if (ratio !== undefined) {
    if (compareAmounts(ratio, 1) < 0) complain('maxLimitRequestRatio', ratio, `ratio ${t(ratio)} is less than 1`);
    if (min !== undefined && max !== undefined) {
      const widest = approximateValue(quantityFromJson(max)) / approximateValue(quantityFromJson(min));
      if (approximateValue(quantityFromJson(ratio)) > widest) {
        complain('maxLimitRequestRatio', ratio, `ratio ${t(ratio)} is greater than max/min = ${widest.toFixed(6)}`);
      }
    }
  }
  if (!allowsOvercommit(name) && limit !== undefined && request !== undefined && compareAmounts(limit, request) !== 0) {
    const text = `default value ${t(limit)} must equal to defaultRequest value ${t(request)} in ${name}`;
    complain('defaultRequest', request, text);
  }
  return errors;
}

function validateItem(item: LimitRangeItem, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const type = item.type ?? '';
  const check = (part: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'): void => {
    for (const name of Object.keys(item[part] ?? {})) {
      append(errors, validateName(type, name, field.key(field.child(path, part), name)));
      names.add(name);
    }
  };
  check('max');
  check('min');
  if (type === 'Pod') {
    for (const part of ['default', 'defaultRequest'] as const) {
      if (Object.keys(item[part] ?? {}).length === 0) continue;
      errors.push(forbidden(field.child(path, part), "may not be specified when `type` is 'Pod'"));
    }
  } else {
    check('default');
    check('defaultRequest');
  }
  if (type === 'PersistentVolumeClaim' && item.min?.['storage'] === undefined && item.max?.['storage'] === undefined) {
    const why = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(field.child(path, 'limits'), why));
  }
  check('maxLimitRequestRatio');
  for (const name of names) append(errors, validateOrder(item, name, path));
  return errors;
}

function validate(range: LimitRange): FieldError[] {
  const errors = validateObjectMeta(range.metadata, RULES, 'metadata');
  const seen = new Set<string>();
  for (const [index, item] of (range.spec?.limits ?? []).entries()) {
    const path = field.index('spec.limits', index);
    const type = item.type ?? '';
    append(errors, validateType(type, field.child(path, 'type')));
    if (seen.has(type)) errors.push(duplicate(field.child(path, 'type'), type));
    seen.add(type);
    append(errors, validateItem(item, path));
  }
  return errors;
}

const LISTS = ['default', 'defaultRequest', 'max', 'min', 'maxLimitRequestRatio'] as const;

/** Amounts finer than a thousandth are rounded up. */
const rounded = (item: LimitRangeItem): LimitRangeItem =>
  LISTS.reduce((result, key) => withMember(result, key, roundedList(result[key])), item);

export const limitRangeStrategy: KindStrategy<LimitRange> = {
  ...createGenericStrategy<LimitRange>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  defaults(range) {
    const limits = range.spec?.limits;
    if (!limits) return range;
    const filled = mapped(limits, (item) => defaultItem(rounded(item)));
    return filled === limits ? range : { ...range, spec: { ...range.spec, limits: filled } };
  },
  validate,
  validateUpdate: (range, old) => [
    ...validate(range),
    ...validateObjectMetaUpdate(range.metadata, old.metadata, 'metadata'),
  ],
  allowCreateOnUpdate: true,
};
