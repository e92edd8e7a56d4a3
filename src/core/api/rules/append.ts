import type { FieldError } from '../../kube/field-errors.ts';

/** Adds all of `more`, without a spread that large lists would overflow. */
export function append(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) errors.push(error);
}
