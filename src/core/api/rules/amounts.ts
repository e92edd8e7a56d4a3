/** Quantities as they stand in objects: text or a number, canonical once defaulted. */
import type { Quantity } from '../../kube/quantity.ts';
import {
  addQuantities,
  compareQuantities,
  exactValue,
  formatQuantity,
  isZero as isZeroQuantity,
  quantityFromJson,
  quantityMilliValue,
  quantityOfMilli,
  quantityProblem,
  signOf,
  ZERO,
} from '../../kube/quantity.ts';
import type { ResourceList } from './findings.ts';

export type Amount = string | number;

/** The error in Kubernetes' words for a text that is no amount. Objects from the wire have passed this check before. */
const amountProblem = (amount: Amount): string | undefined => quantityProblem(String(amount).trim());

/** A text that is no amount reads as zero. */
export function readAmount(amount: Amount): Quantity {
  try {
    return quantityFromJson(amount);
  } catch {
    return ZERO;
  }
}

export const amountText = (amount: Amount): string => formatQuantity(readAmount(amount));
export const compareAmounts = (a: Amount, b: Amount): number =>
  a === b ? 0 : compareQuantities(readAmount(a), readAmount(b));
export const addAmounts = (a: Amount, b: Amount): string => formatQuantity(addQuantities(readAmount(a), readAmount(b)));
export const isNegative = (amount: Amount): boolean => signOf(readAmount(amount)) < 0;
export const isPositive = (amount: Amount): boolean => signOf(readAmount(amount)) > 0;
export const isZero = (amount: Amount): boolean => isZeroQuantity(readAmount(amount));
export const isWhole = (amount: Amount): boolean => quantityMilliValue(readAmount(amount)) % 1000 === 0;

/** True where `amount` is a whole multiple of `unit`, which itself is a whole number above zero. */
export function isWholeMultiple(amount: Amount, unit: string): boolean {
  if (amountProblem(unit) !== undefined) return false;
  const size = readAmount(unit);
  return signOf(size) > 0 && isWhole(unit) && exactValue(readAmount(amount)) % exactValue(size) === 0n;
}

/** The amount as Kubernetes writes it; a text that is no amount stays unchanged. */
export const canonicalAmount = (amount: Amount): Amount =>
  amountProblem(amount) === undefined ? amountText(amount) : amount;

const FINEST_SCALE = -3;

function rounded(amount: Amount): Amount {
  if (typeof amount === 'string' && amountProblem(amount) !== undefined) return amount;
  const quantity = readAmount(amount);
  if (quantity.scale >= FINEST_SCALE) return formatQuantity(quantity);
  return formatQuantity(quantityOfMilli(quantityMilliValue(quantity), quantity.format));
}

/** Every amount in canonical form, none finer than a thousandth. The same list when nothing changed. */
export function roundedList<L extends ResourceList | undefined>(list: L): L {
  if (list === undefined) return list;
  let copy: { [key: string]: Amount } | undefined;
  for (const name in list) {
    const amount = list[name] as Amount;
    const canonical = rounded(amount);
    if (canonical === amount) continue;
    copy ??= { ...list };
    copy[name] = canonical;
  }
  return (copy as L | undefined) ?? list;
}
