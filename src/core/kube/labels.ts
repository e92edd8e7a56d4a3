/** Labels and annotations: looking them up, changing them without mutation, and checking them. */
import { compareBytes, utf8Length } from './go-text.ts';
import { invalid, tooLong, type FieldError } from './field-errors.ts';
import { withMetadata } from './immutable.ts';
import { labelValueProblems, qualifiedNameProblems } from './names.ts';
import type { KubeObject } from './objects.ts';

export interface Labels {
  readonly [key: string]: string;
}

/** The label's value. Inherited members are no strings, so `constructor` is as absent as any other key. */
export function labelOf(labels: Labels | undefined, key: string): string | undefined {
  if (labels === undefined) return undefined;
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

/** The object with these labels set; the same object when it already has them. */
export function withLabels<T extends KubeObject>(object: T, labels: Labels): T {
  return withMetadata(object, 'labels', { ...object.metadata.labels, ...labels });
}

/** The object with these annotations set; the same object when it already has them. */
export function withAnnotations<T extends KubeObject>(object: T, annotations: Labels): T {
  return withMetadata(object, 'annotations', { ...object.metadata.annotations, ...annotations });
}

/** `a=1,b=2` by key, as kubectl prints labels; `<none>` when there are none. */
export function formatLabels(labels: Labels | undefined): string {
  const keys = Object.keys(labels ?? {}).toSorted(compareBytes);
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels?.[key] ?? ''}`).join(',');
}

export const validateLabelName = (name: string, path: string): readonly FieldError[] =>
  qualifiedNameProblems(name).map((problem) => invalid(path, name, problem));

/** Upstream walks a map in random order; here the order is that of the keys. */
export function validateLabels(labels: Labels | undefined, path: string): readonly FieldError[] {
  if (labels === undefined) return [];
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...validateLabelName(key, path));
    for (const problem of labelValueProblems(value)) errors.push(invalid(path, value, problem));
  }
  return errors;
}

const MAX_ANNOTATION_BYTES = 256 * 1024;

export function validateAnnotations(annotations: Labels | undefined, path: string): readonly FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  let total = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // The prefix of an annotation key is case-insensitive, unlike that of a label key.
    for (const problem of qualifiedNameProblems(key.toLowerCase())) errors.push(invalid(path, key, problem));
    total += utf8Length(key) + utf8Length(value);
  }
  if (total > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
  return errors;
}
