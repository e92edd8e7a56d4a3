/** Amounts by resource name, as quotas add and compare them. */
import type { ResourceList } from '../../api/rules/findings.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZero,
  type Quantity,
  quantityFromJson,
  subtractQuantities,
  ZERO,
} from '../../kube/quantity.ts';

export type Usage = ReadonlyMap<string, Quantity>;

export const NOTHING: Usage = new Map();

/** An unreadable quantity counts as zero; validation refused it long ago. */
export function readUsage(list: ResourceList | undefined): Usage {
  if (list === undefined) return NOTHING;
  const usage = new Map<string, Quantity>();
  for (const name of Object.keys(list)) {
    try {
      usage.set(name, quantityFromJson(list[name]));
    } catch {
      usage.set(name, ZERO);
    }
  }
  return usage;
}

export function addTo(total: Map<string, Quantity>, usage: Usage): void {
  for (const [name, quantity] of usage) {
    const sum = total.get(name);
    total.set(name, sum === undefined ? quantity : addQuantities(sum, quantity));
  }
}

export function takeFrom(total: Map<string, Quantity>, usage: Usage): void {
  for (const [name, quantity] of usage) total.set(name, subtractQuantities(total.get(name) ?? ZERO, quantity));
}

/** The amounts by which `next` exceeds `before`; decreases are left out. */
export function increase(next: Usage, before: Usage): Usage {
  const more = new Map<string, Quantity>();
  for (const [name, quantity] of next) {
    const known = before.get(name);
    const difference = known === undefined ? quantity : subtractQuantities(quantity, known);
    if (compareQuantities(difference, ZERO) > 0) more.set(name, difference);
  }
  return more;
}

/** Of these names only, and without zeros. */
export function masked(usage: Usage, names: ReadonlySet<string> | Usage): Usage {
  const kept = new Map<string, Quantity>();
  for (const [name, quantity] of usage) if (names.has(name) && !isZero(quantity)) kept.set(name, quantity);
  return kept;
}

/** `cpu=1,pods=2`, in order of names. */
export function printUsage(usage: Usage, names: readonly string[]): string {
  return names.map((name) => `${name}=${formatQuantity(usage.get(name) ?? ZERO)}`).join(',');
}

export function toList(usage: Usage): { readonly [name: string]: string } {
  return Object.fromEntries(Array.from(usage, ([name, quantity]) => [name, formatQuantity(quantity)]));
}
