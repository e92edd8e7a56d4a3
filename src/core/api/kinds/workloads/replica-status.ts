/** Counts of replicas in a status: none negative, no part greater than the whole. */
import { invalid } from '../../../kube/field-errors.ts';
import type { Findings } from '../../rules/findings.ts';
import { nonNegative } from '../../rules/findings.ts';

export type Counts<K extends string> = { readonly [key in K]?: number };

export function validateCounts<K extends string>(found: Findings, counts: Counts<K>, keys: readonly K[]): void {
  for (const key of keys) nonNegative(found, counts[key], `status.${key}`);
}

export function validatePartsOf<K extends string>(
  found: Findings,
  counts: Counts<K>,
  whole: number | undefined,
  parts: readonly K[],
): void {
  for (const key of parts) {
    const count = counts[key] ?? 0;
    if (count > (whole ?? 0)) found.push(invalid(`status.${key}`, count, 'cannot be greater than status.replicas'));
  }
}

export function validateAvailable(
  found: Findings,
  available: number | undefined,
  ready: number | undefined,
  readyName = 'readyReplicas',
): void {
  if ((available ?? 0) > (ready ?? 0)) {
    found.push(invalid('status.availableReplicas', available ?? 0, `cannot be greater than ${readyName}`));
  }
}

/** Names are made from this count, so it only grows. */
export function validateNotDecremented(found: Findings, count: number | undefined, old: number | undefined): void {
  if (old !== undefined && (count === undefined || count < old)) {
    found.push(invalid('status.collisionCount', count ?? 0, 'cannot be decremented'));
  }
}
