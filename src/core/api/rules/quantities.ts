/** Properties of amounts for validation: sign, wholeness and order. */
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

/** Decoding has rejected texts that are no amounts; one that comes all the same counts as zero. */
function read(amount: Amount): Quantity {
  return typeof amount === 'string' && quantityProblem(amount.trim()) !== undefined ? ZERO : quantityFromJson(amount);
}

/** The spelling of most amounts: digits, and perhaps a suffix that keeps them whole. */
const PLAINLY_WHOLE = /^[0-9]+(?:[KMGTPE]i|[kMGTPE])?$/;
const MINUS = 0x2d;

export const isNegative = (amount: Amount): boolean =>
  typeof amount === 'number' ? amount < 0 : amount.charCodeAt(0) === MINUS && signOf(read(amount)) < 0;

/** Whole down to thousandths, the precision that Kubernetes checks. */
export const isWhole = (amount: Amount): boolean =>
  typeof amount === 'number'
    ? Number.isInteger(amount)
    : PLAINLY_WHOLE.test(amount) || quantityMilliValue(read(amount)) % 1000 === 0;

export const compareAmounts = (a: Amount, b: Amount): number => (a === b ? 0 : compareQuantities(read(a), read(b)));

/** The canonical text. */
export const amountText = (amount: Amount | undefined): string =>
  amount === undefined ? '0' : formatQuantity(read(amount));

/**
 * The amount as Go's `Value()`: rounded up, in 64 bits. Of a larger amount the upper bits are lost, its sign among
 * them.
 */
export const int64Of = (amount: Amount): bigint => goValue(read(amount));
