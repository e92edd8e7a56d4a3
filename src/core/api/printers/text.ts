/** How values are worded in cells: ages, labels, selectors, shortened lists. */
import type { LabelSelector, ObjectMeta } from '../../kube/meta-v1.ts';
import { humanDuration } from '../../kube/time.ts';

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

/** Age of a moment; `<unknown>` where there is none. */
export function since(time: string | null | undefined, now: number): string {
  if (!time) return UNKNOWN;
  const then = Date.parse(time);
  return Number.isNaN(then) ? UNKNOWN : humanDuration(now - then);
}

export const age = (object: { readonly metadata: ObjectMeta }, now: number): string =>
  since(object.metadata.creationTimestamp, now);

/** `a=1,b=2`, sorted by key. */
export function labelsText(labels: { readonly [key: string]: string } | undefined): string {
  if (!labels) return NONE;
  const keys = Object.keys(labels).toSorted(compareText);
  return keys.length === 0 ? NONE : keys.map((key) => `${key}=${labels[key]}`).join(',');
}

/** Byte order, as Go sorts strings; for the ASCII that keys are made of, code unit order is the same. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A selector in its one-line form, or undefined where it could not select anything meaningfully. */
export function selectorText(selector: LabelSelector | undefined): string | undefined {
  if (!selector) return '';
  const parts: { key: string; text: string }[] = [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  for (const key of Object.keys(matchLabels)) parts.push({ key, text: `${key}=${matchLabels[key]}` });
  for (const { key, operator, values = [] } of matchExpressions) {
    const list = `(${[...values].toSorted(compareText).join(',')})`;
    if (operator === 'Exists' && values.length === 0) parts.push({ key, text: key });
    else if (operator === 'DoesNotExist' && values.length === 0) parts.push({ key, text: `!${key}` });
    else if (operator === 'In' && values.length > 0) parts.push({ key, text: `${key} in ${list}` });
    else if (operator === 'NotIn' && values.length > 0) parts.push({ key, text: `${key} notin ${list}` });
    else return undefined;
  }
  return parts
    .toSorted((a, b) => compareText(a.key, b.key))
    .map((part) => part.text)
    .join(',');
}

export const selectorCell = (selector: LabelSelector | undefined): string => {
  const line = selectorText(selector);
  if (line === undefined) return '<error>';
  return line === '' ? NONE : line;
};

/** The first three, and how many more there are. */
export function shortList(items: readonly string[], whenEmpty: string, shown = 3): string {
  if (items.length > shown) return `${items.slice(0, shown).join(',')} + ${items.length - shown} more...`;
  const line = items.join(',');
  return line === '' ? whenEmpty : line;
}

export interface NamedImage {
  readonly name: string;
  readonly image?: string;
}

export const namesText = (containers: readonly NamedImage[] | undefined): string =>
  (containers ?? []).map(({ name }) => name).join(',');

export const imagesText = (containers: readonly NamedImage[] | undefined): string =>
  (containers ?? []).map(({ image }) => image ?? '').join(',');

/** A quantity as it is written; the decoder has put it into canonical form already. */
export const quantityText = (value: string | number | undefined): string => (value === undefined ? '0' : String(value));

interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

export function conditionStatus(conditions: readonly ConditionLike[] | undefined, type: string): string | undefined {
  return conditions?.find((condition) => condition.type === type)?.status;
}
