/** Small steps that every validator of this room takes: note a finding, run a name rule, check a number. */
import type { FieldError } from '../../kube/field-errors.ts';
import { invalid } from '../../kube/field-errors.ts';

export type Findings = FieldError[];
export type Texts = readonly string[];
export type StringMap = { readonly [key: string]: string };
export type ResourceList = { readonly [key: string]: string | number };

export const has = (map: object | undefined, key: string): boolean => map !== undefined && Object.hasOwn(map, key);

/** The map's own member under an untrusted key, never a member of Object.prototype. */
export function lookup<V>(map: { readonly [key: string]: V } | undefined, key: string): V | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

export function addAll(found: Findings, more: readonly FieldError[]): void {
  for (const error of more) found.push(error);
}

/** One finding for each text, all about the same value. */
export function addTexts(found: Findings, path: string, value: unknown, texts: Texts): void {
  for (const text of texts) found.push(invalid(path, value, text));
}

export function nonNegative(found: Findings, value: number | undefined, path: string): void {
  if (value !== undefined && value < 0) found.push(invalid(path, value, 'must be greater than or equal to 0'));
}

export const rangeText = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

export const MAX_INT32 = 2_147_483_647;

export const isSet = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;

const EMPTY: readonly never[] = [];
export const listOf = <T>(list: readonly T[] | undefined): readonly T[] => list ?? EMPTY;

/** Lists print sorted where Kubernetes keeps them as a set. */
export const sorted = (values: readonly string[]): readonly string[] => values.toSorted();
