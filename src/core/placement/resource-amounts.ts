/** Between quantities as the API writes them and the amounts placement calculates with. */
import {
  exactValue,
  formatQuantity,
  multiplyQuantity,
  type Quantity,
  quantityFromJson,
  quantityOf,
  QuantityError,
  scaledValue,
  ZERO,
} from '../kube/quantity.ts';
import { type Amount, normalise } from './amounts.ts';

export type Quantities = { readonly [name: string]: string | number };

/** An unreadable quantity counts as zero: the API server refuses such quantities, and one that slipped in must stop no pod. */
export function readQuantity(value: string | number | undefined): Quantity {
  try {
    return quantityFromJson(value);
  } catch (error) {
    if (error instanceof QuantityError) return ZERO;
    throw error;
  }
}

/** cpu in thousandths, everything else in whole units, both rounded up. */
export function toAmount(name: string, quantity: Quantity): Amount {
  const value = scaledValue(quantity, name === 'cpu' ? -3 : 0);
  if (Number.isSafeInteger(value)) return value;
  return normalise(exactValue(name === 'cpu' ? multiplyQuantity(quantity, 1000) : quantity));
}

export const amountOf = (name: string, value: string | number | undefined): Amount =>
  toAmount(name, readQuantity(value));

const countsBytes = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');

/** As people write it: `300m`, `1536Mi`, `4`. */
export function printAmount(name: string, amount: Amount): string {
  if (name === 'cpu') return formatQuantity({ ...quantityOf(amount), scale: -3 });
  return formatQuantity(quantityOf(amount, countsBytes(name) ? 'BinarySI' : 'DecimalSI'));
}
