/** What validation must know of an amount: its sign, whether it is whole, and which of two is greater. */
import {
  compareQuantities,
  formatQuantity,
  goValue,
  type Quantity,
  quantityFromJson,
  quantityMilliValue,
  quantityProblem,
  signOf,
  ZERO,
} from '../../kube/quantity.ts';

export type Amount = string | number;

/** Decoding has refused what is no amount; should one come all the same, it counts as nothing. */
function read(amount: Amount): Quantity {
  return typeof amount === 'string' && quantityProblem(amount.trim()) !== undefined ? ZERO : quantityFromJson(amount);
}

/** Written the way most amounts are: digits, and perhaps a suffix that keeps them whole. */
const PLAINLY_WHOLE = /^[0-9]+(?:[KMGTPE]i|[kMGTPE])?$/;
const MINUS = 0x2d;

export const isNegative = (amount: Amount): boolean =>
  typeof amount === 'number' ? amount < 0 : amount.charCodeAt(0) === MINUS && signOf(read(amount)) < 0;

/** Whole down to thousandths, which is as finely as Kubernetes looks. */
export const isWhole = (amount: Amount): boolean =>
  typeof amount === 'number'
    ? Number.isInteger(amount)
    : PLAINLY_WHOLE.test(amount) || quantityMilliValue(read(amount)) % 1000 === 0;

export const compareAmounts = (a: Amount, b: Amount): number => (a === b ? 0 : compareQuantities(read(a), read(b)));

/** The canonical text. */
export const amountText = (amount: Amount | undefined): string =>
  amount === undefined ? '0' : formatQuantity(read(amount));

/** What Go makes of an amount: 64 bits of it, rounded up. Of one that has more, the upper ones are lost, its sign among them. */
export const int64Of = (amount: Amount): bigint => goValue(read(amount));
