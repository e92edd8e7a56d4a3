/** Values that the two published shapes of a field both give. They may repeat each other, not contradict each other. */
import { invalid } from '../../../kube/field-errors.ts';
import type { Findings } from '../../rules/findings.ts';

export interface Given<T> {
  readonly path: string;
  readonly value: T | undefined;
}

/** @param read makes two spellings of one value equal; a value that it cannot read has a finding of its own. */
export function validateAgree<T extends string | number>(
  found: Findings,
  canonical: Given<T>,
  other: Given<T>,
  read: (value: T) => unknown = (value) => value,
): void {
  if (canonical.value === undefined || other.value === undefined || canonical.value === other.value) return;
  const [first, second] = [read(canonical.value), read(other.value)];
  if (first === undefined || second === undefined || first === second) return;
  const text = `contradicts ${canonical.path}, which is ${canonical.value}; remove one of the two`;
  found.push(invalid(other.path, other.value, text));
}
